package uploads

import (
	"context"
	"sync"
	"time"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
)

const (
	// maxReads is the maximum number of files that an account reads from a process concurrently. Each may hold a connection to the
	// storage for as long as its client takes.
	maxReads = 32
	// readWait is how long a further one waits. Browsers may request all images of a page at once.
	readWait = 5 * time.Second
)

var errReads = fault.New(fault.TooMany, fault.CodeRateLimitHit, "Too many files are being read: at most 32 at a time")

// reads limits the number of files that an account reads concurrently. It is safe for concurrent use.
type reads struct {
	mutex sync.Mutex
	by    map[id.User]*reader
}

// reader is an account that reads files.
type reader struct {
	files   int // that are being found or read, or wait
	reading chan struct{}
}

func newReads() *reads { return &reads{by: map[id.User]*reader{}} }

// begin waits until an account may read another file. The caller must call end at its end. The error is [errReads], if that
// takes too long.
func (r *reads) begin(ctx context.Context, by id.User) (end func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	reading := r.enter(by)
	select {
	case reading <- struct{}{}:
		return func() {
			<-reading
			r.leave(by)
		}, nil
	case <-ctx.Done():
		r.leave(by)
		return nil, errReads.Wrap(ctx.Err())
	}
}

// enter returns a channel with room for the files that an account may read.
func (r *reads) enter(by id.User) chan struct{} {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.by[by] == nil {
		r.by[by] = &reader{reading: make(chan struct{}, maxReads)}
	}
	r.by[by].files++
	return r.by[by].reading
}

func (r *reads) leave(by id.User) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.by[by].files--; r.by[by].files == 0 {
		delete(r.by, by)
	}
}
