package render

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	core "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"

	"chatserver.dev/operator/api/v1alpha1"
)

const (
	// defaultTemporarySize is the size of the volume for files that are being uploaded to a bucket, or packed into an archive.
	defaultTemporarySize = "2Gi"
	// defaultFilesGroup is the group of the images' user.
	defaultFilesGroup = 65532
)

// mountTemporary mounts an empty directory for files that are being uploaded to a bucket, and for those of an export, which packs them
// into an archive: the root file system is read-only.
func mountTemporary(spec *core.PodSpecApplyConfiguration, to *core.ContainerApplyConfiguration, size *resource.Quantity) {
	limit := ptr.Deref(size, resource.MustParse(defaultTemporarySize)).DeepCopy()
	spec.WithVolumes(core.Volume().WithName(temporaryVolume).WithEmptyDir(core.EmptyDirVolumeSource().WithSizeLimit(limit)))
	mount(to, temporaryVolume, temporaryDirectory)
}

// mountFolder mounts the volume for files, writable for a group of the pod.
func mountFolder(spec *core.PodSpecApplyConfiguration, to *core.ContainerApplyConfiguration, folder *v1alpha1.FilesFolder) {
	spec.WithVolumes(core.Volume().WithName(filesVolume).
		WithPersistentVolumeClaim(core.PersistentVolumeClaimVolumeSource().WithClaimName(folder.ClaimName)))
	mount(to, filesVolume, filesVolumeDirectory)
	if group := ptr.Deref(folder.FSGroup, defaultFilesGroup); group > 0 {
		spec.SecurityContext.WithFSGroup(group).WithFSGroupChangePolicy(corev1.FSGroupChangeOnRootMismatch)
	}
}

// nextToFiles places a new pod on the node of the previous one, which still uses the volume for files: on another node it
// couldn't mount the volume, and the previous pod doesn't end before the new one is ready. Without a previous pod, any node
// will do.
func nextToFiles(spec *core.PodSpecApplyConfiguration, server *v1alpha1.ChatServer, component Component) {
	spec.WithAffinity(core.Affinity().WithPodAffinity(core.PodAffinity().
		WithRequiredDuringSchedulingIgnoredDuringExecution(core.PodAffinityTerm().
			WithTopologyKey(corev1.LabelHostname).WithLabelSelector(selects(selector(server, component))))))
}

// SharesFiles reports whether several pods at a time use the volume for files, other than during a rollout.
func SharesFiles(server *v1alpha1.ChatServer) bool {
	if server.Spec.MailIn != nil {
		return true // pods of webhook use it, too
	}
	s := ComponentSpec(server, API)
	if s.Autoscaling != nil {
		return s.Autoscaling.MaxReplicas > 1
	}
	return ptr.Deref(s.Replicas, defaultReplicas) > 1
}
