// Package status sets conditions by the conventions of kstatus, and decides which of their changes are reported as
// events.
package status

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"chatserver.dev/operator/api/v1alpha1"
)

// Conditions of one resource at one generation of its spec.
type Conditions struct {
	list       *[]metav1.Condition
	before     []metav1.Condition
	generation int64
	clock      clock.PassiveClock
}

// Of returns the conditions of a resource, to be changed in place.
func Of(list *[]metav1.Condition, generation int64, clock clock.PassiveClock) Conditions {
	return Conditions{list, slices.Clone(*list), generation, clock}
}

// Set sets a condition at this generation. Conditions that a pass doesn't set keep their generation, since they weren't
// checked at the new one. The transition time changes only if the status differs from the one before the pass.
func (c Conditions) Set(kind string, status metav1.ConditionStatus, reason, message string) {
	since := metav1.NewTime(c.clock.Now())
	if was := meta.FindStatusCondition(c.before, kind); was != nil && was.Status == status {
		since = was.LastTransitionTime
	}
	meta.SetStatusCondition(c.list, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: trimmed(message), ObservedGeneration: c.generation, LastTransitionTime: since,
	})
}

// True sets a condition to true.
func (c Conditions) True(kind, reason, message string) {
	c.Set(kind, metav1.ConditionTrue, reason, message)
}

// False sets a condition to false.
func (c Conditions) False(kind, reason, message string) {
	c.Set(kind, metav1.ConditionFalse, reason, message)
}

// Remove removes a condition.
func (c Conditions) Remove(kind string) { meta.RemoveStatusCondition(c.list, kind) }

// Is reports whether a condition is true.
func (c Conditions) Is(kind string) bool { return meta.IsStatusConditionTrue(*c.list, kind) }

// Get returns a condition; nil: there is none.
func (c Conditions) Get(kind string) *metav1.Condition {
	return meta.FindStatusCondition(*c.list, kind)
}

// Done sets the conditions of a resource that matches its spec.
func (c Conditions) Done(reason, message string) {
	c.True(v1alpha1.ConditionReady, reason, message)
	c.Remove(v1alpha1.ConditionReconciling)
	c.Remove(v1alpha1.ConditionStalled)
}

// Working sets the conditions of a resource that is being reconciled.
func (c Conditions) Working(reason, message string) {
	c.False(v1alpha1.ConditionReady, reason, message)
	c.True(v1alpha1.ConditionReconciling, reason, message)
	c.Remove(v1alpha1.ConditionStalled)
}

// Stuck sets the conditions of a resource that can't be reconciled until a user changes it or a resource that it
// depends on.
func (c Conditions) Stuck(reason, message string) {
	c.False(v1alpha1.ConditionReady, reason, message)
	c.True(v1alpha1.ConditionStalled, reason, message)
	c.Remove(v1alpha1.ConditionReconciling)
}

// maxMessage is the longest message that the API server accepts, in bytes.
const maxMessage = 32 << 10

func trimmed(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "")
}

// maxNote is the maximum length of an event's text, in bytes. The API server accepts 1024, and refuses a longer event as a
// whole.
const maxNote = 1000

// Note cuts a text to the length that the API server accepts for an event.
func Note(text string) string {
	if len(text) <= maxNote {
		return text
	}
	return strings.ToValidUTF8(text[:maxNote], "") + "…"
}

// Transition is a change of a condition that is reported as an event.
type Transition struct {
	Type    string // corev1.EventTypeNormal or corev1.EventTypeWarning
	Reason  string
	Message string
}

// Transitions returns changes of status or reason of Ready. Its message has the reason of other conditions, so they need no
// events, except for problems with the certificate of a server that is ready.
func Transitions(before, after []metav1.Condition) []Transition {
	return slices.Concat(ofReady(before, after), ofCertificate(before, after))
}

func ofCertificate(before, after []metav1.Condition) []Transition {
	was, current := meta.FindStatusCondition(before, v1alpha1.ConditionTLSReady), meta.FindStatusCondition(after, v1alpha1.ConditionTLSReady)
	if current == nil || !meta.IsStatusConditionTrue(after, v1alpha1.ConditionReady) || was != nil && was.Reason == current.Reason {
		return nil
	}
	if current.Status == metav1.ConditionTrue && current.Reason != v1alpha1.ReasonCertificateEndsSoon {
		return nil
	}
	return []Transition{{"Warning", current.Reason, current.Message}}
}

func ofReady(before, after []metav1.Condition) []Transition {
	was, current := meta.FindStatusCondition(before, v1alpha1.ConditionReady), meta.FindStatusCondition(after, v1alpha1.ConditionReady)
	if current == nil || was != nil && was.Status == current.Status && was.Reason == current.Reason {
		return nil
	}
	kind := "Normal"
	if meta.IsStatusConditionTrue(after, v1alpha1.ConditionStalled) || isTrouble(current.Reason) {
		kind = "Warning"
	}
	return []Transition{{kind, current.Reason, current.Message}}
}

// isTrouble reports whether a reason means a problem, even one that may resolve itself. Waiting for pods or for another
// resource isn't a problem.
func isTrouble(reason string) bool {
	switch reason {
	case v1alpha1.ReasonFailed, v1alpha1.ReasonDatabaseFailing, v1alpha1.ReasonCacheFailing, v1alpha1.ReasonUnavailable,
		v1alpha1.ReasonImagePullFailed, v1alpha1.ReasonServerUnreachable:
		return true
	}
	return false
}
