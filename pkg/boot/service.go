package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"chatserver.dev/pkg/longpoll"
)

// service is a process that serves.
type service struct {
	*process

	parts   []Part
	health  *health
	server  *http.Server
	waiting *longpoll.Server // of polls that have left server
	release func()           // lets a second signal end the process
}

// run serves until ctx ends or a part fails, then shuts down in order. Clients use the first listener.
func (s *service) run(ctx context.Context, listeners ...net.Listener) error {
	failed := make(chan error, len(s.parts)+len(listeners))
	// The end of ctx begins the shutdown; parts don't end with it.
	running := startParts(context.WithoutCancel(ctx), s.parts, failed)
	served := sync.WaitGroup{}
	for _, listener := range listeners {
		served.Go(func() {
			if err := s.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serve HTTP: %w", err)
			}
		})
	}
	s.deps.Logger.InfoContext(ctx, "serving", slog.String("address", listeners[0].Addr().String()))
	err := s.wait(ctx, failed)
	s.release()
	s.deps.Logger.InfoContext(ctx, "shutting down")
	s.health.ending.Store(true)
	if err == nil {
		err = s.delay(failed)
	}
	s.shutDown(context.WithoutCancel(ctx))
	served.Wait()
	running.stop()
	close(failed)
	for late := range failed {
		err = errors.Join(err, late)
	}
	s.deps.Logger.InfoContext(ctx, "stopped")
	return err
}

// wait returns when the service must shut down: nil on request, or the error of a part.
func (s *service) wait(ctx context.Context, failed <-chan error) error {
	if s.program.Started != nil {
		if err := s.program.Started(ctx, s.deps); err != nil {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // a shutdown was requested during the start
			}
			return err
		}
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

// delay waits for the configured delay before the shutdown, unless a part fails.
func (s *service) delay(failed <-chan error) error {
	if s.deps.Config.Delay == 0 {
		return nil
	}
	select {
	case <-time.After(s.deps.Config.Delay):
		return nil
	case err := <-failed:
		return err
	}
}

// shutDown stops the server: it accepts no new connections, answers polls, and finishes requests or aborts them after the
// grace period.
func (s *service) shutDown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.deps.Config.Grace)
	defer cancel()
	ending := sync.WaitGroup{}
	for _, part := range s.parts {
		if part.Drain != nil {
			ending.Go(func() { part.Drain(ctx, s.deps.Config.Grace/2) })
		}
	}
	if err := s.server.Shutdown(ctx); err != nil {
		s.deps.Logger.WarnContext(ctx, "requests are aborted: they take longer than SHUTDOWN_GRACE", slog.Any("error", err))
		_ = s.server.Close() // the warning says why
	}
	ending.Wait()
	s.waiting.Shutdown(ctx)
}

// runningParts are the parts that are running.
type runningParts []runningPart

type runningPart struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// startParts starts the parts, each with its own context. It sends a part's error to failed, also if the part returns before
// it was stopped.
func startParts(ctx context.Context, parts []Part, failed chan<- error) runningParts {
	running := runningParts(nil)
	for _, part := range parts {
		if part.Run == nil {
			continue
		}
		ctx, cancel := context.WithCancel(ctx)
		done := make(chan struct{})
		running = append(running, runningPart{cancel, done})
		go func() {
			defer close(done)
			err := part.Run(ctx)
			switch {
			case ctx.Err() != nil && errors.Is(err, context.Canceled):
			case err != nil:
				failed <- fmt.Errorf("%s: %w", part.Name, err)
			case ctx.Err() == nil:
				failed <- fmt.Errorf("%s ended by itself", part.Name)
			}
		}()
	}
	return running
}

// stop stops the parts one at a time, in reverse order.
func (running runningParts) stop() {
	for _, part := range slices.Backward(running) {
		part.cancel()
		<-part.done
	}
}
