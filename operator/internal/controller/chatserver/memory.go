package chatserver

import (
	"time"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
)

// If somebody, such as another controller, changes objects of a server again each time that they are reverted, only the first
// passes follow each other immediately.
const (
	repairsAtOnce = 20
	repairPeriod  = 3 * time.Second
)

// memory is what this process remembers of a server, for one spec.
type memory struct {
	uid        types.UID
	generation int64
	// seen are the objects that passes have seen. A missing one is known to have been deleted, even during a rollout.
	seen    apply.Inventory
	repairs *rate.Limiter // of passes that revert changes, or write a Secret again
	next    time.Time     // the earliest time of the next pass
	ask     time.Time     // the earliest time at which pods are asked for their health
	// unlisted are the kinds whose objects the cache doesn't have, and since when. They don't depend on the spec.
	unlisted map[schema.GroupVersionKind]time.Time
}

// memoryOf returns what is remembered for the current spec of a server. The pass adds to it.
func (r *Reconciler) memoryOf(server *v1alpha1.ChatServer) *memory {
	name, unlisted := client.ObjectKeyFromObject(server), map[schema.GroupVersionKind]time.Time{}
	if found, _ := r.memories.Load(name); found != nil {
		known := found.(*memory) //nolint:forcetypeassert // there are no others
		if known.uid == server.UID && known.generation == server.Generation {
			return known
		}
		unlisted = known.unlisted
	}
	made := &memory{
		uid: server.UID, generation: server.Generation, seen: apply.Inventory{}, repairs: rate.NewLimiter(rate.Every(repairPeriod), repairsAtOnce),
		unlisted: unlisted,
	}
	r.memories.Store(name, made)
	return made
}

// repaired notes that a pass has reverted changes.
func (m *memory) repaired(now time.Time) {
	m.next = now.Add(m.repairs.ReserveN(now, 1).DelayFrom(now))
}

// unlistedFor returns for how long the cache hasn't had the objects of a kind.
func (m *memory) unlistedFor(kind schema.GroupVersionKind, now time.Time) time.Duration {
	if m.unlisted[kind].IsZero() {
		m.unlisted[kind] = now
	}
	return now.Sub(m.unlisted[kind])
}
