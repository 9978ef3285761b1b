package chatserver_test

import (
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"chatserver.dev/operator/api/v1alpha1"
)

func TestASpecThatIsSetBackDuringAnUpgrade(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.held["main-events"] = true
	w.schema = `{"schema":4,"min_server_version":"0.1.0"}`
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.2.0" })
	w.until("events is replaced", func() bool { return w.tag("events") == "0.2.0" })
	w.stuck("main-events")
	w.pod("events-new", podLabels("events"), corev1.ContainerStatus{
		Name: "events", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"}},
	})
	w.until("it says why", func() bool {
		c := w.condition(v1alpha1.ConditionStalled)
		return c.Reason == v1alpha1.ReasonImagePullFailed && strings.Contains(c.Message, "events-new") && strings.Contains(c.Message, "no such image")
	})
	if w.tag("webhook") != "0.1.0" {
		t.Error("webhook was replaced")
	}
	delete(w.held, "main-events")
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.1.0" })
	w.until("0.1.0 serves", func() bool {
		return w.ready(v1alpha1.ReasonServing) && w.tag("api") == "0.1.0" && w.tag("events") == "0.1.0"
	})
	if got := w.server().Status; got.Upgrade != nil || got.Version != "0.1.0" || got.Schema.ServerVersion != "0.2.0" {
		t.Errorf("status %+v", got)
	}
}

func TestAMigrationAtWorkIsLetFinish(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.held["jobs"] = true
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.2.0" })
	w.until("the Job runs", func() bool {
		job, upgrade := w.job(), w.server().Status.Upgrade
		return job != nil && upgrade != nil && upgrade.JobName == job.Name && job.Annotations["chatserver.dev/version"] == "0.2.0"
	})
	job := w.job()
	w.podOf(job, corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})
	w.status(job, func() { job.Status.Active, job.Status.Ready = 1, ptr.To[int32](1) })
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.1.0" })
	w.until("it is still serving", func() bool { return w.ready(v1alpha1.ReasonServing) })
	w.quiet()
	if got := w.job(); got == nil || got.UID != job.UID {
		t.Fatal("the running Job was deleted")
	}
	job = w.job()
	w.status(job, func() { job.Status.Active, job.Status.Ready = 0, ptr.To[int32](0) })
	w.quiet()
	w.finish(job, true, `{"schema":4,"min_server_version":"0.1.0"}`)
	w.until("its schema counts", func() bool {
		return w.server().Status.Schema.Version == 4 && w.server().Status.Schema.ServerVersion == "0.2.0"
	})
}

// A second migration would wait for the lock of the first one in vain, and fail for good.
func TestAMigrationStartsAfterTheOneAtWork(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.held["jobs"] = true
	runs := func(version string) *batchv1.Job {
		t.Helper()
		w.until("the Job of "+version+" runs", func() bool {
			upgrade, job := w.server().Status.Upgrade, w.job()
			return job != nil && job.Annotations["chatserver.dev/version"] == version && upgrade != nil && upgrade.JobName == job.Name
		})
		return w.job()
	}
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.2.0" })
	first := runs("0.2.0")
	w.podOf(first, corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{}})
	w.status(first, func() { first.Status.Active, first.Status.Ready = 1, ptr.To[int32](1) })
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.2.1" })
	w.until("it says what it waits for", func() bool {
		c := w.condition(v1alpha1.ConditionMigrationsApplied)
		return c.Reason == v1alpha1.ReasonMigrationRunning && strings.HasPrefix(c.Message, "Job "+first.Name+" is still migrating")
	})
	w.quiet()
	if got := w.job(); got.UID != first.UID {
		t.Fatalf("Job %s was started as well", got.Name)
	}
	first = w.job()
	w.status(first, func() { first.Status.Active, first.Status.Ready = 0, ptr.To[int32](0) })
	w.finish(first, true, `{"schema":4,"min_server_version":"0.1.0"}`)
	w.finish(runs("0.2.1"), true, `{"schema":5,"min_server_version":"0.1.0"}`)
	w.until("0.2.1 serves", func() bool { return w.ready(v1alpha1.ReasonServing) && w.server().Status.Version == "0.2.1" })
}

// A Job whose pod can't start is deleted when the version changes. Otherwise it would retry for the maximum time of a
// migration.
func TestAMigrationThatNeverBeganGoesWithItsVersion(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.held["jobs"] = true
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.2.0" })
	w.until("there is a Job", func() bool {
		job := w.job()
		return job != nil && job.Annotations["chatserver.dev/version"] == "0.2.0"
	})
	job := w.job()
	w.podOf(job, corev1.PodPending, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"}})
	w.touch()
	w.until("it says so", func() bool { return w.ready(v1alpha1.ReasonImagePullFailed) })
	w.change(func(s *v1alpha1.ChatServer) { s.Spec.Version = "0.1.0" })
	w.until("it is still serving, and the Job is gone", func() bool {
		return w.ready(v1alpha1.ReasonServing) && (w.job() == nil || w.job().Annotations["chatserver.dev/version"] == "0.1.0")
	})
}

// A Job whose first attempt failed is deleted when the Secret that it was created for changes. Otherwise its second attempt
// would read the new Secret, and its success would count for the old one, when that comes back.
func TestAMigrationThatTriesAgainGoesWithItsSecret(t *testing.T) {
	w := newWorld(t)
	w.install(w.minimal())
	w.held["jobs"] = true
	change := func(url string) {
		t.Helper()
		secret := &corev1.Secret{}
		w.get("db", secret)
		secret.Data["url"] = []byte(url)
		if err := w.Update(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
	}
	runs := func() *batchv1.Job {
		t.Helper()
		job := &batchv1.Job{}
		w.until("a Job of the Secret runs", func() bool {
			upgrade := w.server().Status.Upgrade
			return upgrade != nil && w.exists(upgrade.JobName, job) && len(job.Status.Conditions) == 0
		})
		return job
	}
	change("postgres://u:wrong@db.test/chat")
	old := runs()
	w.failOnce(old, "password authentication failed")
	w.until("it says so", func() bool {
		return w.condition(v1alpha1.ConditionMigrationsApplied).Reason == v1alpha1.ReasonMigrationFailed
	})
	change("postgres://u:right@db.test/chat")
	w.until("the Job is deleted", func() bool { return !w.exists(old.Name, old) || old.DeletionTimestamp != nil })
	if job := runs(); job.Name == old.Name {
		t.Errorf("Job %s is of both Secrets", job.Name)
	}
}
