package status

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// CacheLag is how long the cache may take to catch up with a write.
const CacheLag = 200 * time.Millisecond

// Written stores the version of each resource that its controller wrote last. The cache may be older: a pass over an
// older version would report the same changes again, and then fail with a conflict. The zero value is ready to use, and
// safe for concurrent use.
type Written struct {
	versions sync.Map // of types.NamespacedName, to a resource version
}

// Note records the version of a resource after a write.
func (w *Written) Note(object client.Object) {
	w.versions.Store(client.ObjectKeyFromObject(object), object.GetResourceVersion())
}

// Forget drops a deleted resource.
func (w *Written) Forget(name types.NamespacedName) { w.versions.Delete(name) }

// IsAfter reports whether a resource that was read is older than the last write.
func (w *Written) IsAfter(object client.Object) bool {
	version, found := w.versions.Load(client.ObjectKeyFromObject(object))
	if !found {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(object.GetResourceVersion(), version.(string)) //nolint:forcetypeassert // Note stores strings
	return err == nil && order < 0
}
