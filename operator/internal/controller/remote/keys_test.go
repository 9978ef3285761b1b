package remote_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
)

// newBotWorld is a world with a bot.
func newBotWorld(t *testing.T, how func(*v1alpha1.Credentials)) (*world, *v1alpha1.Bot) {
	t.Helper()
	w := newWorld(t, options{})
	eng, bot := w.organization("eng"), w.bot("deploy")
	if how != nil {
		how(&bot.Spec.Credentials)
	}
	w.create(eng, bot)
	w.waitReady(eng, bot)
	return w, bot
}

// waitForNewKey waits until the bot's Secret has another key.
func waitForNewKey(w *world, before map[string]string) map[string]string {
	w.t.Helper()
	now := map[string]string{}
	w.eventually("another key", func() error {
		secret := &corev1.Secret{}
		if err := w.client.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "deploy-key"}, secret); err != nil {
			return err
		}
		now = w.secret("deploy-key")
		if now["api-key"] == "" || now["api-key"] == before["api-key"] || now["pending-api-key"] != "" {
			return errUnchanged
		}
		return nil
	})
	return now
}

func TestKeyIsRotatedByToken(t *testing.T) {
	w, bot := newBotWorld(t, nil)
	before, calls := w.secret("deploy-key"), w.faults.count("PUT")
	change(w, bot, func(b *v1alpha1.Bot) { b.Spec.Credentials.RotationToken = "once" })
	w.waitReady(bot)
	after := waitForNewKey(w, before)
	if !w.keyWorks(before) || !w.keyWorks(after) {
		t.Error("in the grace both keys are to work")
	}
	status := bot.Status.Credentials
	if status.RotationToken != "once" || status.PreviousEnds == nil || time.Until(status.PreviousEnds.Time) < 23*time.Hour {
		t.Errorf("%+v", status)
	}
	time.Sleep(300 * time.Millisecond)
	if n := w.faults.count("PUT") - calls; n != 1 {
		t.Errorf("the operator's own changes of the Secret caused passes: %d calls", n)
	}
	change(w, bot, func(b *v1alpha1.Bot) { b.Spec.Credentials.RotationToken = "" }) // as Flux does with what kubectl sets
	w.waitReady(bot)
	time.Sleep(300 * time.Millisecond)
	if diff := cmp.Diff(after, w.secret("deploy-key")); diff != "" {
		t.Errorf("it was rotated twice:\n%s", diff)
	}
}

func TestKeyIsRotatedByAge(t *testing.T) {
	w, bot := newBotWorld(t, func(c *v1alpha1.Credentials) {
		c.RotateAfter, c.GracePeriod = &metav1.Duration{Duration: 24 * time.Hour}, &metav1.Duration{Duration: time.Second}
	})
	before := w.secret("deploy-key")
	w.clock.advance(23 * time.Hour)
	touch(w, bot)
	time.Sleep(500 * time.Millisecond)
	if diff := cmp.Diff(before, w.secret("deploy-key")); diff != "" {
		t.Fatal("it is too early")
	}
	w.clock.advance(2 * time.Hour)
	touch(w, bot)
	after := waitForNewKey(w, before)
	if !w.keyWorks(after) {
		t.Error("the new key doesn't work")
	}
	w.eventually("the end of the grace", func() error {
		if w.keyWorks(before) {
			return errUnchanged
		}
		return nil
	})
}

func TestLostSecretIsIssuedAgain(t *testing.T) {
	w, _ := newBotWorld(t, nil)
	before := w.secret("deploy-key")
	w.delete(&corev1.Secret{ObjectMeta: w.meta("deploy-key")})
	if after := waitForNewKey(w, before); !w.keyWorks(after) || !w.keyWorks(before) { // programs may have it in memory still
		t.Error("both keys are to work")
	}
}

func TestTamperedSecretIsReverted(t *testing.T) {
	w, _ := newBotWorld(t, nil)
	before := w.secret("deploy-key")
	change(w, &corev1.Secret{ObjectMeta: w.meta("deploy-key")}, func(s *corev1.Secret) { s.Data["site"] = []byte("https://evil.example") })
	w.eventually("it is reverted", func() error {
		if cmp.Diff(before, w.secret("deploy-key")) != "" {
			return errUnchanged
		}
		return nil
	})
	change(w, &corev1.Secret{ObjectMeta: w.meta("deploy-key")}, func(s *corev1.Secret) { s.Data["api-key"] = []byte("short") })
	if after := waitForNewKey(w, map[string]string{"api-key": "short"}); !w.keyWorks(after) {
		t.Error("the key doesn't work")
	}
}

// Somebody who replaces a key inside the server may have a reason: it doesn't come back.
func TestKeyReplacedInTheServerDoesNotComeBack(t *testing.T) {
	w, bot := newBotWorld(t, nil)
	before := w.secret("deploy-key")
	theirs, err := w.admin.Bots(w.namespace+"/eng").RotateKey(t.Context(), w.key(bot), adminapi.KeySpec{GraceSeconds: new(0)})
	if err != nil {
		t.Fatal(err)
	}
	touch(w, bot)
	after := waitForNewKey(w, before)
	w.waitForEvent(bot, v1alpha1.ReasonKeyReplaced)
	if !w.keyWorks(after) || w.keyWorks(before) {
		t.Error("only the new key is to work")
	}
	if status, _ := w.chat.call(t, http.MethodGet, before["site"]+"/api/v1/users/me", before["email"], theirs.Secret.APIKey, ""); status != http.StatusUnauthorized {
		t.Errorf("status %d with the key of the one who replaced it", status)
	}
}

// replaceKey replaces the key of a bot inside the server, without grace.
func replaceKey(w *world, bot *v1alpha1.Bot) {
	w.t.Helper()
	if _, err := w.admin.Bots(w.namespace+"/eng").RotateKey(w.t.Context(), w.key(bot), adminapi.KeySpec{GraceSeconds: new(0)}); err != nil {
		w.t.Fatal(err)
	}
}

// Wherever a pass is interrupted, the key that somebody has replaced doesn't become valid, and gets no grace.
func TestInterruptedReplacementOfAKeyIsContinued(t *testing.T) {
	for name, interrupted := range map[string]int32{"first call": 1, "second call": 2} {
		for part, after := range map[string]bool{"before": false, "after": true} {
			t.Run(part+" the "+name, func(t *testing.T) {
				w, bot := newBotWorld(t, nil)
				before := w.secret("deploy-key")
				replaceKey(w, bot)
				calls := atomic.Int32{}
				w.faults.set(func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
					if request.Method != http.MethodPut || !strings.Contains(request.URL.Path, "/bots/") || calls.Add(1) != interrupted {
						return next.RoundTrip(request)
					}
					if after {
						response, err := next.RoundTrip(request)
						if err != nil {
							return nil, err
						}
						_ = response.Body.Close()
						if w.keyWorks(before) {
							t.Error("the replaced key is valid")
						}
					}
					return nil, syscall.ECONNRESET
				})
				touch(w, bot)
				after := waitForNewKey(w, before)
				w.waitForEvent(bot, v1alpha1.ReasonKeyReplaced)
				if !w.keyWorks(after) || w.keyWorks(before) {
					t.Error("only the new key is to work")
				}
				w.waitReady(bot)
				if ends := bot.Status.Credentials.PreviousEnds; ends != nil {
					t.Errorf("the key before ends at %s", ends)
				}
			})
		}
	}
}

func TestForeignSecretIsLeftAlone(t *testing.T) {
	w := newWorld(t, options{})
	foreign := &corev1.Secret{ObjectMeta: w.meta("deploy-key"), StringData: map[string]string{"api-key": "precious"}}
	bot := w.bot("deploy")
	w.create(foreign, w.organization("eng"), bot)
	w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonSecretNotOurs)
	if diff := cmp.Diff([]string{v1alpha1.ConditionStalled}, trueConditions(bot)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"api-key": "precious"}, w.secret("deploy-key")); diff != "" {
		t.Error(diff)
	}
	w.delete(foreign)
	w.waitReady(bot)
	if !w.keyWorks(w.secret("deploy-key")) {
		t.Error("the key doesn't work")
	}
	// Nor is that of another object.
	second := w.bot("second")
	second.Spec.Credentials.SecretName = "deploy-key"
	w.create(second)
	w.waitForStatus(second, metav1.ConditionFalse, v1alpha1.ReasonSecretNotOurs)
	ready := meta.FindStatusCondition(second.Status.Conditions, v1alpha1.ConditionReady)
	if want := "Secret deploy-key has the key of Bot/deploy: create the object again with another secretName, or delete the Secret if that is gone"; ready.Message != want {
		t.Errorf("the message is %q", ready.Message)
	}
}

// What a ResourceQuota refuses is in the condition, not only in the operator's log.
func TestRefusedSecretIsReported(t *testing.T) {
	w := newWorld(t, options{})
	eng := w.organization("eng")
	w.create(eng)
	w.waitReady(eng)
	// The API server that tests run on knows the quota, but nothing counts what is used: the test does.
	quota := &corev1.ResourceQuota{ObjectMeta: w.meta("small"), Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"secrets": resource.MustParse("0")}}}
	w.create(quota)
	quota.Status = corev1.ResourceQuotaStatus{Hard: quota.Spec.Hard, Used: corev1.ResourceList{"secrets": resource.MustParse("0")}}
	if err := w.client.Status().Update(t.Context(), quota); err != nil {
		t.Fatal(err)
	}
	bot := w.bot("deploy")
	w.create(bot)
	message := w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonFailed)
	if !strings.Contains(message, "deploy-key") || !strings.Contains(message, "exceeded quota: small") {
		t.Errorf("the message is %q", message)
	}
	if diff := cmp.Diff([]string{v1alpha1.ConditionReconciling}, trueConditions(bot)); diff != "" {
		t.Error(diff)
	}
	w.delete(quota)
	touch(w, bot)
	w.waitReady(bot)
}

func TestLabelsOfTheSecretFollowTheSpec(t *testing.T) {
	w, bot := newBotWorld(t, func(c *v1alpha1.Credentials) { c.Labels = map[string]string{"one": "1", "two": "2"} })
	secret := &corev1.Secret{ObjectMeta: w.meta("deploy-key")}
	change(w, secret, func(s *corev1.Secret) { s.Labels["theirs"] = "stays" })
	change(w, bot, func(b *v1alpha1.Bot) { b.Spec.Credentials.Labels = map[string]string{"two": "zwei"} })
	w.eventually("the labels", func() error {
		if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
			return err
		}
		if _, one := secret.Labels["one"]; one || secret.Labels["two"] != "zwei" || secret.Labels["theirs"] != "stays" {
			return errUnchanged
		}
		return nil
	})
	// By this annotation the Secret is deleted with the server's data.
	if at := secret.Annotations[v1alpha1.AnnotationCredentialsAt]; at != w.namespace+"/main" {
		t.Errorf("the key is for the server %q", at)
	}
}

// Another controller that writes the Secret again after each revert doesn't cause passes without end, nor a new key in each. The
// condition names it, until it stops.
func TestContestedSecretIsReported(t *testing.T) {
	w, bot := newBotWorld(t, nil)
	secret := &corev1.Secret{ObjectMeta: w.meta("deploy-key")}
	theirs := func() error {
		patch := []byte(`{"data":{"api-key":"` + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 32))) + `"}}`)
		return w.client.Patch(t.Context(), secret, client.RawPatch(types.MergePatchType, patch), client.FieldOwner("gitops"))
	}
	before := w.secret("deploy-key")
	w.eventually("it is contested", func() error {
		if key := w.secret("deploy-key")["api-key"]; key != strings.Repeat("x", 32) {
			if err := theirs(); err != nil {
				return err
			}
		}
		if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(bot), bot); err != nil {
			return err
		}
		if ready := meta.FindStatusCondition(bot.Status.Conditions, v1alpha1.ConditionReady); ready.Reason != v1alpha1.ReasonSecretContested {
			return errUnchanged
		}
		return nil
	})
	message := w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonSecretContested)
	if !strings.Contains(message, "Secret deploy-key is changed by gitops each time") {
		t.Errorf("the message is %q", message)
	}
	if diff := cmp.Diff([]string{v1alpha1.ConditionStalled}, trueConditions(bot)); diff != "" {
		t.Error(diff)
	}
	if err := theirs(); err != nil {
		t.Fatal(err)
	}
	calls := w.faults.count("PUT")
	touch(w, bot)
	w.clock.advance(time.Minute)
	touch(w, bot)
	w.waitForStatus(bot, metav1.ConditionFalse, v1alpha1.ReasonSecretContested)
	if n := w.faults.count("PUT") - calls; n != 0 {
		t.Errorf("it was reverted at once, by %d calls", n)
	}
	w.clock.advance(10 * time.Minute)
	touch(w, bot)
	w.waitReady(bot)
	if after := w.secret("deploy-key"); !w.keyWorks(after) || after["api-key"] == before["api-key"] {
		t.Error("the key doesn't work")
	}
}
