package remote_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
)

func TestEverythingIsMadeInAnyOrder(t *testing.T) {
	w := newWorld(t, options{})
	hook, bot, stream, eng := w.webhook(), w.bot("deploy"), w.stream("alerts"), w.organization("eng")
	owned, owner := w.bot("owned"), w.user("grace")
	owned.Spec.Owner = &owner.Spec.Email
	bot.Spec.Owner, bot.Spec.Subscriptions, bot.Spec.Role = new("ada@corp.example"), []string{"alerts"}, v1alpha1.RoleAdministrator
	bot.Spec.Credentials.Labels = map[string]string{"team": "deploy"}
	stream.Spec.PostPolicy, stream.Spec.MessageRetentionDays = new(v1alpha1.PostNewMembers), new(int32(30))
	stream.Spec.Description, stream.Spec.Default = new("Firing alerts"), new(true)
	w.create(hook, bot, owned)
	w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonOrganizationNotFound)
	if diff := cmp.Diff([]string{v1alpha1.ConditionReconciling}, trueConditions(bot)); diff != "" {
		t.Error(diff)
	}
	w.create(eng)
	w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonRefused) // for want of the stream
	w.create(stream)
	w.waitReady(eng, stream, bot, hook)
	w.waitForStatus(owned, metav1.ConditionFalse, v1alpha1.ReasonRefused) // for want of its owner
	w.create(owner)
	w.waitReady(owner, owned)

	state, err := w.admin.Streams(w.key(eng)).Get(t.Context(), w.key(stream))
	want := adminapi.Stream{
		ID: state.ID, Key: w.key(stream), Name: "alerts", Description: "Firing alerts", HistoryPublic: true, PostPolicy: 3, RetentionDays: 30, Default: true, Active: true,
	}
	if diff := cmp.Diff(want, state); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	got, err := w.admin.Bots(w.key(eng)).Get(t.Context(), w.key(bot))
	if err != nil || got.Role != 200 || got.Owner != "ada@corp.example" || got.Email != bot.Status.Email || !cmp.Equal(got.Subscriptions, []string{"alerts"}) {
		t.Errorf("%v, %+v", err, got)
	}
	if !w.keyWorks(w.secret("deploy-key")) {
		t.Error("the bot's key doesn't work")
	}
	secret := &corev1.Secret{}
	if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "deploy-key"}, secret); err != nil {
		t.Fatal(err)
	}
	if owners := secret.OwnerReferences; secret.Labels["team"] != "deploy" || len(owners) != 1 || owners[0].UID != bot.UID {
		t.Errorf("%+v", secret.ObjectMeta)
	}
	if _, pending := secret.Data["pending-api-key"]; pending {
		t.Error("the Secret still has a pending key")
	}
	count := `# HELP chatserver_operator_guests Objects inside servers, by kind and readiness.
# TYPE chatserver_operator_guests gauge
chatserver_operator_guests{kind="Bot",ready="false"} 0
chatserver_operator_guests{kind="Bot",ready="true"} 2
chatserver_operator_guests{kind="IncomingWebhook",ready="false"} 0
chatserver_operator_guests{kind="IncomingWebhook",ready="true"} 1
chatserver_operator_guests{kind="Organization",ready="false"} 0
chatserver_operator_guests{kind="Organization",ready="true"} 1
chatserver_operator_guests{kind="Stream",ready="false"} 0
chatserver_operator_guests{kind="Stream",ready="true"} 1
chatserver_operator_guests{kind="User",ready="false"} 0
chatserver_operator_guests{kind="User",ready="true"} 1
`
	w.eventually("the census", func() error {
		return testutil.GatherAndCompare(w.metrics, strings.NewReader(count), "chatserver_operator_guests")
	})
}

// An owner may get an account after the server has refused a bot of that owner: the next comparison would be minutes later.
func TestABotWaitsForItsOwner(t *testing.T) {
	w := newWorld(t, options{})
	eng, bot := w.organization("eng"), w.bot("deploy")
	w.create(eng)
	w.waitReady(eng)
	bot.Spec.Owner = new("ben@corp.example")
	w.faults.set(respondWith(500, "/owners/ben@corp.example"))
	change(w, eng, func(o *v1alpha1.Organization) {
		o.Spec.Owners = append(o.Spec.Owners, v1alpha1.OrganizationOwner{Email: "ben@corp.example", FullName: "Ben Holm"})
	})
	w.waitForStatus(eng, metav1.ConditionFalse, v1alpha1.ReasonFailed)
	w.create(bot)
	w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonRefused)
	w.faults.set(nil)
	w.waitReady(eng, bot)
}

// What the server refuses is a sentence that names what is wrong, and the advice another one.
func TestARefusalNamesWhatIsWrong(t *testing.T) {
	w := newWorld(t, options{})
	eng, bot := w.organization("eng"), w.bot("deploy")
	eng.Spec.Owners = append(eng.Spec.Owners, v1alpha1.OrganizationOwner{Email: "a@corp.example"})
	bot.Spec.Subscriptions = []string{"nowhere"}
	w.create(eng, bot)
	if got, want := w.waitForStatus(eng, metav1.ConditionFalse, v1alpha1.ReasonRefused),
		"the server refused: The full name 'a' is invalid: Name too short! Change the spec, or what it refers to"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	change(w, eng, func(o *v1alpha1.Organization) { o.Spec.Owners = o.Spec.Owners[:1] })
	w.waitReady(eng)
	if got := w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonRefused); !strings.Contains(got, "do not exist. Change the spec") {
		t.Errorf("got %q", got)
	}
}

// A webhook has a full name in any case, and one that is long enough.
func TestWebhooksHaveNames(t *testing.T) {
	w := newWorld(t, options{})
	short, long := w.webhook(), w.webhook()
	short.Name, short.Spec.Credentials.SecretName = "w", "w-key"
	long.Name, long.Spec.ShortName = strings.Repeat("long-", 30)+"x", "long"
	w.create(w.organization("eng"), w.stream("alerts"), short, long)
	w.waitReady(short, long)
	eng := w.organization("eng")
	for hook, name := range map[*v1alpha1.IncomingWebhook]string{short: "helloworld w", long: strings.Repeat("long-", 20)} {
		if got, err := w.admin.Webhooks(w.key(eng)).Get(t.Context(), w.key(hook)); err != nil || got.FullName != name {
			t.Errorf("%v, it is called %q, want %q", err, got.FullName, name)
		}
	}
}

func TestLongNamesHaveKeys(t *testing.T) {
	w := newWorld(t, options{})
	one, two := w.stream(strings.Repeat("a", 230)), w.stream(strings.Repeat("a", 231))
	one.Spec.Name, two.Spec.Name = "one", "two"
	w.create(w.organization("eng"), one, two)
	w.waitReady(one, two)
}

func TestWebhookSecretIsUsedAsItIs(t *testing.T) {
	w := newWorld(t, options{})
	hook := w.webhook()
	w.create(w.organization("eng"), w.stream("alerts"), hook, w.bot("reader"))
	w.waitReady(hook)
	secret := w.secret("hello-key")
	status, answer := w.chat.call(t, http.MethodPost, secret["url"], "", "", `{"featured_title":"Marilyn Monroe","featured_url":"https://example.org"}`)
	if status != http.StatusOK {
		t.Fatalf("%d %s of %s", status, answer, secret["url"])
	}
	want := hook.Status.URL[:strings.Index(hook.Status.URL, "?")] + "?api_key=" + secret["api-key"] + "&stream=alerts&topic=all+%26+more"
	if secret["url"] != want {
		t.Errorf("got %s, want %s", secret["url"], want)
	}
	typed := &corev1.Secret{}
	if err := w.client.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "hello-key"}, typed); err != nil || typed.Type != v1alpha1.SecretTypeIncomingWebhook {
		t.Errorf("%v, %s", err, typed.Type)
	}
	// The address follows the stream's name.
	change(w, hook, func(h *v1alpha1.IncomingWebhook) { h.Spec.Topic = new("production") })
	w.waitReady(hook)
	if url := w.secret("hello-key")["url"]; !strings.HasSuffix(url, "&topic=production") {
		t.Error(url)
	}
}

func TestChangesInsideTheServerAreRepaired(t *testing.T) {
	w := newWorld(t, options{})
	eng, stream, bot := w.organization("eng"), w.stream("alerts"), w.bot("deploy")
	w.create(eng, stream, bot)
	w.waitReady(eng, stream, bot)
	ada, err := w.admin.Owners(w.key(eng)).RotateKey(t.Context(), "ada@corp.example", adminapi.KeySpec{})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body string) {
		t.Helper()
		if status, answer := w.chat.call(t, method, eng.Status.URL+path, "ada@corp.example", ada.Secret.APIKey, body); status != http.StatusOK {
			t.Fatalf("%d %s", status, answer)
		}
	}
	synced := bot.Status.LastSyncTime
	w.clock.advance(5 * time.Second)
	// By people, through the interface that they have.
	ask(http.MethodPatch, "/api/v1/streams/"+stream.Status.ID, "new_name=mine&description=ours")
	if _, err := w.admin.Bots(w.key(eng)).Put(t.Context(), w.key(bot), adminapi.BotSpec{FullName: new("Mine"), Owner: new("ada@corp.example")}); err != nil {
		t.Fatal(err)
	}
	touch(w, stream)
	touch(w, bot)
	w.waitForEvent(stream, v1alpha1.ReasonDriftRepaired)
	w.waitForEvent(bot, v1alpha1.ReasonDriftRepaired)
	got, err := w.admin.Streams(w.key(eng)).Get(t.Context(), w.key(stream))
	if err != nil || got.Name != "alerts" || got.Description != "ours" {
		t.Errorf("%v, %+v", err, got)
	}
	b, err := w.admin.Bots(w.key(eng)).Get(t.Context(), w.key(bot))
	if err != nil || b.FullName != "Bot deploy" || b.Owner != "ada@corp.example" {
		t.Errorf("%v, %+v", err, b)
	}
	w.eventually("the time of it", func() error {
		w.waitReady(bot)
		if bot.Status.LastSyncTime.After(synced.Time) {
			return nil
		}
		return errUnchanged
	})

	// What is archived or deactivated comes back.
	ask(http.MethodDelete, "/api/v1/streams/"+stream.Status.ID, "")
	if _, err := w.admin.Bots(w.key(eng)).Delete(t.Context(), w.key(bot)); err != nil {
		t.Fatal(err)
	}
	touch(w, stream)
	touch(w, bot)
	w.eventually("both are there", func() error {
		got, err := w.admin.Streams(w.key(eng)).Get(t.Context(), w.key(stream))
		if err != nil || !got.Active {
			return errUnchanged
		}
		b, err := w.admin.Bots(w.key(eng)).Get(t.Context(), w.key(bot))
		if err != nil || !b.Active {
			return errUnchanged
		}
		return nil
	})
	w.eventually("the key works", func() error {
		if !w.keyWorks(w.secret("deploy-key")) {
			return errUnchanged
		}
		return nil
	})
	if repairs := w.repairs("Stream"); repairs != 2 { // the name, and that it was archived
		t.Errorf("%v repairs of the stream", repairs)
	}
}

// What a pass has reverted is in the status of an object that changes during the pass.
func TestChangesDuringAPassLoseNoReport(t *testing.T) {
	w := newWorld(t, options{})
	eng, bot := w.organization("eng"), w.bot("deploy")
	w.create(eng, bot)
	w.waitReady(eng, bot)
	synced := bot.Status.LastSyncTime
	w.clock.advance(5 * time.Second)
	if _, err := w.admin.Bots(w.key(eng)).Put(t.Context(), w.key(bot), adminapi.BotSpec{FullName: new("Mine"), Owner: new("ada@corp.example")}); err != nil {
		t.Fatal(err)
	}
	change := sync.OnceFunc(func() { touch(w, bot.DeepCopy()) })
	w.faults.set(func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if request.Method == http.MethodPut {
			change()
		}
		return response, err
	})
	touch(w, bot)
	w.waitForEvent(bot, v1alpha1.ReasonDriftRepaired)
	w.eventually("the time of it", func() error {
		w.waitReady(bot)
		if bot.Status.LastSyncTime.After(synced.Time) {
			return nil
		}
		return errUnchanged
	})
}

func TestPausedObjectsAreLeftAlone(t *testing.T) {
	w := newWorld(t, options{})
	eng, stream := w.organization("eng"), w.stream("alerts")
	w.create(eng, stream)
	w.waitReady(eng, stream)
	change(w, stream, func(s *v1alpha1.Stream) {
		s.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"}
		s.Spec.Name = "warnings"
	})
	w.waitForStatus(stream, metav1.ConditionTrue, v1alpha1.ReasonPaused)
	if diff := cmp.Diff([]string{v1alpha1.ConditionPaused}, trueConditions(stream)); diff != "" {
		t.Error(diff)
	}
	if got, err := w.admin.Streams(w.key(eng)).Get(t.Context(), w.key(stream)); err != nil || got.Name != "alerts" {
		t.Errorf("%v, %+v", err, got)
	}
	change(w, stream, func(s *v1alpha1.Stream) { s.Annotations = nil })
	w.waitReady(stream)
	if got, err := w.admin.Streams(w.key(eng)).Get(t.Context(), w.key(stream)); err != nil || got.Name != "warnings" || trueConditions(stream) != nil {
		t.Errorf("%v, %+v", err, got)
	}
}

func TestNamesOfPeopleAreNotTaken(t *testing.T) {
	w := newWorld(t, options{})
	eng, first := w.organization("eng"), w.stream("alerts")
	w.create(eng, first)
	w.waitReady(eng, first)
	ada, err := w.admin.Owners(w.key(eng)).RotateKey(t.Context(), "ada@corp.example", adminapi.KeySpec{})
	if err != nil {
		t.Fatal(err)
	}
	status, answer := w.chat.call(t, http.MethodPost, eng.Status.URL+"/api/v1/users/me/subscriptions", "ada@corp.example", ada.Secret.APIKey, `subscriptions=[{"name":"lunch"}]`)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	lunch := w.stream("lunch")
	w.create(lunch)
	if text := w.waitForStatus(lunch, metav1.ConditionFalse, v1alpha1.ReasonNameTaken); !strings.HasSuffix(text, "set adopt to take it over. Alternatively, choose another name") {
		t.Error(text)
	}
	if diff := cmp.Diff([]string{v1alpha1.ConditionStalled}, trueConditions(lunch)); diff != "" {
		t.Error(diff)
	}
	change(w, lunch, func(s *v1alpha1.Stream) { s.Spec.Adopt = true })
	w.waitReady(lunch)
	second := w.stream("second")
	second.Spec.Name, second.Spec.Adopt = "alerts", true
	w.create(second)
	if text := w.waitForStatus(second, metav1.ConditionFalse, v1alpha1.ReasonNameTaken); !strings.Contains(text, "managed under the key '"+w.namespace+"/") {
		t.Error(text)
	}
}
