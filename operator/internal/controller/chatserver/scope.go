package chatserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
	"chatserver.dev/operator/internal/status"
)

// scope is the state that the steps of one pass share.
type scope struct {
	*Reconciler
	log        *slog.Logger
	server     *v1alpha1.ChatServer // its status is modified
	before     *v1alpha1.ChatServer // as it was read
	conditions status.Conditions
	inputs     inputs.Inputs
	inventory  apply.Inventory
	secrets    *inputs.Secrets
	memory     *memory
	drifts     []apply.Drift
	hostOf     *v1alpha1.ChatServer // the older server that this one's host conflicts with; nil: none
	notes      []string             // notes for the message of Ready
	after      time.Duration        // when to retry; zero: on a watched change
}

// requeueWithin requests another pass after at most d.
func (s *scope) requeueWithin(d time.Duration) {
	if d > 0 && (s.after == 0 || d < s.after) {
		s.after = d
	}
}

// apply applies objects.
func (s *scope) apply(ctx context.Context, objects ...render.Object) error {
	for _, object := range objects {
		if typed, isForeign := object.(schema.ObjectKind); isForeign {
			if err := s.requireListed(ctx, typed.GroupVersionKind()); err != nil {
				return err
			}
		}
		result, err := s.applier.Apply(ctx, s.server, object)
		if err != nil {
			return s.refused(err)
		}
		s.noteResult(result)
	}
	return nil
}

// listTime is how long the cache of a kind may take to have its objects. Usually it has them when the operator has run for a second.
const listTime = 5 * time.Second

// errUnlisted ends a pass that needs the objects of a kind before the cache has them. It isn't reported.
var errUnlisted = errors.New("the cache doesn't have the objects of a kind yet")

// isCacheBehind reports whether a pass failed because the cache is stale, or doesn't have the objects of a kind yet: it is repeated
// without a report.
func isCacheBehind(err error) bool { return apierrors.IsConflict(err) || errors.Is(err, errUnlisted) }

// requireListed returns an error if the cache doesn't have the objects of an optional kind. Reading one of a kind that the API server
// doesn't list would occupy a worker until the end of the pass, and the error wouldn't say why.
func (s *scope) requireListed(ctx context.Context, kind schema.GroupVersionKind) error {
	ready, err := s.listed(ctx, kind)
	switch {
	case err != nil:
		return err
	case ready:
		delete(s.memory.unlisted, kind)
		return nil
	case s.memory.unlistedFor(kind, s.clock.Now()) < listTime:
		return errUnlisted
	}
	return waitAwhile(lookAgain, "", v1alpha1.ReasonFailed, "the API server doesn't list objects of kind %s: kubectl get %s -A says why",
		kind.Kind, strings.ToLower(kind.Kind))
}

// noteResult records the result of applying an object.
func (s *scope) noteResult(result apply.Result) {
	s.inventory.Add(result.Live)
	known := s.memory.seen.Add(result.Live) || s.complete()
	switch {
	case result.Drift != nil:
		s.drifts = append(s.drifts, *result.Drift)
	case result.Made && known && !optionalKind(result.Live.GroupVersionKind()):
		s.drifts = append(s.drifts, s.applier.CountDeletion(s.server, result.Live))
	}
}

// prune deletes the server's objects of some kinds that aren't desired. Those of an optional kind that the API server doesn't list,
// because of its CRD's webhook for example, are deleted later: what a server doesn't need mustn't stop it.
func (s *scope) prune(ctx context.Context, kinds ...schema.GroupVersionKind) error {
	listed := []schema.GroupVersionKind(nil)
	for _, kind := range kinds {
		ready, err := s.listed(ctx, kind)
		switch {
		case err != nil:
			return err
		case ready:
			listed = append(listed, kind)
		default:
			s.requeueWithin(lookAgain)
		}
	}
	deleted, err := s.applier.Prune(ctx, s.server, listed, s.inventory)
	for _, object := range deleted {
		s.log.Info("deleted an object that the spec no longer requires", slog.String("object", object))
	}
	return err
}

// listed reports whether the cache has the objects of a kind. It has those of kinds that aren't optional.
func (s *scope) listed(ctx context.Context, kind schema.GroupVersionKind) (bool, error) {
	if !optionalKind(kind) {
		return true, nil
	}
	informer, err := s.cache.GetInformer(ctx, objectOf(kind), cache.BlockUntilSynced(false))
	if err != nil {
		return false, fmt.Errorf("watch objects of kind %s: %w", kind.Kind, err)
	}
	return informer.HasSynced(), nil
}

// complete reports whether all objects of this spec existed after the previous pass, so that a missing one was deleted.
// The operator may have restarted since.
func (s *scope) complete() bool {
	ready := meta.FindStatusCondition(s.before.Status.Conditions, v1alpha1.ConditionReady)
	return ready != nil && ready.Reason == v1alpha1.ReasonServing && s.before.Status.ObservedGeneration == s.server.Generation
}

// optionalKind reports whether a cluster may lack a kind. Its objects are created once it is served.
func optionalKind(kind schema.GroupVersionKind) bool { return slices.Contains(inputs.Optional(), kind) }

// refused makes an error terminal if a user has to change something. Unless that is the spec, it isn't watched: an object of
// somebody else, or an admission policy. If a kind isn't served any more, optional kinds are discovered again.
func (s *scope) refused(err error) error {
	notOurs, patch := (*apply.NotOursError)(nil), (*render.PatchError)(nil)
	switch {
	case errors.As(err, &notOurs):
		s.requeueWithin(lookAgain)
		return terminal("", v1alpha1.ReasonNameTaken, err)
	case errors.As(err, &patch):
		return terminal("", v1alpha1.ReasonInvalidPodTemplate, err)
	case apierrors.IsInvalid(err):
		s.requeueWithin(lookAgain)
		return terminal("", v1alpha1.ReasonRefused, err)
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		select {
		case s.discover <- struct{}{}:
		default: // they are about to be
		}
	}
	return err
}

// get reads one of the server's objects from the cache into a typed one. It returns false if it doesn't exist.
func (s *scope) get(ctx context.Context, kind schema.GroupVersionKind, name string, into any) (bool, error) {
	return s.read(ctx, s.client, kind, name, into)
}

// find reads one of the server's objects into a typed one, if it exists. Without its labels it isn't in the cache.
func (s *scope) find(ctx context.Context, kind schema.GroupVersionKind, name string, into any) error {
	found, err := s.get(ctx, kind, name, into)
	if err == nil && !found {
		_, err = s.read(ctx, s.direct, kind, name, into)
	}
	return err
}

func (s *scope) read(ctx context.Context, from client.Reader, kind schema.GroupVersionKind, name string, into any) (bool, error) {
	object := objectOf(kind)
	err := from.Get(ctx, types.NamespacedName{Namespace: s.server.Namespace, Name: name}, object)
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read %s %s: %w", kind.Kind, name, err)
	}
	return true, decode(object, into)
}

func decode(object *unstructured.Unstructured, into any) error {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, into); err != nil {
		return fmt.Errorf("decode %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

// pods returns the server's pods with further labels, from the API server: they aren't watched.
func (s *scope) pods(ctx context.Context, labels map[string]string) ([]corev1.Pod, error) {
	list := &corev1.PodList{}
	err := s.direct.List(ctx, list, client.InNamespace(s.server.Namespace), client.MatchingLabels(labels))
	if err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	return list.Items, nil
}
