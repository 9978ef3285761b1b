package status

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// CacheLag is how long a cache is given to catch up with what was written.
const CacheLag = 200 * time.Millisecond

// Written remembers which version of each resource its controller has written last. The cache may be behind it: a
// pass over an older one would take for new what it has told already, and its own status would be refused after
// all. The zero value is ready, and safe for concurrent use.
type Written struct {
	versions sync.Map // of types.NamespacedName, to a resource version
}

// Note keeps the version of a resource that was written just now.
func (w *Written) Note(object client.Object) {
	w.versions.Store(client.ObjectKeyFromObject(object), object.GetResourceVersion())
}

// Forget is for resources that are gone.
func (w *Written) Forget(name types.NamespacedName) { w.versions.Delete(name) }

// IsAfter reports whether a resource that was read is older than what was written of it.
func (w *Written) IsAfter(object client.Object) bool {
	version, found := w.versions.Load(client.ObjectKeyFromObject(object))
	if !found {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(object.GetResourceVersion(), version.(string)) //nolint:forcetypeassert // Note stores strings
	return err == nil && order < 0
}
