package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

// Object is a resource that represents something inside a server.
type Object interface {
	client.Object
	// Guest returns the part of the status that all kinds have.
	Guest() *v1alpha1.GuestStatus
	// Retained reports whether the server keeps its contents that the object represents when the object is deleted.
	Retained() bool
	// Parent names the ChatServer of an Organization, and the Organization of everything else.
	Parent() types.NamespacedName
	// Adopts reports whether the object may take over what is in the server already.
	Adopts() bool
}

// kind describes a kind of guests to the reconciler.
type kind[O Object] struct {
	name string // as in manifests
	new  func() O
	list func() client.ObjectList
	// secrets returns the names of the Secrets that the spec requests; nil: the kind has none.
	secrets func(O) []string
	// reads returns the names of the Secrets that the spec refers to; nil: the kind has none.
	reads func(O) []string
	// ensure creates or updates the object in the server, and sets its status except for conditions. It returns errors
	// of calls to the server, or a [*blocked].
	ensure func(context.Context, *pass, O) (changes, error)
	// ensureTime is the timeout of ensure; 0: [callTime].
	ensureTime time.Duration
	// remove deletes the object from the server, and reports whether the deletion is complete.
	remove func(context.Context, *pass) (bool, error)
	// needed reports whether others that are being deleted need an object that stays in the server; nil: they never do.
	needed func(context.Context, keyStore, O) (bool, error)
}

// pass is the state of a pass over an object.
type pass struct {
	location

	api *adminclient.Client
	key string // of the object in the server
	// adoptFrom is the key that what the object takes over has had until now; empty: it has none.
	adoptFrom string
	keyStore
}

// changes describes what a pass has changed in the server.
type changes struct {
	created bool
	changed []string  // fields that differed
	next    time.Time // when a key must be rotated; zero: never
}

// changesOf returns the changes of a call.
func changesOf[S any](ensured adminapi.Ensured[S]) changes {
	return changes{created: ensured.Created, changed: ensured.Changed}
}

// removeFrom returns the remove function of a kind whose objects are in organizations.
func removeFrom[S, O any](in func(*adminclient.Client, string) adminclient.Objects[S, O]) func(context.Context, *pass) (bool, error) {
	return func(ctx context.Context, p *pass) (bool, error) {
		_, err := in(p.api, keyOf(p.organization)).Delete(ctx, p.key)
		return err == nil, err
	}
}

// with adds the changes of another call.
func (m changes) with(changed []string, next time.Time) changes {
	m.changed = append(m.changed, changed...)
	m.next = earlier(m.next, next)
	return m
}

// earlier returns the earlier of two times. Zero means never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// maxKey is the maximum length of an object's key in the server, in characters.
const maxKey = 200

// keyOf returns the key of an object in the server: <namespace>/<name>. If that is too long, it is cut, and a hash of
// the whole is appended.
func keyOf(object client.Object) string {
	key := types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}.String()
	if len(key) <= maxKey {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	end := "~" + hex.EncodeToString(sum[:16])
	return key[:maxKey-len(end)] + end
}
