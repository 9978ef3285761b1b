package remote

import (
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/status"
)

// Actions of events.
const (
	actionSync   = "Sync"
	actionIssue  = "Issue"
	actionDelete = "Delete"
)

// refusedPause is the time between two attempts for what Kubernetes refuses, or makes the server fail: what changes that isn't watched.
const refusedPause = 10 * time.Second

// deferred is the error of an object that has to wait before it may call its server.
type deferred struct {
	wait  time.Duration // 0: until it is put into the queue
	cause *blocked      // the server's outage; nil: all slots are in use
}

// Error says what the object waits for.
func (d deferred) Error() string {
	if d.cause == nil {
		return "the server is called when it is the object's turn"
	}
	return fmt.Sprintf("the server is called again in %s", d.wait)
}

// classify converts an error of a pass that has called a server. It returns nil for errors of the cluster's API: the pass is repeated, and nobody
// has to do anything, unless it refuses to write, as with a ResourceQuota or an admission policy.
func classify(err error, server *v1alpha1.ChatServer) *blocked {
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause): // the object is about to be deleted, too
		return nil
	case apierrors.IsForbidden(err), apierrors.IsInvalid(err):
		return &blocked{condition: v1alpha1.ConditionSynced, reason: v1alpha1.ReasonFailed, message: err.Error(), after: refusedPause}
	case apierrors.ReasonForError(err) != metav1.StatusReasonUnknown:
		return nil
	}
	return blockedBy(err, server)
}

// conclude sets the object's conditions from the result of a pass, and schedules the next pass.
func (r *reconciler[O]) conclude(before, object O, found changes, err error) (reconcile.Result, error) {
	next := spread(r.resync, r.resync/5)
	later, blocking := deferred{}, (*blocked)(nil)
	switch {
	case err == nil:
		r.succeed(before, object, found)
		if !found.next.IsZero() {
			next = max(min(next, found.next.Sub(r.clock.Now())), time.Second)
		}
	case errors.As(err, &later):
		r.fail(object, later.cause)
		next = later.wait
	case errors.As(err, &blocking):
		r.fail(object, blocking)
		if blocking.watched {
			next = 0
		} else if blocking.after > 0 {
			next = spread(blocking.after, blocking.after/2)
		}
	default:
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: next}, nil
}

// conditionsOf returns an object's conditions, without Paused.
func (r *reconciler[O]) conditionsOf(object O) status.Conditions {
	conditions := status.Of(&object.Guest().Conditions, object.GetGeneration(), r.clock)
	conditions.Remove(v1alpha1.ConditionPaused)
	return conditions
}

// succeed sets the conditions of an object that matches its spec.
func (r *reconciler[O]) succeed(before, object O, found changes) {
	was := meta.FindStatusCondition(before.Guest().Conditions, v1alpha1.ConditionSynced)
	compared := was != nil && was.Status == metav1.ConditionTrue
	same := compared && was.ObservedGeneration == object.GetGeneration()
	if found.created || len(found.changed) > 0 || !compared {
		object.Guest().LastSyncTime = new(metav1.NewTime(r.clock.Now()))
	}
	conditions := r.conditionsOf(object)
	conditions.True(v1alpha1.ConditionAccepted, v1alpha1.ReasonAccepted, "")
	conditions.True(v1alpha1.ConditionSynced, v1alpha1.ReasonSynced, "")
	if r.kind.secrets != nil && len(r.kind.secrets(object)) > 0 {
		conditions.True(v1alpha1.ConditionCredentialsReady, v1alpha1.ReasonIssued, "")
	} else {
		conditions.Remove(v1alpha1.ConditionCredentialsReady)
	}
	conditions.Done(v1alpha1.ReasonSynced, "the object in the server matches the spec")
	switch {
	case !same:
		return
	case found.created:
		r.drift(1)
		r.events.Eventf(object, nil, corev1.EventTypeWarning, v1alpha1.ReasonDriftRepaired, actionSync, "recreated: it was missing in the server")
	case len(found.changed) > 0:
		r.drift(len(found.changed))
		r.events.Eventf(object, nil, corev1.EventTypeWarning, v1alpha1.ReasonDriftRepaired, actionSync,
			"%s", status.Note("reverted changes made inside the server: "+strings.Join(found.changed, ", ")))
	}
}

// fail sets the conditions of a blocked object.
func (r *reconciler[O]) fail(object O, blocking *blocked) {
	conditions := r.conditionsOf(object)
	if blocking.condition != v1alpha1.ConditionAccepted {
		conditions.True(v1alpha1.ConditionAccepted, v1alpha1.ReasonAccepted, "")
	}
	if blocking.reason == v1alpha1.ReasonServerPaused {
		pause(conditions, blocking.reason, blocking.message)
		return
	}
	conditions.False(blocking.condition, blocking.reason, blocking.message)
	switch blocking.mode {
	case waiting:
		conditions.Working(blocking.reason, blocking.message)
	case stalled:
		conditions.Stuck(blocking.reason, blocking.message)
	case suspended:
		conditions.Done(blocking.reason, blocking.message)
		conditions.False(v1alpha1.ConditionReady, blocking.reason, blocking.message)
	}
}

// paused sets the conditions of an object that isn't reconciled on request.
func (r *reconciler[O]) paused(object O) {
	text := "the annotation " + v1alpha1.AnnotationPaused + " is true: remove it to resume"
	conditions := r.conditionsOf(object)
	pause(conditions, v1alpha1.ReasonPaused, text)
	conditions.True(v1alpha1.ConditionPaused, v1alpha1.ReasonPaused, text)
}

// pause sets reason and message of Ready, and keeps its status.
func pause(conditions status.Conditions, reason, text string) {
	current := metav1.ConditionUnknown
	if ready := conditions.Get(v1alpha1.ConditionReady); ready != nil {
		current = ready.Status
	}
	conditions.Done(reason, text)
	conditions.Set(v1alpha1.ConditionReady, current, reason, text)
}

// announce emits an event if status or reason of Ready has changed. What is in a server has none when the server stops or continues to
// serve: the ChatServer has one, and thousands of others would hide it.
func (r *reconciler[O]) announce(before, object O) {
	known := before.Guest().ID != ""
	for _, transition := range status.Transitions(before.Guest().Conditions, object.Guest().Conditions) {
		if known && (ofServer(transition.Reason) || transition.Reason == v1alpha1.ReasonSynced && ofServer(readyReason(before))) {
			continue
		}
		r.events.Eventf(object, nil, transition.Type, transition.Reason, actionSync, "%s", status.Note(transition.Message))
	}
}

// ofServer reports whether a reason of Ready is a state of the ChatServer, which has an event of its own.
func ofServer(reason string) bool {
	return reason == v1alpha1.ReasonServerNotReady || reason == v1alpha1.ReasonServerHibernated || reason == v1alpha1.ReasonServerPaused
}

func readyReason(object Object) string {
	if ready := meta.FindStatusCondition(object.Guest().Conditions, v1alpha1.ConditionReady); ready != nil {
		return ready.Reason
	}
	return ""
}
