//go:build e2e

package e2e_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestHibernation puts a server to sleep, and watches its pods go: each service when the one before has drained, and
// PostgreSQL and Redis last. Then it wakes.
func TestHibernation(t *testing.T) {
	long(t)
	install(t)
	t.Parallel()
	const name = "sleeper"
	trialWithGuests(t, name, version)
	order := []string{"webhook", "events", "api", "postgres"}
	patch(t, name, "chatserver/"+name, `{"spec":{"state":"Hibernated"}}`)
	seen := map[string]bool{} // services that drained while they were watched
	eventually(t, 5*time.Minute, func() error {
		there, ending := componentsOf(t, name)
		for i, component := range order[:3] {
			seen[component] = seen[component] || ending[component]
			for _, later := range order[i+1:] {
				if there[component] && (!there[later] || ending[later]) {
					t.Errorf("%s goes while pods of %s are there: there are %v, ending are %v", later, component, there, ending)
				}
			}
		}
		if now := conditionOf(t, name, "chatserver/"+name, "Ready"); now.Reason != "Hibernated" {
			return fmt.Errorf("Ready is %+v", now)
		}
		if there, _ := componentsOf(t, name); len(there) > 0 {
			t.Errorf("it sleeps, and there are pods of %v", there)
		}
		return nil
	})
	if len(seen) != 3 || slices.ContainsFunc(order[:3], func(component string) bool { return !seen[component] }) {
		t.Errorf("seen to drain: %v", seen)
	}
	patch(t, name, "chatserver/"+name, `{"spec":{"state":"Running"}}`)
	says(t, name, "chatserver/"+name, "Ready", "Serving")
	ready(t, name, "bot/crier")
	eventually(t, time.Minute, func() error {
		if there, _ := componentsOf(t, name); len(there) < 5 {
			return errors.New("pods are missing")
		}
		return nil
	})
}

// componentsOf returns which components of a server have pods, and of which pods are ending. Pods of Jobs are none.
func componentsOf(t testing.TB, name string) (there, ending map[string]bool) {
	t.Helper()
	there, ending = map[string]bool{}, map[string]bool{}
	for _, pod := range list(t, name, "pods", "--field-selector=status.phase=Running") {
		component := pod.Metadata.Labels["app.kubernetes.io/component"]
		there[component] = true
		ending[component] = ending[component] || pod.Metadata.DeletionTimestamp != ""
	}
	return there, ending
}
