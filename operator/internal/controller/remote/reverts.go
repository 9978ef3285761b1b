package remote

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
)

// If somebody else, such as another controller, changes a Secret again each time that it is reverted, only the first reverts follow
// each other immediately: each may replace the key.
const (
	revertsAtOnce = 5
	revertPeriod  = 5 * time.Minute
)

// reverts stores what this process has written into Secrets, by the objects that they belong to. It is safe for concurrent use
// as long as an object has one pass at a time.
type reverts struct {
	objects sync.Map // of types.NamespacedName, to a map of Secrets' names to *writes
}

// writes are those into one Secret.
type writes struct {
	version string        // after the last one; empty: there was none
	reverts *rate.Limiter // of those that reverted what others had written
	by      string        // the field manager of the last change that was reverted
}

// of returns the writes into a Secret of an object.
func (r *reverts) of(object client.Object, secret string) *writes {
	found, _ := r.objects.LoadOrStore(client.ObjectKeyFromObject(object), map[string]*writes{})
	all := found.(map[string]*writes) //nolint:forcetypeassert // there are no others
	if all[secret] == nil {
		all[secret] = &writes{reverts: rate.NewLimiter(rate.Every(revertPeriod), revertsAtOnce)}
	}
	return all[secret]
}

// forget drops a deleted object.
func (r *reverts) forget(name types.NamespacedName) { r.objects.Delete(name) }

// add records a write. was is the Secret before it; nil: there was none.
func (w *writes) add(was, is *corev1.Secret, now time.Time) {
	if w.version != "" && (was == nil || was.ResourceVersion != w.version) {
		w.reverts.AllowN(now, 1)
		w.by = writerOf(was)
	}
	w.version = is.ResourceVersion
}

// contested returns a [*blocked] if others have changed or deleted a Secret after each revert.
func (w *writes) contested(name string, now time.Time) error {
	left := 1 - w.reverts.TokensAt(now)
	if left <= 0 {
		return nil
	}
	return &blocked{
		mode: stalled, condition: v1alpha1.ConditionCredentialsReady, reason: v1alpha1.ReasonSecretContested,
		after: max(time.Duration(left*float64(revertPeriod)), time.Second),
		message: fmt.Sprintf("Secret %s is changed by %s each time that the operator has written it. Only the operator may write it: "+
			"remove it from what they apply. The operator tries again within minutes", name, w.by),
	}
}

// writerOf returns the field manager other than the operator's that has last written a Secret's data. nil: the Secret was deleted.
func writerOf(secret *corev1.Secret) string {
	last, by := time.Time{}, "others"
	if secret == nil {
		return by
	}
	for _, entry := range secret.ManagedFields {
		if entry.Manager == v1alpha1.Manager || entry.FieldsV1 == nil || !strings.Contains(string(entry.FieldsV1.GetRawBytes()), `"f:data"`) {
			continue
		}
		if at := timeOf(entry); !at.Before(last) {
			last, by = at, entry.Manager
		}
	}
	return by
}

func timeOf(entry metav1.ManagedFieldsEntry) time.Time {
	if entry.Time == nil {
		return time.Time{}
	}
	return entry.Time.Time
}
