package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/chatapi"
	"chatserver.dev/operator/internal/status"
	"chatserver.dev/pkg/adminclient"
)

// +kubebuilder:rbac:groups=chatserver.dev,resources=organizations;streams;users;bots;incomingwebhooks,verbs=list;watch;patch
// +kubebuilder:rbac:groups=chatserver.dev,resources=organizations/status;streams/status;users/status;bots/status;incomingwebhooks/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// callTime is the timeout of the calls of a pass, so that a server that hangs doesn't delay others. Deleting a part of an
// organization may take longer, and so may setting a password: callers of a busy server wait for their turn.
const (
	callTime     = 10 * time.Second
	removeTime   = 30 * time.Second
	passwordTime = 50 * time.Second
)

// reconciler reconciles the objects of a kind.
type reconciler[O Object] struct {
	keyStore

	kind     kind[O]
	servers  *chatapi.Servers
	places   locator
	limiter  *limiter
	drift    func(fields int)
	written  *status.Written
	resync   time.Duration
	patience time.Duration
}

// Reconcile makes a pass over an object. If somebody has changed an object that the pass has read, or created one that was missing, it is
// repeated soon: that is no error, and neither is a namespace that is terminating, since the object is about to be deleted, too.
func (r *reconciler[O]) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	defer r.limiter.pass(request.NamespacedName)
	result, err := r.pass(ctx, request)
	switch {
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return reconcile.Result{RequeueAfter: status.CacheLag}, nil
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return reconcile.Result{RequeueAfter: refusedPause}, nil
	}
	return result, err
}

func (r *reconciler[O]) pass(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	object := r.kind.new()
	if err := r.client.Get(ctx, request.NamespacedName, object); err != nil {
		r.written.Forget(request.NamespacedName)
		r.reverts.forget(request.NamespacedName)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if r.written.IsAfter(object) {
		return reconcile.Result{RequeueAfter: status.CacheLag}, nil
	}
	if !object.GetDeletionTimestamp().IsZero() {
		return r.finalize(ctx, object)
	}
	before := clone(object)
	if object.GetAnnotations()[v1alpha1.AnnotationPaused] == "true" {
		r.paused(object)
		return reconcile.Result{}, r.report(ctx, before, object)
	}
	if !controllerutil.ContainsFinalizer(object, v1alpha1.Finalizer) {
		if err := r.claim(ctx, object); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err) // it may have been deleted meanwhile
		}
		before = clone(object)
	}
	found, err := r.sync(ctx, object)
	if ctx.Err() != nil {
		return reconcile.Result{}, nil //nolint:nilerr // the program is shutting down; the next one reconciles everything
	}
	if later, ok := errors.AsType[deferred](err); ok && later.cause == nil {
		return reconcile.Result{RequeueAfter: later.wait}, nil
	}
	result, err := r.conclude(before, object, found, err)
	if err != nil {
		return reconcile.Result{}, err
	}
	return r.reported(ctx, before, object, result)
}

// claim adds the finalizer to an object, before anything is created for it.
func (r *reconciler[O]) claim(ctx context.Context, object O) error {
	before := clone(object)
	controllerutil.AddFinalizer(object, v1alpha1.Finalizer)
	if err := r.client.Patch(ctx, object, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("add the finalizer to %s %s: %w", r.kind.name, client.ObjectKeyFromObject(object), err)
	}
	return nil
}

// sync reconciles the server with the object.
func (r *reconciler[O]) sync(ctx context.Context, object O) (changes, error) {
	loc, err := r.places.find(ctx, object)
	if err != nil {
		return changes{}, err
	}
	found := changes{}
	err = r.call(ctx, loc, object, func(ctx context.Context, p *pass) (err error) {
		ctx, cancel := context.WithTimeout(ctx, cmp.Or(r.kind.ensureTime, callTime))
		defer cancel()
		if found, err = r.kind.ensure(ctx, p, object); err == nil {
			return nil
		}
		if p.adoptFrom, err = r.mayAdopt(ctx, p, object, err); err != nil {
			return err
		}
		found, err = r.kind.ensure(ctx, p, object)
		return err
	})
	return found, err
}

// call runs work, which calls an object's server. If the server must not be called now, the error is a [deferred].
func (r *reconciler[O]) call(ctx context.Context, loc location, object O, work func(context.Context, *pass) error) error {
	server := client.ObjectKeyFromObject(loc.server)
	name := client.ObjectKeyFromObject(object)
	if err := r.limiter.enter(server, name); err != nil {
		return err
	}
	responded, blocking := false, (*blocked)(nil)
	defer func() { r.limiter.leave(server, name, responded, blocking) }() // after a panic as well: others wait for the slot
	api, err := r.servers.Client(ctx, loc.server)
	if err == nil {
		err = work(ctx, &pass{location: loc, api: api, key: keyOf(object), keyStore: r.keyStore})
	}
	if err == nil || ctx.Err() != nil { // the program is shutting down: not the server's fault
		responded = err == nil
		return err
	}
	_, responded = errors.AsType[*adminclient.Error](err)
	if blocking = classify(err, loc.server); blocking == nil {
		return err
	}
	return blocking
}

// reported writes the status and returns the result of a pass.
func (r *reconciler[O]) reported(ctx context.Context, before, object O, result reconcile.Result) (reconcile.Result, error) {
	if err := r.report(ctx, before, object); err != nil {
		return reconcile.Result{}, err
	}
	return result, nil
}

// report writes the object's status if it has changed, and emits events about changes. It does so even if the object
// was changed meanwhile, since the next pass wouldn't find out what this one has done. An object that was deleted meanwhile
// has no status.
func (r *reconciler[O]) report(ctx context.Context, before, object O) error {
	object.Guest().ObservedGeneration = object.GetGeneration()
	if equality.Semantic.DeepEqual(before, object) {
		return nil
	}
	wanted := clone(object)
	switch err := r.client.Status().Patch(ctx, object, client.MergeFrom(before)); {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("write the status of %s %s: %w", r.kind.name, client.ObjectKeyFromObject(object), err)
	}
	r.written.Note(object)
	r.announce(before, wanted)
	return nil
}

// clone copies an object.
func clone[O Object](object O) O {
	return object.DeepCopyObject().(O) //nolint:forcetypeassert // a copy has the same type
}
