package chatserver

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
)

// files reads the volume claim for uploaded files, and checks it. Claims aren't watched.
func files(ctx context.Context, s *scope) error {
	folder := inputs.Folder(s.server)
	if folder == nil {
		return nil
	}
	claim := &corev1.PersistentVolumeClaim{}
	err := s.direct.Get(ctx, types.NamespacedName{Namespace: s.server.Namespace, Name: folder.ClaimName}, claim)
	switch {
	case apierrors.IsNotFound(err):
		s.requeueWithin(lookAgain)
		return terminal(v1alpha1.ConditionDependenciesReady, v1alpha1.ReasonClaimNotFound, fmt.Errorf(
			"PersistentVolumeClaim %s of spec.files.folder not found: create it", folder.ClaimName))
	case err != nil:
		return fmt.Errorf("read PersistentVolumeClaim %s: %w", folder.ClaimName, err)
	case render.SharesFiles(s.server) && !slices.Contains(claim.Spec.AccessModes, corev1.ReadWriteMany):
		s.requeueWithin(lookAgain)
		because, instead := sharing(s.server)
		return terminal(v1alpha1.ConditionDependenciesReady, v1alpha1.ReasonClaimNotShared, fmt.Errorf(
			"PersistentVolumeClaim %s is %v, and %s: name one that is %s, use spec.files.s3, or %s",
			claim.Name, claim.Spec.AccessModes, because, corev1.ReadWriteMany, instead))
	}
	s.inputs.FilesOn = filesOn(claim.Spec.AccessModes)
	return nil
}

// filesOn returns where pods can use a volume with some access modes at a time.
func filesOn(modes []corev1.PersistentVolumeAccessMode) inputs.FilesOn {
	switch {
	case slices.Contains(modes, corev1.ReadWriteMany):
		return inputs.FilesAnywhere
	case slices.Contains(modes, corev1.ReadWriteOncePod):
		return inputs.FilesInOnePod
	}
	return inputs.FilesOnOneNode
}

// sharing returns why several pods use the volume for files, and the change of the spec that would avoid it.
func sharing(server *v1alpha1.ChatServer) (because, instead string) {
	switch {
	case server.Spec.MailIn != nil:
		return "webhook needs it as well as api, for mail that comes in", "remove spec.mailIn"
	case server.Spec.API.Autoscaling != nil:
		return "api may have several pods", "remove spec.api.autoscaling and set spec.api.replicas to 1"
	default:
		return "api has several pods", "set spec.api.replicas to 1"
	}
}
