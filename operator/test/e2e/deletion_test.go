//go:build e2e

package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"
)

const (
	rounds   = 10
	together = 4 // that many servers fit beside each other
)

// TestNamespacesGoInAnyOrder deletes the namespaces of a server, its organization and what is in that, in any
// order and without waiting for one before the other. Some servers aren't ready yet, or can't be.
func TestNamespacesGoInAnyOrder(t *testing.T) {
	long(t)
	install(t)
	t.Parallel()
	turns := make(chan struct{}, together)
	t.Run("rounds", func(t *testing.T) {
		for round := range rounds {
			t.Run(strconv.Itoa(round), func(t *testing.T) {
				t.Parallel()
				disappears(t, round, turns)
			})
		}
	})
}

// disappears does one round. It waits for its turn, which ends when the namespaces are on their way out.
func disappears(t *testing.T, round int, turns chan struct{}) {
	t.Helper()
	turns <- struct{}{}
	leave := sync.OnceFunc(func() { <-turns })
	defer leave()
	name := fmt.Sprintf("gone-%d", round)
	names := []string{name, name + "-org", name + "-guests"}
	for _, n := range names {
		makeNamespace(t, n)
	}
	apply(t, names[0], trial(name, version))
	apply(t, names[1], organization(name, names[0]))
	apply(t, names[2], guests("org", names[1]))
	state := "ready"
	switch round % 5 {
	case 3: // in the middle of it
		state = "starting"
		time.Sleep(time.Duration(rand.IntN(10)) * time.Second)
	case 4: // the server doesn't answer any more, and nobody will repair it
		state = "dead"
		ready(t, names[2], "bot/crier")
		patch(t, names[0], "chatserver/"+name, `{"spec":{"state":"Paused"}}`)
		kubectl(t, "scale", "-n", names[0], "deployment/"+name+"-api", "--replicas=0")
	default:
		ready(t, names[2], "stream/news", "bot/crier", "incomingwebhook/hook")
	}
	rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	began := time.Now()
	for _, n := range names {
		kubectl(t, "delete", "namespace", n, "--wait=false")
	}
	leave()
	for _, n := range names {
		eventually(t, 2*time.Minute, gone("namespace/"+n))
	}
	t.Logf("%s: %v gone after %s", state, names, time.Since(began).Round(time.Second))
}
