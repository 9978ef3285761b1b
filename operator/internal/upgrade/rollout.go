package upgrade

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// Progress is how far the pods of a Deployment are replaced.
type Progress string

// How far the pods of a Deployment are replaced.
const (
	Running Progress = "Running"
	Done    Progress = "Done"    // all pods are of the new kind, and were ready
	TooSlow Progress = "TooSlow" // the deadline has passed; they may become ready all the same
)

// newReplicaSetAvailable and progressDeadlineExceeded are reasons of a Deployment's condition Progressing.
const (
	newReplicaSetAvailable   = "NewReplicaSetAvailable"
	progressDeadlineExceeded = "ProgressDeadlineExceeded"
)

// Rollout reports how far a Deployment is. settled says that it was done before and that nothing was written
// since: then a pod that fails, or another number of pods, which an autoscaler wants, is no rollout.
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

// Trouble is why a pod doesn't get on.
type Trouble struct {
	Text string // names the pod and says why
	Pull bool   // an image can't be had
}

// Find looks for why pods don't get on, as scheduler and kubelet tell it. false: they don't.
func Find(pods []corev1.Pod) (Trouble, bool) {
	for i := range pods {
		pod := &pods[i]
		for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
			waiting := status.State.Waiting
			if waiting == nil || waiting.Reason == "PodInitializing" || waiting.Reason == "ContainerCreating" {
				continue
			}
			text := fmt.Sprintf("pod %s, container %s: %s: %s", pod.Name, status.Name, waiting.Reason, waiting.Message)
			if last := status.LastTerminationState.Terminated; last != nil && last.Message != "" {
				text += ": " + lastLine(last.Message)
			}
			return Trouble{text, pullFails(waiting.Reason)}, true
		}
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
				return Trouble{Text: fmt.Sprintf("pod %s: %s: %s", pod.Name, condition.Reason, condition.Message)}, true
			}
		}
	}
	return Trouble{}, false
}

// lastLine is the last line of what a container said, which is its error; before it there may be its log.
func lastLine(said string) string {
	said = strings.TrimSpace(said)
	return said[strings.LastIndexByte(said, '\n')+1:]
}

// pullFails reports whether a container waits for an image that can't be had.
func pullFails(reason string) bool {
	return slices.Contains([]string{"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable"}, reason)
}
