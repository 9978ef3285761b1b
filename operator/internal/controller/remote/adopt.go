package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

// heldPause is the time between two attempts for an object whose name is taken in the server.
const heldPause = 30 * time.Second

// mayAdopt returns the key under which the server manages what an object may take over, after the server has refused a call for that
// reason. What an object has left may be taken over in its own namespace, and in that of the organization that it is in: other
// namespaces that share a server don't get each other's. Otherwise the error is a [*blocked] that includes the server's. An error of
// another reason is returned unchanged.
func (r *reconciler[O]) mayAdopt(ctx context.Context, p *pass, object O, err error) (key string, _ error) {
	refused, ok := errors.AsType[*adminclient.Error](err)
	if !ok || refused.Code != adminapi.CodeKept || refused.HeldKey == "" {
		return "", err
	}
	key = refused.HeldKey
	holder, err := r.holderOf(ctx, object, key)
	if err != nil {
		return "", err
	}
	namespace, _, isObject := strings.Cut(key, "/") // scripts have keys of other forms
	own := namespace == object.GetNamespace() || p.organization != nil && object.GetNamespace() == p.organization.Namespace
	taken := func(next string) error { return nameTaken("the server refused: " + sentence(refused) + " " + next) }
	switch {
	case !isObject || !own: // even if there is an object, deleting it wouldn't help
		return "", taken("Choose another name. Only an administrator of the server can hand it over to this namespace")
	case holder:
		return "", taken(fmt.Sprintf("Choose another name, or delete %s %s, and set adopt", r.kind.name, key))
	case !object.Adopts():
		return "", taken("Nothing in the cluster manages it: set adopt to take it over, or choose another name")
	}
	return key, nil
}

// nameTaken returns the [*blocked] of an object that may not take over what has its name. It is retried, since that may be about to be
// deleted or handed over.
func nameTaken(text string) error {
	return &blocked{mode: stalled, condition: v1alpha1.ConditionSynced, reason: v1alpha1.ReasonNameTaken, after: heldPause, message: text}
}

// holderOf reports whether there is an object with a key in the same place as another object.
func (r *reconciler[O]) holderOf(ctx context.Context, object O, key string) (found bool, err error) {
	list := r.kind.list()
	if err := r.client.List(ctx, list, client.MatchingFields{byParent: object.Parent().String()}); err != nil {
		return false, fmt.Errorf("list what is in %s: %w", object.Parent(), err)
	}
	_ = meta.EachListItem(list, func(item runtime.Object) error { // never fails
		sibling, ok := item.(Object)
		found = found || ok && keyOf(sibling) == key
		return nil
	})
	return found, nil
}
