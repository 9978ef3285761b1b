package upgrade

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// Progress is the progress of a rollout.
type Progress string

// Progress of a rollout.
const (
	Running Progress = "Running"
	Done    Progress = "Done"    // all pods are updated, and have been ready
	TooSlow Progress = "TooSlow" // the deadline has passed; pods may still become ready
)

// newReplicaSetAvailable and progressDeadlineExceeded are reasons of a Deployment's condition Progressing.
const (
	newReplicaSetAvailable   = "NewReplicaSetAvailable"
	progressDeadlineExceeded = "ProgressDeadlineExceeded"
)

// Rollout returns the progress of a Deployment. settled means that the rollout was done before and the Deployment
// hasn't been changed since. Then neither a failing pod nor a change by an autoscaler counts as a rollout.
func Rollout(deployment *appsv1.Deployment, settled bool) Progress {
	reason := ""
	for _, condition := range deployment.Status.Conditions {
		if condition.Type == appsv1.DeploymentProgressing {
			reason = condition.Reason
		}
	}
	status := deployment.Status
	seen := status.ObservedGeneration >= deployment.Generation
	switch {
	case seen && reason == progressDeadlineExceeded:
		return TooSlow
	case reason != newReplicaSetAvailable:
		return Running
	case settled:
		return Done
	case !seen, status.Replicas != status.UpdatedReplicas, status.AvailableReplicas < ptr.Deref(deployment.Spec.Replicas, 1):
		return Running
	}
	return Done
}

// FailedCreate is the reason of events about pods that can't be created.
const FailedCreate = "FailedCreate"

// Uncreated returns why no pods can be created for a Deployment, for instance because a ResourceQuota is used up, as the end
// of a sentence; empty: they can.
func Uncreated(deployment *appsv1.Deployment) string {
	for _, condition := range deployment.Status.Conditions {
		if condition.Type == appsv1.DeploymentReplicaFailure && condition.Status == corev1.ConditionTrue {
			return ": " + condition.Message
		}
	}
	return ""
}

// Trouble is the reason why a pod is blocked.
type Trouble struct {
	Text string // names the pod and the reason
	Pull bool   // an image can't be pulled
}

// Find returns why a pod is blocked, as reported by scheduler or kubelet. false: no pod is blocked.
func Find(pods []corev1.Pod) (Trouble, bool) {
	for i := range pods {
		pod := &pods[i]
		for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
			if text, pull := blocked(&status); text != "" {
				return Trouble{fmt.Sprintf("pod %s, container %s: %s", pod.Name, status.Name, text), pull}, true
			}
		}
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
				return Trouble{Text: fmt.Sprintf("pod %s: %s: %s", pod.Name, condition.Reason, condition.Message)}, true
			}
		}
	}
	return Trouble{}, false
}

// FindUnready returns a pod that runs, but isn't ready. false: there is none. For some time after its start that is normal.
func FindUnready(pods []corev1.Pod) (Trouble, bool) {
	for i := range pods {
		pod := &pods[i]
		for _, status := range pod.Status.ContainerStatuses {
			if pod.DeletionTimestamp == nil && status.State.Running != nil && !status.Ready {
				return Trouble{Text: fmt.Sprintf("pod %s, container %s runs, but isn't ready: its log and the events of the pod say why", pod.Name, status.Name)}, true
			}
		}
	}
	return Trouble{}, false
}

// blocked returns why a container can't start, or why it has failed since it was last ready; empty: neither. pull is true if its image
// can't be pulled.
func blocked(status *corev1.ContainerStatus) (text string, pull bool) {
	waiting, last := status.State.Waiting, status.LastTerminationState.Terminated
	switch {
	case waiting != nil && waiting.Reason != "PodInitializing" && waiting.Reason != "ContainerCreating":
		text, pull = waiting.Reason+": "+waiting.Message, pullFails(waiting.Reason)
	case status.State.Running != nil && !status.Ready && last != nil && last.ExitCode != 0: // it fails each time, some seconds after its start
		text = cmp.Or(last.Reason, "Error") + ", and was started again"
	default:
		return "", false
	}
	if last != nil && last.Message != "" {
		text += ": " + lastLine(last.Message)
	}
	return text, pull
}

// lastLine returns the last line of a container's message, which is its error; the lines before may be its log.
func lastLine(message string) string {
	message = strings.TrimSpace(message)
	return message[strings.LastIndexByte(message, '\n')+1:]
}

// pullFails reports whether a container waits for an image that can't be pulled.
func pullFails(reason string) bool {
	return slices.Contains([]string{"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable"}, reason)
}
