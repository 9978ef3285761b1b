package chatserver_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"chatserver.dev/operator/api/v1alpha1"
)

func TestAMissingSecretOrKeyIsNamed(t *testing.T) {
	w := newWorld(t)
	server := w.minimal()
	server.Spec.Database.External.SecretRef.Name = "other"
	w.create(server)
	stalled := func(reason string, words ...string) {
		t.Helper()
		w.until("it says so", func() bool {
			c, detail := w.condition("Stalled"), w.condition(v1alpha1.ConditionDependenciesReady)
			if c.Status != "True" || c.Reason != reason || detail.Reason != reason || detail.Status != "False" || !w.ready(reason) {
				return false
			}
			for _, word := range words {
				if !strings.Contains(c.Message, word) {
					return false
				}
			}
			return true
		})
	}
	stalled(v1alpha1.ReasonSecretNotFound, "Secret other")
	w.create(&corev1.Secret{ObjectMeta: w.meta("other"), StringData: map[string]string{"uri": "postgres://db"}})
	stalled(v1alpha1.ReasonSecretKeyMissing, "Secret other", "key url")
	secret := &corev1.Secret{}
	w.get("other", secret)
	secret.Data["url"] = []byte("postgres://db.test:99999/chat")
	if err := w.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	stalled(v1alpha1.ReasonSecretInvalid, "Secret other", "port")
	w.get("other", secret)
	secret.Data["url"] = []byte("postgres://db.test/chat")
	if err := w.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) && w.condition("Stalled").Type == "" })

	// If a Secret is deleted, everything else stays.
	w.quiet()
	before := w.deployment("api").Generation
	if err := w.Delete(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	stalled(v1alpha1.ReasonSecretNotFound, "Secret other", "0.1.0 is still serving")
	if got := w.deployment("api"); got.Generation != before || *got.Spec.Replicas != 2 || w.condition(v1alpha1.ConditionAvailable).Status != "True" {
		t.Errorf("the Deployment was changed: %+v", got)
	}
}

// The spec may name Secrets as the operator would name its own.
func TestAMissingSecretWithTheNameOfOurs(t *testing.T) {
	w := newWorld(t)
	server := w.minimal()
	server.Spec.WebPush = &v1alpha1.WebPush{SecretRef: &v1alpha1.SecretKey{Name: "main-web-push", Key: "mine"}}
	server.Spec.Database.Logins = &v1alpha1.DatabaseLogins{SecretName: "main-logins-a"}
	server.Spec.IdentityProviders = []v1alpha1.IdentityProvider{{
		Slot: "idp_1", Issuer: "https://acme.test", ClientID: "chat", DisplayName: "Acme",
		ClientSecretRef: &v1alpha1.SecretKey{Name: "main-providers", Key: "secret"},
	}}
	w.create(server)
	missed := func(reason, message string) {
		t.Helper()
		w.until("it is named: "+message, func() bool {
			return w.ready(reason) && strings.Contains(w.condition(v1alpha1.ConditionDependenciesReady).Message, message)
		})
	}
	missed(v1alpha1.ReasonSecretNotFound, "Secret main-providers not found")
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.IdentityProviders = nil })
	missed(v1alpha1.ReasonSecretNotFound, "Secret main-logins-a not found")
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Database.Logins = nil })
	missed(v1alpha1.ReasonSecretNotFound, "Secret main-web-push not found")
	w.create(&corev1.Secret{ObjectMeta: w.meta("main-web-push"), StringData: map[string]string{"key": "x"}})
	missed(v1alpha1.ReasonSecretKeyMissing, "Secret main-web-push has no key mine")
}

func TestASecretsChangeRollsOnce(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.quiet()
	generations := func() [3]int64 {
		return [3]int64{w.deployment("api").Generation, w.deployment("events").Generation, w.deployment("webhook").Generation}
	}
	before := generations()
	secret := &corev1.Secret{}
	w.get("redis", secret)
	secret.Data["url"] = []byte("redis://:another@redis.test")
	if err := w.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.until("all are replaced", func() bool { return generations()[2] > before[2] && w.ready(v1alpha1.ReasonServing) })
	w.quiet()
	after := generations()
	for i := range after {
		if after[i] != before[i]+1 {
			t.Errorf("generations %v became %v", before, after)
		}
	}
	// Changes of a Secret's labels and of unused keys don't replace pods.
	w.get("redis", secret)
	secret.Labels, secret.Data["other"] = map[string]string{"a": "b"}, []byte("c")
	if err := w.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.quiet()
	if got := generations(); got != after {
		t.Errorf("generations %v became %v", after, got)
	}
}

// A change of a ConfigMap in a podTemplate replaces the pods of its own service. The ConfigMap may be created later.
// While pods are replaced, and if the migration before that fails, the previous ones can still reach the database.
func TestNetworkPoliciesAllowThePreviousPods(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	ports := func() (all []int32) {
		policy := &networkingv1.NetworkPolicy{}
		w.get("main-webhook", policy)
		for _, rule := range policy.Spec.Egress {
			for _, port := range rule.Ports {
				if n := port.Port.IntVal; n > 6379 {
					all = append(all, n)
				}
			}
		}
		return all
	}
	move := func(port string) {
		t.Helper()
		secret := &corev1.Secret{}
		w.get("db", secret)
		secret.Data["url"] = []byte("postgres://u:p@db.test:" + port + "/chat")
		if err := w.Update(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
	}
	w.quiet()
	w.held["jobs"] = true
	move("7000")
	w.until("the Job runs", func() bool { return w.waiting() != nil })
	w.finish(w.waiting(), false, "wrong port")
	w.until("it failed", func() bool { return w.ready(v1alpha1.ReasonMigrationFailed) })
	if got := ports(); !slices.Equal(got, []int32{7000, 6432}) {
		t.Errorf("after a failure pods may connect to %v", got)
	}
	delete(w.held, "jobs")
	w.held["main-api"] = true
	api := w.deployment("api").Generation
	move("7001")
	w.until("api is replaced", func() bool { return w.deployment("api").Generation > api && w.ready(v1alpha1.ReasonRolloutRunning) })
	w.quiet()
	if got := ports(); !slices.Equal(got, []int32{7001, 7000, 6432}) {
		t.Errorf("during the rollout pods may connect to %v", got)
	}
	delete(w.held, "main-api")
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
	if got := ports(); !slices.Equal(got, []int32{7001}) {
		t.Errorf("after the rollout pods may connect to %v", got)
	}
	if w.reasons()[v1alpha1.ReasonDriftRepaired] > 0 {
		t.Error("that counts as drift")
	}
}

func TestAPodTemplatesConfigMapRollsItsService(t *testing.T) {
	w := newWorld(t)
	server := w.minimal()
	server.Spec.Events.PodTemplate = raw(`{"spec":{"containers":[{"name":"events","envFrom":[{"configMapRef":{"name":"extra","optional":true}},{"secretRef":{"name":"more"}}]}]}}`)
	w.install(server)
	w.quiet()
	generation := func(component string) int64 { return w.deployment(component).Generation }
	others := generation("api") + generation("webhook")
	before := generation("events")
	configMap := &corev1.ConfigMap{ObjectMeta: w.meta("extra"), Data: map[string]string{"A": "1"}}
	for i, change := range []func(){
		func() { w.create(configMap) },
		func() {
			configMap.Data["A"] = "2"
			if err := w.Update(t.Context(), configMap); err != nil {
				t.Fatal(err)
			}
		},
		func() { w.create(&corev1.Secret{ObjectMeta: w.meta("more"), StringData: map[string]string{"B": "1"}}) },
		func() {
			if err := w.Delete(t.Context(), configMap); err != nil {
				t.Fatal(err)
			}
		},
	} {
		change()
		w.until("events is replaced", func() bool { return generation("events") == before+int64(i)+1 && w.ready(v1alpha1.ReasonServing) })
	}
	w.create(&corev1.ConfigMap{ObjectMeta: w.meta("unrelated"), Data: map[string]string{"A": "1"}})
	w.quiet()
	if got := generation("events"); got != before+4 || generation("api")+generation("webhook") != others {
		t.Errorf("generation %d of events became %d; the others' changed: %v", before, got, generation("api")+generation("webhook") != others)
	}
	if got := w.repairs(); got != 0 {
		t.Errorf("%v repairs were counted", got)
	}
}

func TestASecretOfSomebodyElseIsntTaken(t *testing.T) {
	w := newWorld(t)
	w.create(&corev1.Secret{ObjectMeta: w.meta("main-admin"), StringData: map[string]string{"tokens": "mine"}})
	w.create(w.minimal())
	w.until("it says so", func() bool {
		return w.ready(v1alpha1.ReasonSecretNotOurs) && strings.Contains(w.condition("Stalled").Message, "Secret main-admin") &&
			w.condition(v1alpha1.ConditionSecretsReady).Status == "False"
	})
	secret := &corev1.Secret{}
	w.get("main-admin", secret)
	if string(secret.Data["tokens"]) != "mine" || len(secret.Labels) > 0 {
		t.Errorf("the Secret was changed: %+v", secret)
	}
	if err := w.Delete(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
}

// People call the Secret with the connection string NAME-database, which the operator's own isn't.
func TestTheSecretWithTheAddress(t *testing.T) {
	w := newWorld(t)
	server := w.minimal()
	w.create(&corev1.Secret{ObjectMeta: w.meta("main-database"), StringData: map[string]string{"url": "postgres://u:p@db.test:6432/chat"}})
	server.Spec.Database.External.SecretRef.Name = "main-database"
	w.install(server)
	secret := &corev1.Secret{}
	w.get("main-database", secret)
	if len(secret.Data) != 1 || !strings.Contains(string(secret.Data["url"]), "u:p@") {
		t.Errorf("it was changed: %v", secret.Data)
	}
	w.get("main-database-address", secret)
	if got := string(secret.Data["url"]); got != "postgres://db.test:6432/chat" {
		t.Errorf("the address is %s", got)
	}
	env := w.deployment("api").Spec.Template.Spec.Containers[0].Env
	if !slices.ContainsFunc(env, func(v corev1.EnvVar) bool {
		return v.Name == "DATABASE_URL" && v.ValueFrom.SecretKeyRef.Name == "main-database-address"
	}) {
		t.Errorf("pods read %v", env)
	}
	// It may stay when the spec no longer names it.
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Database.External.SecretRef.Name = "db" })
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
}

func TestTheAdminTokenIsReplacedWithoutAGap(t *testing.T) {
	start := time.Now().Truncate(time.Second)
	clock := clocktesting.NewFakePassiveClock(start)
	w := newWorldAt(t, clock)
	w.install(w.minimal())
	w.quiet()
	generation := w.deployment("api").Generation
	tokens := func() []string {
		secret := &corev1.Secret{}
		w.get("main-admin", secret)
		return strings.Fields(string(secret.Data["tokens"]))
	}
	first := tokens()
	if len(first) != 1 || len(first[0]) < 24 || w.server().Status.AdminToken.IssuedAt == nil || w.server().Status.AdminToken.SecretRef.Name != "main-admin" {
		t.Fatalf("%d tokens; status %+v", len(first), w.server().Status.AdminToken)
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Secrets.RotationToken = "again" })
	w.until("there is another token", func() bool { return len(tokens()) == 2 })
	both := tokens()
	if both[0] != first[0] {
		t.Error("the new token is called with before pods can know it")
	}
	w.until("the status says when the old one ends", func() bool { return w.server().Status.AdminToken.PreviousEnds != nil })
	if got := w.server().Status.AdminToken; got.RotationToken != "" {
		t.Errorf("status %+v", got)
	}
	clock.SetTime(start.Add(4 * time.Minute))
	w.touch()
	w.until("the new one is called with", func() bool { now := tokens(); return len(now) == 2 && now[0] == both[1] && now[1] == both[0] })
	w.until("the status says so", func() bool { return w.server().Status.AdminToken.RotationToken == "again" })
	clock.SetTime(start.Add(8 * time.Minute))
	w.touch()
	w.until("the old one is dropped", func() bool { now := tokens(); return len(now) == 1 && now[0] == both[1] })
	w.until("the status says so", func() bool { return w.server().Status.AdminToken.PreviousEnds == nil })
	if got := w.deployment("api").Generation; got != generation {
		t.Error("pods were replaced for a file that they read again")
	}
}

func TestAPatchThatCantBeUsedIsNamed(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.quiet()
	before := w.deployment("events").Generation
	w.change(func(s *v1alpha1.ChatServer) {
		s.Spec.Events.PodTemplate = raw(`{"spec":{"containers":[{"name":"events","image":"evil"}]}}`)
	})
	w.until("it says so", func() bool {
		return w.ready(v1alpha1.ReasonInvalidPodTemplate) && strings.Contains(w.condition("Stalled").Message, "spec.events.podTemplate")
	})
	w.change(func(s *v1alpha1.ChatServer) {
		s.Spec.Events.PodTemplate = raw(`{"spec":{"priorityClassName":"Bad_Name!","dnsPolicy":"Never"}}`)
	})
	w.until("the condition has the API server's refusal", func() bool {
		return w.ready(v1alpha1.ReasonRefused) && strings.Contains(w.condition("Stalled").Message, "Deployment main-events")
	})
	if got := w.deployment("events").Generation; got != before {
		t.Error("the Deployment was changed")
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Events.PodTemplate = nil })
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
}
