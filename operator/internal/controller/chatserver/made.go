package chatserver

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"chatserver.dev/operator/api/v1alpha1"
)

// made remembers which objects this operator has seen in place for the spec of each server, so that one that goes
// missing is known to have been deleted, even in the middle of a rollout. The zero value is ready. It is safe for
// concurrent use.
type made struct {
	mutex   sync.Mutex
	servers map[types.NamespacedName]madeFor
}

// madeFor is what was made for one generation of the spec of one server.
type madeFor struct {
	uid        types.UID
	generation int64
	objects    map[objectKey]bool
}

type objectKey struct {
	kind schema.GroupKind
	name string
}

// add notes that an object of a server is in place, and reports whether it had been before, for the same spec.
func (m *made) add(server *v1alpha1.ChatServer, object *unstructured.Unstructured) bool {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	name := types.NamespacedName{Namespace: server.Namespace, Name: server.Name}
	of, known := m.servers[name]
	if !known || of.uid != server.UID || of.generation != server.Generation {
		of = madeFor{server.UID, server.Generation, map[objectKey]bool{}}
		if m.servers == nil {
			m.servers = map[types.NamespacedName]madeFor{}
		}
		m.servers[name] = of
	}
	key := objectKey{object.GroupVersionKind().GroupKind(), object.GetName()}
	was := of.objects[key]
	of.objects[key] = true
	return was
}

// forget drops what is known of a server that is gone.
func (m *made) forget(server types.NamespacedName) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	delete(m.servers, server)
}
