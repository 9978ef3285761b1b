package upgrade

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// Progress is how far the pods of a Deployment are replaced.
type Progress string

// How far the pods of a Deployment are replaced.
const (
	Running Progress = "Running"
	Done    Progress = "Done"   // all pods are of the new kind, and were ready
	TooSlow Progress = "TooSlow" // the deadline has passed; they may become ready all the same
)

// newReplicaSetAvailable and progressDeadlineExceeded are reasons of a Deployment's condition Progressing.
const (
	newReplicaSetAvailable   = "NewReplicaSetAvailable"
	progressDeadlineExceeded = "ProgressDeadlineExceeded"
)

// Rollout tells how far a Deployment is. A pod that fails after all were ready doesn't take it back: that
// is what Available is about. settled says that it was done before and that nothing was written since: then
// another number of pods, which an autoscaler wants, is no rollout.
func Rollout(deployment *appsv1.Deployment, settled bool) Progress {
	if deployment.Status.ObservedGeneration < deployment.Generation && !settled {
		return Running
	}
	reason := ""
	for _, condition := range deployment.Status.Conditions {
		if condition.Type == appsv1.DeploymentProgressing {
			reason = condition.Reason
		}
	}
	status := deployment.Status
	switch {
	case reason == progressDeadlineExceeded:
		return TooSlow
	case reason != newReplicaSetAvailable, status.Replicas != status.UpdatedReplicas && !settled:
		return Running
	}
	return Done
}

// Waiting finds why pods don't get on: the first container that can't start, and the state that the
// kubelet tells.
func Waiting(pods []corev1.Pod) (container string, state corev1.ContainerStateWaiting, found bool) {
	for i := range pods {
		for _, status := range append(pods[i].Status.InitContainerStatuses, pods[i].Status.ContainerStatuses...) {
			waiting := status.State.Waiting
			if waiting == nil || waiting.Reason == "PodInitializing" || waiting.Reason == "ContainerCreating" {
				continue
			}
			return pods[i].Name + ", container " + status.Name, *waiting, true
		}
	}
	return "", corev1.ContainerStateWaiting{}, false
}

// PullFails reports whether a container waits for an image that can't be had.
func PullFails(state corev1.ContainerStateWaiting) bool {
	switch state.Reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "RegistryUnavailable":
		return true
	}
	return false
}
