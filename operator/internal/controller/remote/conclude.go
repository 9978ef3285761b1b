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
)

// Actions of events.
const (
	actionSync   = "Sync"
	actionIssue  = "Issue"
	actionDelete = "Delete"
)

// maxNote bounds the text of an event, in bytes: the API server takes 1024.
const maxNote = 1000

// deferred is the error of an object that has to wait before it may call its server.
type deferred struct {
	wait  time.Duration
	cause *blocked // the server's outage; nil: others are calling
}

// Error includes how long to wait.
func (b deferred) Error() string { return fmt.Sprintf("the server is called again in %s", b.wait) }

func asDeferred(err error, to *deferred) bool { return errors.As(err, to) }

// classify converts an error of a pass. It returns nil for errors of the cluster's API: the pass is repeated.
func classify(err error) *blocked {
	if apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
		return nil
	}
	return blockedBy(err)
}

// conclude sets the object's conditions from the result of a pass, and returns when the next pass is.
func (r *reconciler[O]) conclude(before, object O, found changes, err error) (reconcile.Result, error) {
	next := spread(r.resync, r.resync/5)
	again, h := deferred{}, (*blocked)(nil)
	switch {
	case err == nil:
		r.succeed(before, object, found)
		if !found.next.IsZero() {
			next = max(min(next, found.next.Sub(r.clock.Now())), time.Second)
		}
		return reconcile.Result{RequeueAfter: next}, nil
	case asDeferred(err, &again):
		fail(object, again.cause)
		return reconcile.Result{RequeueAfter: again.wait}, nil
	case errors.As(err, &h):
		fail(object, h)
		switch {
		case h.watched:
			next = 0
		case h.after > 0:
			next = spread(h.after, h.after/2)
		}
		return reconcile.Result{RequeueAfter: next}, nil
	default:
		return reconcile.Result{}, err
	}
}

// succeed sets the conditions of an object that matches its spec.
func (r *reconciler[O]) succeed(before, object O, found changes) {
	status := object.Guest()
	was := meta.FindStatusCondition(before.Guest().Conditions, v1alpha1.ConditionSynced)
	compared := was != nil && was.Status == metav1.ConditionTrue
	same := compared && was.ObservedGeneration == object.GetGeneration()
	if found.created || len(found.changed) > 0 || !compared {
		status.LastSyncTime = new(metav1.NewTime(r.clock.Now()))
	}
	set(object, v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.ReasonAccepted, "")
	set(object, v1alpha1.ConditionSynced, metav1.ConditionTrue, v1alpha1.ReasonSynced, "")
	if r.kind.secrets != nil && len(r.kind.secrets(object)) > 0 {
		set(object, v1alpha1.ConditionCredentialsReady, metav1.ConditionTrue, v1alpha1.ReasonIssued, "")
	} else {
		meta.RemoveStatusCondition(&status.Conditions, v1alpha1.ConditionCredentialsReady)
	}
	set(object, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonSynced, "The object in the server matches the spec")
	abnormal(object, "", "", "")
	switch {
	case !same:
		return
	case found.created:
		r.drift(1)
		r.events.Eventf(object, nil, corev1.EventTypeWarning, v1alpha1.ReasonDriftRepaired, actionSync, "recreated: it was missing in the server")
	case len(found.changed) > 0:
		r.drift(len(found.changed))
		r.events.Eventf(object, nil, corev1.EventTypeWarning, v1alpha1.ReasonDriftRepaired, actionSync,
			"reverted changes made inside the server: %s", strings.Join(found.changed, ", "))
	}
}

// fail sets the conditions of a blocked object.
func fail[O Object](object O, h *blocked) {
	if h.condition != v1alpha1.ConditionAccepted {
		set(object, v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.ReasonAccepted, "")
	}
	if h.reason == v1alpha1.ReasonServerPaused {
		keepStatus(object, h.reason, h.message)
		abnormal(object, "", "", "")
		return
	}
	set(object, h.condition, metav1.ConditionFalse, h.reason, h.message)
	set(object, v1alpha1.ConditionReady, metav1.ConditionFalse, h.reason, h.message)
	switch h.mode {
	case waiting:
		abnormal(object, v1alpha1.ConditionReconciling, h.reason, h.message)
	case stalled:
		abnormal(object, v1alpha1.ConditionStalled, h.reason, h.message)
	case suspended:
		abnormal(object, "", "", "")
	}
}

// paused sets the conditions of an object that isn't reconciled on request.
func paused[O Object](object O) {
	text := "The annotation " + v1alpha1.AnnotationPaused + " is true: remove it to resume"
	keepStatus(object, v1alpha1.ReasonPaused, text)
	abnormal(object, v1alpha1.ConditionPaused, v1alpha1.ReasonPaused, text)
}

// keepStatus sets reason and message of Ready, and keeps its status.
func keepStatus[O Object](object O, reason, text string) {
	status := metav1.ConditionUnknown
	if was := meta.FindStatusCondition(object.Guest().Conditions, v1alpha1.ConditionReady); was != nil {
		status = was.Status
	}
	set(object, v1alpha1.ConditionReady, status, reason, text)
}

// abnormal sets one of the conditions that exist only while they are true, and removes the others. With an empty name,
// it removes all of them.
func abnormal[O Object](object O, name, reason, message string) {
	for _, other := range []string{v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled, v1alpha1.ConditionPaused} {
		if other != name {
			meta.RemoveStatusCondition(&object.Guest().Conditions, other)
		}
	}
	if name != "" {
		set(object, name, metav1.ConditionTrue, reason, message)
	}
}

func set[O Object](object O, condition string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&object.Guest().Conditions, metav1.Condition{
		Type: condition, Status: status, Reason: reason, Message: message, ObservedGeneration: object.GetGeneration(),
	})
}

// announce emits an event if status or reason of Ready has changed.
func (r *reconciler[O]) announce(before, object O) {
	was := meta.FindStatusCondition(before.Guest().Conditions, v1alpha1.ConditionReady)
	is := meta.FindStatusCondition(object.Guest().Conditions, v1alpha1.ConditionReady)
	if is == nil || was != nil && was.Status == is.Status && was.Reason == is.Reason {
		return
	}
	kind := corev1.EventTypeNormal
	if is.Status == metav1.ConditionFalse && !meta.IsStatusConditionTrue(object.Guest().Conditions, v1alpha1.ConditionReconciling) {
		kind = corev1.EventTypeWarning
	}
	r.events.Eventf(object, nil, kind, is.Reason, actionSync, "%s", truncate(is.Message))
}

// truncate cuts a text to the size limit of events.
func truncate(text string) string {
	if len(text) > maxNote {
		text = strings.ToValidUTF8(text[:maxNote], "") + "…"
	}
	return text
}
