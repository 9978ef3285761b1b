package endpoint

import (
	"context"
	"sync/atomic"
	"time"
)

// waitedKey is the key of a connection's *atomic.Int64 in the contexts of its requests.
type waitedKey struct{}

// WithWaited returns the context for the requests of a connection that waited before it was served.
func WithWaited(ctx context.Context, waited time.Duration) context.Context {
	left := &atomic.Int64{}
	left.Store(int64(waited))
	return context.WithValue(ctx, waitedKey{}, left)
}

// Waited returns how long the connection of ctx's request waited before it was served. Only its first call for a connection
// does; later ones return 0, since the client's later requests didn't wait.
func Waited(ctx context.Context) time.Duration {
	left, ok := ctx.Value(waitedKey{}).(*atomic.Int64)
	if !ok {
		return 0
	}
	return time.Duration(left.Swap(0))
}
