package status_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/status"
)

// The transition time of a condition is that of the last change of its status that was written.
func TestTransitionTime(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	clock := clocktesting.NewFakePassiveClock(noon)
	list := []metav1.Condition{}
	pass := func(change func(c status.Conditions)) metav1.Condition {
		c := status.Of(&list, 3, clock)
		change(c)
		return *c.Get("A")
	}
	pass(func(c status.Conditions) { c.False("A", "R", "first") })
	clock.SetTime(noon.Add(time.Hour))
	if got := pass(func(c status.Conditions) { c.False("A", "Other", "second") }); !got.LastTransitionTime.Time.Equal(noon) || got.Message != "second" || got.ObservedGeneration != 3 {
		t.Errorf("the same status: %+v", got)
	}
	if got := pass(func(c status.Conditions) { c.True("A", "R", ""); c.False("A", "R", "") }); !got.LastTransitionTime.Time.Equal(noon) {
		t.Errorf("to and fro in a pass: %+v", got)
	}
	if got := pass(func(c status.Conditions) { c.True("A", "R", "") }); !got.LastTransitionTime.Time.Equal(noon.Add(time.Hour)) {
		t.Errorf("another status: %+v", got)
	}
}

// The rules of kstatus: the conditions Reconciling and Stalled exist only while they are true, and never both.
func TestManners(t *testing.T) {
	list := []metav1.Condition{}
	c := status.Of(&list, 1, clocktesting.NewFakePassiveClock(time.Now()))
	for _, step := range []struct {
		name string
		set  func(reason, message string)
		want map[string]metav1.ConditionStatus
	}{
		{"working", c.Working, map[string]metav1.ConditionStatus{"Ready": "False", "Reconciling": "True"}},
		{"stuck", c.Stuck, map[string]metav1.ConditionStatus{"Ready": "False", "Stalled": "True"}},
		{"working again", c.Working, map[string]metav1.ConditionStatus{"Ready": "False", "Reconciling": "True"}},
		{"done", c.Done, map[string]metav1.ConditionStatus{"Ready": "True"}},
	} {
		step.set("R", "m"+strings.Repeat("é", 20<<10))
		got := map[string]metav1.ConditionStatus{}
		for _, condition := range list {
			got[condition.Type] = condition.Status
			if n := len(condition.Message); n != 32<<10-1 || !utf8.ValidString(condition.Message) {
				t.Errorf("%s: the API server wouldn't take a message of %d bytes", step.name, len(condition.Message))
			}
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

func TestTransitions(t *testing.T) {
	ready := func(status metav1.ConditionStatus, reason, message string) []metav1.Condition {
		return []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: status, Reason: reason, Message: message}}
	}
	tls := func(status metav1.ConditionStatus, reason, message string) []metav1.Condition {
		return append(ready("True", "Serving", "it serves"), metav1.Condition{Type: v1alpha1.ConditionTLSReady, Status: status, Reason: reason, Message: message})
	}
	stalled := append(ready("False", "Refused", "no"), metav1.Condition{Type: v1alpha1.ConditionStalled, Status: "True"})
	for _, c := range []struct {
		name          string
		before, after []metav1.Condition
		want          []status.Transition
	}{
		{"nothing is said", nil, nil, nil},
		{"the first", nil, ready("True", "Serving", "it serves"), []status.Transition{{"Normal", "Serving", "it serves"}}},
		{"other words", ready("True", "Serving", "a"), ready("True", "Serving", "b"), nil},
		{"another reason", ready("False", "A", "a"), ready("False", "B", "b"), []status.Transition{{"Normal", "B", "b"}}},
		{"another status", ready("True", "A", "a"), ready("False", "A", "b"), []status.Transition{{"Normal", "A", "b"}}},
		{
			"a certificate ends soon", tls("True", "CertificateReady", "a"), tls("True", "CertificateEndsSoon", "b"),
			[]status.Transition{{"Warning", "CertificateEndsSoon", "b"}},
		},
		{
			"a certificate lacks a name", tls("True", "CertificateReady", "a"), tls("False", "CertificateNotReady", "b"),
			[]status.Transition{{"Warning", "CertificateNotReady", "b"}},
		},
		{"a certificate is renewed", tls("True", "CertificateEndsSoon", "a"), tls("True", "CertificateReady", "b"), nil},
		{"stalled", ready("True", "A", "a"), stalled, []status.Transition{{"Warning", "Refused", "no"}}},
		{"the database fails", ready("True", "A", "a"), ready("False", v1alpha1.ReasonDatabaseFailing, "b"), []status.Transition{{"Warning", "DatabaseFailing", "b"}}},
		{"it waits for the database", nil, ready("False", v1alpha1.ReasonWaitingForDatabase, "b"), []status.Transition{{"Normal", "WaitingForDatabase", "b"}}},
		{"failed", ready("True", "A", "a"), ready("False", v1alpha1.ReasonFailed, "b"), []status.Transition{{"Warning", "Failed", "b"}}},
	} {
		if diff := cmp.Diff(c.want, status.Transitions(c.before, c.after)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestNotesFitIntoEvents(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("ß", 500), strings.Repeat("ß", 512), "a" + strings.Repeat("ß", 4096)} {
		note := status.Note(text)
		if len(note) > 1024 || !utf8.ValidString(note) || len(text) <= 1000 && note != text || !strings.HasPrefix(text, strings.TrimSuffix(note, "…")) {
			t.Errorf("a text of %d bytes becomes %d: %q", len(text), len(note), note)
		}
	}
}
