package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/chatapi"
)

// Object is a resource that stands for something inside a server.
type Object interface {
	client.Object
	// Guest returns the part of the status that all of them have.
	Guest() *v1alpha1.GuestStatus
	// Retained reports whether what is in the server stays when the object is deleted.
	Retained() bool
}

// kind is what differs between the kinds.
type kind[O Object] struct {
	name string // as in manifests
	noun string // of the controller, for logs and metrics
	new  func() O
	list func() client.ObjectList
	// parent names the ChatServer of an Organization, and the Organization of everything else.
	parent func(O) v1alpha1.Reference
	// secrets are the names of the Secrets that the object wants written; nil: the kind has none.
	secrets func(O) []string
	// ensure makes it so in the server, and fills in the status but for conditions. Its errors are those of
	// the calls, or halts.
	ensure func(context.Context, *pass, O) (made, error)
	// remove takes it away, and reports whether nothing is left to do.
	remove func(context.Context, *pass, O) (bool, error)
}

// pass is what a pass over an object works with.
type pass struct {
	place

	api chatapi.API
	key string // of the object in the server
	kept
}

// made is what a pass found to do in the server.
type made struct {
	created bool
	changed []string  // fields that differed
	next    time.Time // when a key comes of age; zero: never
}

// with adds what a further call found to do.
func (m made) with(changed []string, next time.Time) made {
	m.changed = append(m.changed, changed...)
	m.next = earlier(m.next, next)
	return m
}

// earlier returns the earlier of two times, where zero is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// maxKey is how long a key in the server may be, in characters.
const maxKey = 200

// keyOf returns the key that an object has in the server: <namespace>/<name>, and where that is too long, its
// beginning with a sum of the whole.
func keyOf(object client.Object) string {
	key := types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}.String()
	if len(key) <= maxKey {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	end := "~" + hex.EncodeToString(sum[:16])
	return key[:maxKey-len(end)] + end
}

// refer returns the name that a reference means in a namespace.
func refer(to v1alpha1.Reference, namespace string) types.NamespacedName {
	if to.Namespace != "" {
		namespace = to.Namespace
	}
	return types.NamespacedName{Namespace: namespace, Name: to.Name}
}
