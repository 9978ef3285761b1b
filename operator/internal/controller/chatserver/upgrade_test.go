package chatserver_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

func TestAVersionComesInByAJobAndThenServiceByService(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	first := w.job()
	w.held["jobs"], w.held["main-api"], w.held["main-events"], w.held["main-webhook"] = true, true, true, true
	w.schema = `{"schema":4,"min_server_version":"0.1.0"}`
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.2.0" })
	w.until("the Job runs", func() bool {
		return w.ready(v1alpha1.ReasonMigrationRunning) && w.condition("Reconciling").Status == "True"
	})
	server := w.server()
	if u := server.Status.Upgrade; u == nil || u.From != "0.1.0" || u.To != "0.2.0" || u.Phase != v1alpha1.PhaseMigrate || u.JobName == "" || u.JobName == first.Name {
		t.Errorf("upgrade %+v", u)
	}
	images := func() string {
		return strings.Join([]string{w.tag("api"), w.tag("events"), w.tag("webhook")}, " ")
	}
	if got := images(); got != "0.1.0 0.1.0 0.1.0" {
		t.Errorf("while the Job runs the images are %s", got)
	}
	if c := w.condition(v1alpha1.ConditionAvailable); c.Status != "True" {
		t.Errorf("it isn't available: %+v", c)
	}
	delete(w.held, "jobs")
	for _, c := range []struct{ service, images string }{
		{"api", "0.2.0 0.1.0 0.1.0"}, {"events", "0.2.0 0.2.0 0.1.0"}, {"webhook", "0.2.0 0.2.0 0.2.0"},
	} {
		w.until(c.service+" is replaced", func() bool { return w.tag(c.service) == "0.2.0" && w.ready(v1alpha1.ReasonRolloutRunning) })
		w.quiet()
		if got := images(); got != c.images {
			t.Errorf("while %s is replaced the images are %s", c.service, got)
		}
		if got := w.server().Status; got.Version != "0.1.0" || got.Schema.Version != 4 || got.Upgrade.Phase != v1alpha1.PhaseRollout {
			t.Errorf("while %s is replaced: %+v", c.service, got)
		}
		delete(w.held, "main-"+c.service)
	}
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
	if got := w.server().Status; got.Version != "0.2.0" || got.PreviousVersion != "0.1.0" || got.Upgrade != nil {
		t.Errorf("status %+v", got)
	}

	// A rollback to a version that works with the schema needs no Job; one to an older version is refused.
	jobs := w.job().Name
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.1.0" })
	w.until("0.1.0 serves again", func() bool { return w.ready(v1alpha1.ReasonServing) && w.server().Status.Version == "0.1.0" })
	if got := w.job(); got == nil || got.Name != jobs || w.tag("webhook") != "0.1.0" {
		t.Errorf("after going back there is Job %v", got)
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.0.9" })
	w.until("it is refused", func() bool {
		return w.ready(v1alpha1.ReasonDowngradeRefused) && w.condition("Stalled").Status == "True"
	})
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.3.0" })
	w.until("it is refused", func() bool { return w.ready(v1alpha1.ReasonVersionSkew) && w.condition("Stalled").Status == "True" })
	w.quiet()
	if got := images(); got != "0.1.0 0.1.0 0.1.0" {
		t.Errorf("after refusals the images are %s", got)
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.2.0" })
	w.until("0.2.0 serves again", func() bool { return w.ready(v1alpha1.ReasonServing) && w.server().Status.Version == "0.2.0" })
	if got := w.job().UID; w.job().Name != jobs || got == first.UID {
		t.Errorf("another Job ran: %s", w.job().Name)
	}
}

// tag returns the version of a service's Deployment.
func (w *world) tag(component string) string {
	w.t.Helper()
	image := w.deployment(component).Spec.Template.Spec.Containers[0].Image
	return image[strings.LastIndex(image, ":")+1:]
}

func TestAFailedMigrationLeavesPodsAlone(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.quiet()
	generations := []int64{w.deployment("api").Generation, w.deployment("events").Generation, w.deployment("webhook").Generation}
	w.held["jobs"] = true
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.2.0" })
	runs := func() {
		t.Helper()
		w.until("the Job runs", func() bool {
			upgrade, job := w.server().Status.Upgrade, w.job()
			return upgrade != nil && job != nil && upgrade.JobName == job.Name && len(job.Status.Conditions) == 0
		})
	}
	fails := func(why string) {
		t.Helper()
		runs()
		w.finish(w.job(), false, why)
		w.until("it says why", func() bool {
			c := w.condition(v1alpha1.ConditionStalled)
			return c.Reason == v1alpha1.ReasonMigrationFailed && strings.Contains(c.Message, why) && strings.Contains(c.Message, w.job().Name) &&
				strings.Contains(c.Message, ", or revert spec.version")
		})
	}
	runs()
	w.failOnce(w.job(), "the disk is slow")
	w.until("it says why the first attempt failed", func() bool {
		c := w.condition(v1alpha1.ConditionMigrationsApplied)
		return c.Reason == v1alpha1.ReasonMigrationFailed && strings.HasSuffix(c.Message, "attempt 1 of 3 failed: the disk is slow")
	})
	if c := w.condition(v1alpha1.ConditionStalled); c.Status == "True" {
		t.Errorf("it waits for nothing: %+v", c)
	}
	fails("the disk is full")
	if c := w.condition(v1alpha1.ConditionAvailable); c.Status != "True" {
		t.Errorf("it isn't available: %+v", c)
	}
	w.quiet()
	n := w.writes.count()
	time.Sleep(300 * time.Millisecond)
	if w.writes.count() != n {
		t.Errorf("the migration is retried repeatedly: %v", w.writes.since(n))
	}
	for i, component := range []string{"api", "events", "webhook"} {
		if got := w.deployment(component).Generation; got != generations[i] {
			t.Errorf("Deployment of %s was changed", component)
		}
	}

	old := w.job().UID
	w.change(func(s *v1alpha1.ChatServer) { s.Annotations = map[string]string{v1alpha1.AnnotationRetry: "1"} })
	w.until("there is another Job", func() bool { return w.anotherJob(old) })
	fails("still full")

	old = w.job().UID
	secret := &corev1.Secret{}
	w.get("db", secret)
	secret.Data["url"] = []byte("postgres://u:p@other.test/chat")
	if err := w.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	w.until("a new Secret brings another Job", func() bool { return w.anotherJob(old) })
	fails("and again")

	delete(w.held, "jobs") // the database at the other address has to have the logins, too
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.1.0" })
	w.until("it is still serving", func() bool { return w.ready(v1alpha1.ReasonServing) && w.server().Status.Upgrade == nil })
}

// A preflight has changed nothing, and nobody notices when the database can be reached.
func TestAPreflightIsRepeated(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Now())
	w := newWorldAt(t, clock)
	w.held["jobs"] = true
	w.create(w.minimal())
	w.until("the Job runs", func() bool { return w.job() != nil })
	first := w.job()
	w.finish(first, false, "")
	pod := &corev1.Pod{}
	w.get(first.Name+"-"+string(first.UID)[:5], pod)
	w.status(pod, func() {
		pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{
			Name: "preflight", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Message: "no database yet"}},
		}}
	})
	w.touch()
	w.until("it says why", func() bool {
		c := w.condition(v1alpha1.ConditionStalled)
		return c.Reason == v1alpha1.ReasonPreflightFailed && strings.Contains(c.Message, "no database yet; correct the cause; it is tried again every two minutes")
	})
	w.quiet()
	if w.job().UID != first.UID {
		t.Fatal("it is tried again at once")
	}
	clock.SetTime(time.Now().Add(3 * time.Minute))
	w.touch()
	w.until("there is another Job", func() bool { return w.anotherJob(first.UID) })
	delete(w.held, "jobs")
	w.until("it serves", func() bool { return w.ready(v1alpha1.ReasonServing) })
}

// After a backup was restored, the schema is older than the status says.
func TestAMigrationRunsAgainOnRequest(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.quiet()
	first, generation := w.job(), w.deployment("api").Generation
	w.change(func(s *v1alpha1.ChatServer) { s.Annotations = map[string]string{v1alpha1.AnnotationRetry: "restored"} })
	w.until("another Job has run", func() bool {
		job := w.job()
		return job != nil && job.UID != first.UID && job.Status.Succeeded > 0 && w.ready(v1alpha1.ReasonServing)
	})
	w.quiet()
	if got := w.deployment("api").Generation; got != generation {
		t.Error("pods were replaced")
	}
}

// The API server refuses an event with a longer text, and those about failures are the longest.
func TestALongFailureHasItsEvent(t *testing.T) {
	w := newWorld(t)
	w.held["jobs"] = true
	w.create(w.minimal())
	w.until("the Job runs", func() bool { return w.job() != nil })
	w.finish(w.job(), false, strings.Repeat("Maß und Zahl. ", 250))
	w.until("it says why", func() bool { return w.condition(v1alpha1.ConditionStalled).Reason == v1alpha1.ReasonMigrationFailed })
	w.until("there is an event", func() bool { return w.reasons()[v1alpha1.ReasonMigrationFailed] > 0 })
}

// A network policy may be why a migration fails, and a route is removed for a reason.
func TestPoliciesAndRoutesGoWhileAMigrationIsStuck(t *testing.T) {
	w := newWorld(t)
	server := w.minimal()
	server.Spec.NetworkPolicy = v1alpha1.Enabled
	server.Spec.Cache = v1alpha1.Cache{Mode: v1alpha1.CacheEphemeral}
	server.Spec.Exposure = &v1alpha1.Exposure{Ingress: &v1alpha1.IngressExposure{}}
	w.install(server)
	policies := func() (names []string) {
		list := &networkingv1.NetworkPolicyList{}
		if err := w.List(t.Context(), list, client.InNamespace(w.namespace)); err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			names = append(names, list.Items[i].Name)
		}
		return names
	}
	if got := policies(); len(got) != 5 || !w.exists("main", &networkingv1.Ingress{}) {
		t.Fatalf("there are policies %v", got)
	}
	w.held["jobs"] = true
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.2.0" })
	w.until("the Job runs", func() bool { return w.ready(v1alpha1.ReasonMigrationRunning) })
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.NetworkPolicy, s.Spec.Exposure = v1alpha1.Disabled, nil })
	w.until("the policies are gone", func() bool { return len(policies()) == 0 })
	w.until("the route is gone", func() bool { return !w.exists("main", &networkingv1.Ingress{}) })
	if !w.ready(v1alpha1.ReasonMigrationRunning) {
		t.Error("the migration is done")
	}
}

// A condition has the generation that was observed. A pass that ends early hasn't observed the later conditions.
func TestConditionsAreOfTheGenerationThatWasLookedAt(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	before := w.server().Generation
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.9.0" })
	w.until("the version is refused", func() bool { return w.ready(v1alpha1.ReasonVersionSkew) })
	server := w.server()
	for condition, generation := range map[string]int64{
		v1alpha1.ConditionReady: server.Generation, v1alpha1.ConditionStalled: server.Generation, v1alpha1.ConditionAvailable: server.Generation,
		v1alpha1.ConditionMigrationsApplied: server.Generation,
		v1alpha1.ConditionRolledOut:         before, v1alpha1.ConditionDependenciesReady: before, v1alpha1.ConditionTLSReady: before, v1alpha1.ConditionExposureReady: before,
	} {
		if got := w.condition(condition); got.ObservedGeneration != generation {
			t.Errorf("%s=%s is of generation %d; want %d", condition, got.Status, got.ObservedGeneration, generation)
		}
	}
	if server.Status.ObservedGeneration != server.Generation || server.Generation == before {
		t.Errorf("the status is of generation %d of %d", server.Status.ObservedGeneration, server.Generation)
	}
}
