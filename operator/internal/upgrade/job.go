package upgrade

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"chatserver.dev/operator/api/v1alpha1"
)

// Annotations on a Job of a migration.
const (
	AnnotationAttempt   = v1alpha1.Group + "/attempt"   // the hash of everything that the Job depends on
	AnnotationVersion   = v1alpha1.Group + "/version"   // of chatserver
	AnnotationMigration = v1alpha1.Group + "/migration" // the hash in its name
	AnnotationLogins    = v1alpha1.Group + "/logins"    // the Secret with the logins that it creates
)

// preflight is the init container of the Job, which changes nothing.
const preflight = "preflight"

// Look returns the state of a Job; nil: there is none.
func Look(job *batchv1.Job) Job {
	if job == nil {
		return Job{}
	}
	state := Job{Exists: true, Attempt: job.Annotations[AnnotationAttempt]}
	for _, condition := range job.Status.Conditions {
		if condition.Status != corev1.ConditionTrue {
			continue
		}
		state.Complete = state.Complete || condition.Type == batchv1.JobComplete
		state.Failed = state.Failed || condition.Type == batchv1.JobFailed
	}
	state.Running = !state.Complete && !state.Failed && job.Status.Ready != nil && *job.Status.Ready > 0
	return state
}

// FailedAt returns when a Job failed; zero: it hasn't.
func FailedAt(job *batchv1.Job) time.Time {
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobFailed {
			return condition.LastTransitionTime.Time
		}
	}
	return time.Time{}
}

// Report is the report of a completed migration.
type Report struct {
	Schema           int64  `json:"schema"`
	MinServerVersion string `json:"min_server_version"`
}

// ReadReport returns the report of a completed Job from its pods. false: they are gone.
func ReadReport(pods []corev1.Pod) (Report, bool) {
	for i := range pods {
		for _, status := range pods[i].Status.ContainerStatuses {
			ended := status.State.Terminated
			if ended == nil || ended.ExitCode != 0 {
				continue
			}
			report := Report{}
			if err := json.Unmarshal([]byte(ended.Message), &report); err == nil && report.MinServerVersion != "" {
				return report, true
			}
		}
	}
	return Report{}, false
}

// Failure returns why a Job failed: the reason for the condition, and the message of the container. An empty message means
// that the pods are gone.
func Failure(job *batchv1.Job, pods []corev1.Pod) (reason, message string) {
	newest := slices.SortedFunc(slices.Values(pods), func(a, b corev1.Pod) int {
		return b.CreationTimestamp.Compare(a.CreationTimestamp.Time)
	})
	for i := range newest {
		for _, status := range slices.Concat(newest[i].Status.InitContainerStatuses, newest[i].Status.ContainerStatuses) {
			ended := status.State.Terminated
			if ended == nil || ended.ExitCode == 0 {
				continue
			}
			if status.Name == preflight {
				return v1alpha1.ReasonPreflightFailed, strings.TrimSpace(ended.Message)
			}
			return v1alpha1.ReasonMigrationFailed, strings.TrimSpace(ended.Message)
		}
	}
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobFailed {
			return v1alpha1.ReasonMigrationFailed, condition.Message
		}
	}
	return v1alpha1.ReasonMigrationFailed, ""
}
