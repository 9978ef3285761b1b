package chatserver

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"chatserver.dev/operator/api/v1alpha1"
)

// seenObjects remembers which objects this process has seen for the current spec of each server, so that a missing one is
// known to have been deleted, even during a rollout. The zero value is ready. It is safe for concurrent use.
type seenObjects struct {
	mutex   sync.Mutex
	servers map[types.NamespacedName]seenFor
}

// seenFor has the objects for one generation of one server's spec.
type seenFor struct {
	uid        types.UID
	generation int64
	objects    map[objectKey]bool
}

type objectKey struct {
	kind schema.GroupKind
	name string
}

// add records that an object of a server exists, and reports whether it was recorded before for the same spec.
func (m *seenObjects) add(server *v1alpha1.ChatServer, object *unstructured.Unstructured) bool {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	name := types.NamespacedName{Namespace: server.Namespace, Name: server.Name}
	of, known := m.servers[name]
	if !known || of.uid != server.UID || of.generation != server.Generation {
		of = seenFor{server.UID, server.Generation, map[objectKey]bool{}}
		if m.servers == nil {
			m.servers = map[types.NamespacedName]seenFor{}
		}
		m.servers[name] = of
	}
	key := objectKey{object.GroupVersionKind().GroupKind(), object.GetName()}
	was := of.objects[key]
	of.objects[key] = true
	return was
}

// forget drops a deleted server.
func (m *seenObjects) forget(server types.NamespacedName) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	delete(m.servers, server)
}
