package upgrade_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/upgrade"
)

func TestNext(t *testing.T) {
	for _, c := range []struct {
		name    string
		attempt string
		job     upgrade.Job
		want    upgrade.Action
	}{
		{"there is none", "x", upgrade.Job{}, upgrade.StartJob},
		{"it runs", "x", upgrade.Job{Exists: true, Attempt: "x"}, upgrade.AwaitJob},
		{"it isn't interrupted", "y", upgrade.Job{Exists: true, Running: true, Attempt: "x"}, upgrade.AwaitJob},
		{"one that can't start is replaced by a change", "y", upgrade.Job{Exists: true, Attempt: "x"}, upgrade.ReplaceJob},
		{"a failed one stays so", "x", upgrade.Job{Exists: true, Failed: true, Attempt: "x"}, upgrade.GiveUp},
		{"a failed one is replaced by a change", "y", upgrade.Job{Exists: true, Failed: true, Attempt: "x"}, upgrade.ReplaceJob},
		{"a finished one counts whatever changes", "y", upgrade.Job{Exists: true, Complete: true, Attempt: "x"}, upgrade.TakeSchema},
	} {
		if got := upgrade.Next(c.attempt, c.job); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestVersions(t *testing.T) {
	fresh := v1alpha1.ChatServerStatus{}
	serves := v1alpha1.ChatServerStatus{
		Version: "1.4.2",
		Schema:  &v1alpha1.SchemaStatus{Version: 7, MinServerVersion: "1.3.0", ServerVersion: "1.4.2", Migration: "sum of 1.4.2"},
	}
	back := *serves.DeepCopy() // it has gone back after an upgrade
	back.Version = "1.3.5"
	for _, c := range []struct {
		name               string
		version, migration string
		status             v1alpha1.ChatServerStatus
		refused            string
		migrates           bool
	}{
		{"the first version", "1.4.2", "a", fresh, "", true},
		{"any version can be the first", "9.9.9", "a", fresh, "", true},
		{"what serves", "1.4.2", "sum of 1.4.2", serves, "", false},
		{"another image of the version", "1.4.2", "another", serves, "", true},
		{"a patch", "1.4.3", "a", serves, "", true},
		{"the next minor version", "1.5.9", "a", serves, "", true},
		{"a skipped minor version", "1.6.0", "a", serves, v1alpha1.ReasonVersionSkew, true},
		{"the next major version", "2.0.1", "a", serves, "", true},
		{"a skipped major version", "3.0.0", "a", serves, v1alpha1.ReasonVersionSkew, true},
		{"a later minor version of the next major one", "2.1.0", "a", serves, v1alpha1.ReasonVersionSkew, true},
		{"back to the floor", "1.3.0", "a", serves, "", false},
		{"back below the floor", "1.2.9", "a", serves, v1alpha1.ReasonDowngradeRefused, false},
		{"back to a version before the floor's release", "1.3.0-rc.1", "a", serves, v1alpha1.ReasonDowngradeRefused, false},
		{"ten is more than nine", "1.10.0", "a", serves, v1alpha1.ReasonVersionSkew, true},
		{"forward again after going back", "1.4.2", "sum of 1.4.2", back, "", false},
		{"too far forward after going back", "1.5.0", "a", back, v1alpha1.ReasonVersionSkew, true},
	} {
		reason, err := upgrade.Check(c.version, c.status)
		if reason != c.refused || (err != nil) != (c.refused != "") {
			t.Errorf("%s: %s, %v; want %q", c.name, reason, err, c.refused)
		}
		if got := upgrade.NeedsMigration(c.version, c.migration, c.status); got != c.migrates {
			t.Errorf("%s: it migrates: %t", c.name, got)
		}
	}
	if _, err := upgrade.Check("1.6.0", serves); err == nil || !strings.Contains(err.Error(), "1.5") {
		t.Errorf("the next step isn't named: %v", err)
	}
}

func TestRollout(t *testing.T) {
	deployment := func(generation, observed int64, reason string, updated, total, available int32) *appsv1.Deployment {
		return &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Generation: generation},
			Spec:       appsv1.DeploymentSpec{Replicas: ptr.To[int32](2)},
			Status: appsv1.DeploymentStatus{
				ObservedGeneration: observed, Replicas: total, UpdatedReplicas: updated, AvailableReplicas: available,
				Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Reason: reason}},
			},
		}
	}
	const done, running, late = "NewReplicaSetAvailable", "ReplicaSetUpdated", "ProgressDeadlineExceeded"
	for _, c := range []struct {
		name       string
		deployment *appsv1.Deployment
		settled    bool
		want       upgrade.Progress
	}{
		{"nobody has looked yet", &appsv1.Deployment{}, false, upgrade.Running},
		{"all are new and ready", deployment(2, 2, done, 2, 2, 2), false, upgrade.Done},
		{"the change isn't seen yet", deployment(3, 2, done, 2, 2, 2), false, upgrade.Running},
		{"an old pod is left", deployment(2, 2, done, 2, 3, 3), false, upgrade.Running},
		{"one isn't ready", deployment(2, 2, done, 2, 2, 1), false, upgrade.Running},
		{"pods are being replaced", deployment(2, 2, running, 1, 3, 2), false, upgrade.Running},
		{"pods are being replaced, by somebody else", deployment(2, 2, running, 1, 3, 2), true, upgrade.Running},
		{"too late", deployment(2, 2, late, 1, 3, 2), false, upgrade.TooSlow},
		{"too late, before the change", deployment(3, 2, late, 1, 3, 2), false, upgrade.Running},
		{"a pod failed after it was done", deployment(2, 2, done, 2, 2, 1), true, upgrade.Done},
		{"the autoscaler wants more", deployment(3, 2, done, 2, 2, 2), true, upgrade.Done},
	} {
		if got := upgrade.Rollout(c.deployment, c.settled); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestFind(t *testing.T) {
	waiting := func(name, reason, message, last string) corev1.Pod {
		status := corev1.ContainerStatus{Name: "api", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}
		if last != "" {
			status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{Message: last}
		}
		return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{status}}}
	}
	restarted := func(ready bool, code int32) corev1.Pod {
		return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: "api", Ready: ready, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: "Error", Message: "no database"}},
		}}}}
	}
	unscheduled := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Status: corev1.PodStatus{Conditions: []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/1 nodes"},
	}}}
	for _, c := range []struct {
		name  string
		pods  []corev1.Pod
		words string
		pull  bool
		found bool
	}{
		{"none", nil, "", false, false},
		{"on its way", []corev1.Pod{waiting("a", "ContainerCreating", "", "")}, "", false, false},
		{"no image", []corev1.Pod{waiting("a", "ContainerCreating", "", ""), waiting("b", "ErrImagePull", "not found", "")}, "pod b, container api: ErrImagePull: not found", true, true},
		{"a crash", []corev1.Pod{waiting("a", "CrashLoopBackOff", "back-off", "{\"msg\":\"starting\"}\nno database\n")}, "back-off: no database", false, true},
		{"a start after a crash", []corev1.Pod{restarted(false, 1)}, "pod a, container api: Error, and was started again: no database", false, true},
		{"a crash long ago", []corev1.Pod{restarted(true, 1)}, "", false, false},
		{"a start after an end", []corev1.Pod{restarted(false, 0)}, "", false, false},
		{"no node", []corev1.Pod{unscheduled}, "pod p: Unschedulable: 0/1 nodes", false, true},
	} {
		got, found := upgrade.Find(c.pods)
		if found != c.found || got.Pull != c.pull || !strings.Contains(got.Text, c.words) {
			t.Errorf("%s: %+v, %v", c.name, got, found)
		}
	}
	terminating := restarted(false, 0)
	terminating.DeletionTimestamp = new(metav1.Now())
	got, found := upgrade.FindUnready([]corev1.Pod{restarted(true, 0), terminating, restarted(false, 0)})
	if !found || !strings.HasPrefix(got.Text, "pod a, container api runs, but isn't ready") {
		t.Errorf("unready: %+v, %v", got, found)
	}
	if got, found := upgrade.FindUnready([]corev1.Pod{restarted(true, 0), terminating, unscheduled}); found {
		t.Errorf("all are ready: %+v", got)
	}
}

func ended(name string, code int32, message string) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Message: message}}}
}

func TestFailure(t *testing.T) {
	job := &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{
		{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue}, {Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Message: "too late"},
	}}}
	pod := func(second int64, initial, main corev1.ContainerStatus) corev1.Pod {
		return corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Unix(second, 0)},
			Status:     corev1.PodStatus{InitContainerStatuses: []corev1.ContainerStatus{initial}, ContainerStatuses: []corev1.ContainerStatus{main}},
		}
	}
	for _, c := range []struct {
		name            string
		pods            []corev1.Pod
		reason, message string
	}{
		{"its pods are gone", nil, v1alpha1.ReasonMigrationFailed, "too late"},
		{"the check failed", []corev1.Pod{pod(1, ended("preflight", 1, "no database\n"), corev1.ContainerStatus{Name: "migrate"})}, v1alpha1.ReasonPreflightFailed, "no database"},
		{"the newest counts", []corev1.Pod{
			pod(1, ended("preflight", 1, "no database"), corev1.ContainerStatus{}), pod(2, ended("preflight", 0, ""), ended("migrate", 1, "disk full")),
		}, v1alpha1.ReasonMigrationFailed, "disk full"},
	} {
		if reason, message := upgrade.Failure(job, c.pods); reason != c.reason || message != c.message {
			t.Errorf("%s: %s, %q", c.name, reason, message)
		}
	}
	if state := upgrade.Look(job); !state.Failed || state.Complete || state.Running || !state.Exists {
		t.Errorf("the Job is %+v", state)
	}
}

func TestReadReport(t *testing.T) {
	for _, c := range []struct {
		name   string
		status corev1.ContainerStatus
		ok     bool
	}{
		{"a report", ended("migrate", 0, `{"schema":3,"min_server_version":"0.1.0"}`), true},
		{"none", ended("migrate", 0, ""), false},
		{"a failure", ended("migrate", 1, `{"schema":3,"min_server_version":"0.1.0"}`), false},
		{"half of one", ended("migrate", 0, `{"schema":3}`), false},
	} {
		report, ok := upgrade.ReadReport([]corev1.Pod{{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{c.status}}}})
		if ok != c.ok || ok && (report.Schema != 3 || report.MinServerVersion != "0.1.0") {
			t.Errorf("%s: %+v, %v", c.name, report, ok)
		}
	}
}
