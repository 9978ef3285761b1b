package chatserver

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"chatserver.dev/operator/api/v1alpha1"
)

// written remembers which version of each server's status was written last. The cache may be behind it: a pass over
// an older one would take what is missing for what was never made, and its own status would be refused after all.
// The zero value is ready, and safe for concurrent use.
type written struct {
	versions sync.Map // of types.NamespacedName, to a resource version
}

// note keeps the version of a server that was written just now.
func (w *written) note(server *v1alpha1.ChatServer) {
	w.versions.Store(nameOf(server), server.ResourceVersion)
}

// forget is for servers that are gone.
func (w *written) forget(name types.NamespacedName) { w.versions.Delete(name) }

// isAfter reports whether a server that was read is older than what was written of it.
func (w *written) isAfter(server *v1alpha1.ChatServer) bool {
	version, found := w.versions.Load(nameOf(server))
	if !found {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(server.ResourceVersion, version.(string)) //nolint:forcetypeassert // note stores strings
	return err == nil && order < 0
}

func nameOf(server *v1alpha1.ChatServer) types.NamespacedName {
	return types.NamespacedName{Namespace: server.Namespace, Name: server.Name}
}
