// Package retry determines how soon a failed pass of a controller is repeated.
package retry

import (
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	first = 5 * time.Millisecond
	// longest is the longest time between two attempts. The default of controller-runtime is a quarter of an hour: what made the
	// attempts fail, such as a ResourceQuota or an admission webhook, isn't watched, and its correction would go unnoticed for as
	// long.
	longest = time.Minute
)

// Limiter returns a rate limiter for the queue of a controller. The time between two attempts doubles with each failure, up to
// a minute.
func Limiter() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](first, longest)
}
