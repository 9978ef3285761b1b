package chatserver

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
	"chatserver.dev/operator/internal/inputs"
)

// keepFinalizer adds a finalizer if the data are to be deleted with the server. Otherwise none is needed: other objects
// are deleted by the garbage collector.
func keepFinalizer(ctx context.Context, s *scope) error {
	before := s.server.DeepCopy()
	keep := controllerutil.RemoveFinalizer
	if s.server.Spec.DeletionPolicy == v1alpha1.ChatServerDelete {
		keep = controllerutil.AddFinalizer
	}
	if changed := keep(s.server, v1alpha1.FinalizerServer); !changed {
		return nil
	}
	err := s.patchFinalizers(ctx, before)
	s.before = s.server.DeepCopy()
	return err
}

func (s *scope) patchFinalizers(ctx context.Context, before *v1alpha1.ChatServer) error {
	err := s.client.Patch(ctx, s.server, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if err != nil {
		return fmt.Errorf("write the finalizers of ChatServer %s: %w", s.server.Name, err)
	}
	return nil
}

// finalize handles a server that is being deleted. Nothing is created for it any more, even if it has other finalizers,
// and it isn't called, since it may be down.
func (s *scope) finalize(ctx context.Context) error {
	if !controllerutil.ContainsFinalizer(s.server, v1alpha1.FinalizerServer) {
		return nil
	}
	if s.server.Spec.DeletionPolicy == v1alpha1.ChatServerDelete {
		if err := s.deleteData(ctx); errors.Is(err, errUnlisted) {
			return err
		} else if err != nil {
			return s.blocked(ctx, err)
		}
	}
	before := s.server.DeepCopy()
	controllerutil.RemoveFinalizer(s.server, v1alpha1.FinalizerServer)
	return client.IgnoreNotFound(s.patchFinalizers(ctx, before))
}

// deleteData deletes pods, then their data.
func (s *scope) deleteData(ctx context.Context) error {
	workloads := []schema.GroupVersionKind{apply.Deployment(), apply.Job(), apply.StatefulSet()}
	data := []schema.GroupVersionKind{apply.PersistentVolumeClaim()}
	if s.inputs.Served[inputs.Cluster()] {
		if err := s.requireListed(ctx, inputs.Cluster()); err != nil {
			return err
		}
		data = append(data, inputs.Cluster())
	}
	if err := s.applier.DeleteAll(ctx, s.server, append(workloads, data...)); err != nil {
		return err
	}
	logins := inputs.LoginsSecrets(s.server)
	for _, name := range append([]string{
		inputs.AdminSecret(s.server), inputs.PostgresSecret(s.server), inputs.RedisSecret(s.server), inputs.AddressSecret(s.server),
		inputs.ProvidersSecret(s.server), inputs.WebPushSecret(s.server),
	}, logins[:]...) {
		if err := s.deleteOwn(ctx, name); err != nil {
			return err
		}
	}
	return s.deleteKeys(ctx)
}

// deleteKeys deletes the Secrets that have keys of accounts in the server, in whichever namespaces they are. Those of objects with the
// deletionPolicy Retain stay when these are deleted, and nobody would delete them later.
func (s *scope) deleteKeys(ctx context.Context) error {
	secrets, server := &metav1.PartialObjectMetadataList{}, client.ObjectKeyFromObject(s.server).String()
	secrets.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := s.cache.List(ctx, secrets, client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.Manager}); err != nil {
		return fmt.Errorf("list the Secrets with keys: %w", err)
	}
	for i := range secrets.Items {
		secret := &secrets.Items[i]
		if secret.Annotations[v1alpha1.AnnotationCredentialsAt] != server {
			continue
		}
		if err := s.client.Delete(ctx, secret, client.Preconditions{UID: &secret.UID}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete Secret %s: %w", client.ObjectKeyFromObject(secret), err)
		}
	}
	return nil
}

// blocked reports why the deletion fails, and returns the error, so that it is retried.
func (s *scope) blocked(ctx context.Context, err error) error {
	s.conditions.Working(v1alpha1.ReasonDeletionBlocked, err.Error())
	if written := s.write(ctx); written != nil && !apierrors.IsConflict(written) {
		return fmt.Errorf("%w; and its status can't be written: %w", err, written)
	}
	return err
}
