package chatserver

import (
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
)

// seenObjects are the objects that this process has seen for one spec of a server. A missing one is known to have been
// deleted, even during a rollout.
type seenObjects struct {
	uid        types.UID
	generation int64
	objects    apply.Inventory
}

// seenOf returns the objects that were seen for the current spec of a server. The pass adds to them.
func (r *Reconciler) seenOf(server *v1alpha1.ChatServer) apply.Inventory {
	name := client.ObjectKeyFromObject(server)
	if found, _ := r.seen.Load(name); found != nil {
		if known := found.(seenObjects); known.uid == server.UID && known.generation == server.Generation { //nolint:forcetypeassert // there are no others
			return known.objects
		}
	}
	objects := apply.Inventory{}
	r.seen.Store(name, seenObjects{server.UID, server.Generation, objects})
	return objects
}
