package status

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// CacheLag is how long the cache may take to catch up with a write.
const CacheLag = 200 * time.Millisecond

// forgetAfter is how long a write is remembered. A cache that is still older after that will never catch up: etcd was
// restored from a backup, and versions start again from an earlier one.
const forgetAfter = 30 * time.Second

// Written stores the version of each resource that its controller wrote last. The cache may be older: a pass over an
// older version would report the same changes again, and then fail with a conflict. It is safe for concurrent use.
type Written struct {
	clock  clock.PassiveClock
	writes sync.Map // of types.NamespacedName, to a write
}

type write struct {
	version string
	at      time.Time
}

// NewWritten returns a Written without any write.
func NewWritten(clock clock.PassiveClock) *Written { return &Written{clock: clock} }

// Note records the version of a resource after a write.
func (w *Written) Note(object client.Object) {
	w.writes.Store(client.ObjectKeyFromObject(object), write{object.GetResourceVersion(), w.clock.Now()})
}

// Forget drops a deleted resource.
func (w *Written) Forget(name types.NamespacedName) { w.writes.Delete(name) }

// IsAfter reports whether a resource that was read is older than the last write.
func (w *Written) IsAfter(object client.Object) bool {
	found, ok := w.writes.Load(client.ObjectKeyFromObject(object))
	if !ok {
		return false
	}
	last := found.(write) //nolint:forcetypeassert // Note stores writes
	if w.clock.Since(last.at) > forgetAfter {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(object.GetResourceVersion(), last.version)
	return err == nil && order < 0
}
