package chatserver_test

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/upgrade"
)

// playing calls play at once. The returned tick calls it whenever the operator has made changes, and reports whether it
// did. It also calls it at intervals, because of changes by the test.
func (w *world) playing() (tick func() bool) {
	seen, ticks := -1, 0
	return func() bool {
		w.t.Helper()
		n, due := w.writes.answered(), ticks%10 == 0
		ticks++
		if n == seen && !due {
			return false
		}
		seen = n
		w.play()
		return true
	}
}

// until waits for a condition, and plays Kubernetes meanwhile. It checks the condition only after possible changes,
// since each check is a request to the API server.
func (w *world) until(what string, got func() bool) {
	w.t.Helper()
	tick := w.playing()
	for deadline := time.Now().Add(patience); ; time.Sleep(30 * time.Millisecond) {
		if tick() && got() {
			return
		}
		if time.Now().After(deadline) {
			text := &strings.Builder{}
			for _, c := range w.server().Status.Conditions {
				fmt.Fprintf(text, "\n%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message)
			}
			w.t.Fatalf("timeout: %s; upgrade: %+v; conditions:%s", what, w.server().Status.Upgrade, text)
		}
	}
}

// quiet waits until the operator has made no changes for some time.
func (w *world) quiet() {
	w.t.Helper()
	tick := w.playing()
	for last, since := -1, time.Now(); time.Since(since) < 600*time.Millisecond; time.Sleep(30 * time.Millisecond) {
		tick()
		if n := w.writes.count(); n != last {
			last, since = n, time.Now()
		}
	}
}

// play acts as the Deployment, StatefulSet and Job controllers and kubelets, except for held objects.
func (w *world) play() {
	w.t.Helper()
	deployments, sets, jobs := &appsv1.DeploymentList{}, &appsv1.StatefulSetList{}, &batchv1.JobList{}
	for _, list := range []client.ObjectList{deployments, sets, jobs} {
		if err := w.List(w.t.Context(), list, client.InNamespace(w.namespace)); err != nil {
			w.t.Fatal(err)
		}
	}
	for i := range deployments.Items {
		if d := &deployments.Items[i]; !w.held[d.Name] {
			w.rollOut(d)
		}
	}
	for i := range sets.Items {
		if s := &sets.Items[i]; !w.held[s.Name] {
			w.status(s, func() {
				n := ptr.Deref(s.Spec.Replicas, 1)
				s.Status = appsv1.StatefulSetStatus{ObservedGeneration: s.Generation, Replicas: n, ReadyReplicas: n}
			})
		}
	}
	for i := range jobs.Items {
		if j := &jobs.Items[i]; !w.held[j.Name] && !w.held["jobs"] && len(j.Status.Conditions) == 0 && j.DeletionTimestamp == nil {
			w.finish(j, true, w.schema)
		}
	}
}

func (w *world) status(object client.Object, how func()) {
	w.t.Helper()
	before, _ := object.DeepCopyObject().(client.Object)
	how()
	patch := client.MergeFrom(before)
	if data, err := patch.Data(object); err != nil || string(data) == "{}" {
		return
	}
	if err := w.Status().Patch(w.t.Context(), object, patch); client.IgnoreNotFound(err) != nil {
		w.t.Fatal(err)
	}
}

// rollOut sets the status of a Deployment to all pods replaced and ready.
func (w *world) rollOut(d *appsv1.Deployment) {
	w.t.Helper()
	w.status(d, func() {
		n := ptr.Deref(d.Spec.Replicas, 1)
		d.Status.ObservedGeneration = d.Generation
		d.Status.Replicas, d.Status.UpdatedReplicas, d.Status.ReadyReplicas, d.Status.AvailableReplicas = n, n, n, n
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"}}
	})
}

// stuck sets the status of a Deployment to a missed deadline.
func (w *world) stuck(name string) {
	w.t.Helper()
	d := &appsv1.Deployment{}
	w.get(name, d)
	w.status(d, func() {
		d.Status.ObservedGeneration = d.Generation
		d.Status.UpdatedReplicas = 0
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded"}}
	})
}

// podLabels are the labels that select the pods of a component.
func podLabels(component string) map[string]string {
	return map[string]string{v1alpha1.LabelName: v1alpha1.Product, v1alpha1.LabelInstance: "main", v1alpha1.LabelComponent: component}
}

// pod creates a pod with the status of its first container.
func (w *world) pod(name string, labels map[string]string, status corev1.ContainerStatus) {
	w.t.Helper()
	pod := &corev1.Pod{ObjectMeta: w.meta(name), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: status.Name, Image: "x"}}}}
	pod.Labels = labels
	if w.exists(name, &corev1.Pod{}) {
		return
	}
	w.create(pod)
	w.status(pod, func() { pod.Status.ContainerStatuses = []corev1.ContainerStatus{status} })
}

// podOf sets the phase of a Job's pod, and creates the pod if there is none.
func (w *world) podOf(job *batchv1.Job, phase corev1.PodPhase, state corev1.ContainerState) {
	w.t.Helper()
	name := job.Name + "-" + string(job.UID)[:5]
	w.pod(name, map[string]string{batchv1.JobNameLabel: job.Name, batchv1.ControllerUidLabel: string(job.UID)}, corev1.ContainerStatus{Name: "migrate"})
	pod := &corev1.Pod{}
	w.get(name, pod)
	w.status(pod, func() {
		pod.Status.Phase = phase
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "migrate", State: state}}
	})
}

// failOnce has the first pod of a Job fail with a termination message. The Job goes on.
func (w *world) failOnce(job *batchv1.Job, says string) {
	w.t.Helper()
	w.podOf(job, corev1.PodFailed, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Message: says}})
	w.status(job, func() { job.Status.Failed = 1 })
}

// finish ends a Job, whose pod has a termination message.
func (w *world) finish(job *batchv1.Job, well bool, says string) {
	w.t.Helper()
	phase, code := corev1.PodSucceeded, int32(0)
	if !well {
		phase, code = corev1.PodFailed, 1
	}
	w.podOf(job, phase, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Message: says}})
	w.status(job, func() {
		now := metav1.Now()
		job.Status.StartTime = &now
		if well {
			job.Status.Succeeded, job.Status.CompletionTime = 1, &now
			job.Status.Conditions = []batchv1.JobCondition{
				{Type: batchv1.JobSuccessCriteriaMet, Status: corev1.ConditionTrue}, {Type: batchv1.JobComplete, Status: corev1.ConditionTrue},
			}
			return
		}
		job.Status.Failed = 1
		job.Status.Conditions = []batchv1.JobCondition{
			{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue},
			{
				Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded", Message: "Job has reached the specified backoff limit",
				LastTransitionTime: now,
			},
		}
	})
}

// anotherJob reports whether there is a Job other than the one with this UID.
func (w *world) anotherJob(than types.UID) bool {
	w.t.Helper()
	job := w.job()
	return job != nil && job.UID != than
}

// job returns the Job of the latest version, and of several the latest one; nil: there is none.
func (w *world) job() *batchv1.Job {
	w.t.Helper()
	jobs := &batchv1.JobList{}
	if err := w.List(w.t.Context(), jobs, client.InNamespace(w.namespace)); err != nil {
		w.t.Fatal(err)
	}
	latest := (*batchv1.Job)(nil)
	for i := range jobs.Items {
		job := &jobs.Items[i]
		if job.DeletionTimestamp == nil && (latest == nil || cmp.Or(
			cmp.Compare(job.Annotations[upgrade.AnnotationVersion], latest.Annotations[upgrade.AnnotationVersion]),
			job.CreationTimestamp.Compare(latest.CreationTimestamp.Time)) > 0) {
			latest = job
		}
	}
	return latest
}

func (w *world) deployment(component string) *appsv1.Deployment {
	w.t.Helper()
	d := &appsv1.Deployment{}
	w.get("main-"+component, d)
	return d
}
