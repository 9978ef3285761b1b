package servicetest

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/longpoll"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/services/events"
)

// Replica is another events service on the world's PostgreSQL and Redis, with its own connection to Redis, and with an
// HTTP server on a port, from which polls are parked as in a real process.
type Replica struct {
	Events  *events.Service
	Handler http.Handler // of the events service alone
	URL     string       // of the server, such as http://127.0.0.1:4711
	stop    func()
	left    atomic.Int64
}

// Left returns the number of polls that have been parked so far.
func (r *Replica) Left() int { return int(r.left.Load()) }

// Stop stops the replica: first its server, then its service. The end of the test stops it, too.
func (r *Replica) Stop() { r.stop() }

// Replica starts a replica.
func (w *World) Replica() *Replica {
	w.T.Helper()
	client, err := queue.Connect(queue.Config{URL: w.RedisURL})
	w.must(err)
	w.T.Cleanup(func() { _ = client.Close() }) // after the replica has ended
	return w.ReplicaOn(queue.New(client))
}

// ReplicaOn starts a replica with the test's own connection to Redis.
func (w *World) ReplicaOn(redis *queue.Redis) *Replica {
	w.T.Helper()
	r := &Replica{Events: w.eventsOn(redis)}
	listener, err := (&net.ListenConfig{}).Listen(w.T.Context(), "tcp", "127.0.0.1:0")
	w.must(err)
	number := "last_event_id"
	if w.PollsParsed {
		number = ""
	}
	back := longpoll.NewReturnListener(listener.Addr())
	polls := longpoll.New(w.T.Context(), longpoll.Config{Path: "/api/v1/events", Number: number, HandBack: back.HandBack, Idle: time.Minute, Now: time.Now, Logger: w.Logger})
	park := polls.Take
	if w.PollsStay {
		park = nil
	}
	r.Handler, r.URL = w.router(r.Events.Endpoints(), park), "http://"+listener.Addr().String()
	polls.Handle(r.Handler)
	server := &http.Server{Handler: r.Handler, ReadHeaderTimeout: time.Minute, ConnState: func(_ net.Conn, to http.ConnState) {
		if to == http.StateHijacked {
			r.left.Add(1)
		}
	}}
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.T.Context()))
	serving, running := sync.WaitGroup{}, sync.WaitGroup{}
	for _, l := range []net.Listener{listener, back} {
		serving.Go(func() { _ = server.Serve(l) })
	}
	running.Go(func() {
		if err := r.Events.Run(ctx); err != nil {
			w.T.Errorf("events service: %v", err)
		}
	})
	r.stop = sync.OnceFunc(func() {
		_ = server.Close()
		serving.Wait()
		now, cancelPolls := context.WithCancel(ctx)
		cancelPolls()
		polls.Shutdown(now)
		cancel()
		running.Wait()
	})
	w.T.Cleanup(r.stop)
	return r
}

// At returns the account as a client of another replica.
func (a Account) At(r *Replica) Account {
	a.handler = r.Handler
	return a
}

// At returns the queue for polls at another replica. Each has its own last event.
func (q *Queue) At(r *Replica) *Queue {
	other := *q
	other.client = q.client.At(r)
	return &other
}

// router returns a handler of endpoints without rate limits, which checks that they fail only with declared faults.
func (w *World) router(endpoints []endpoint.Endpoint, park func(http.ResponseWriter, *http.Request, longpoll.Answer) bool) http.Handler {
	return endpoint.NewRouter(endpoint.Config{
		Authenticator: remembering{w.accounts, w}, Limiter: Unlimited{}, LocalLimiter: Unlimited{},
		Logger: w.Logger, Now: time.Now, Failed: w.failed, Park: park, Compat: true,
	}, endpoints)
}
