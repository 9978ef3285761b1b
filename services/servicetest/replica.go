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

// Replica is one more events service on the world's PostgreSQL and Redis, with a Redis connection of its
// own, and a server on a port that polls leave as they leave that of a process.
type Replica struct {
	Events  *events.Service
	Handler http.Handler // of the events service alone
	URL     string       // of the server, such as http://127.0.0.1:4711
	stop    func()
	left    atomic.Int64
}

// Left is how many polls have left the server so far, to be answered late.
func (r *Replica) Left() int { return int(r.left.Load()) }

// Stop ends the replica: its server first, then its service. It is ended with the test otherwise.
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

// At is the account as a client that calls another replica.
func (a Account) At(r *Replica) Account {
	a.handler = r.Handler
	return a
}

// At is the queue as polled at another replica; each counts separately what it has received.
func (q *Queue) At(r *Replica) *Queue {
	other := *q
	other.client = q.client.At(r)
	return &other
}

// router serves endpoints to everybody, without limits, and checks that they fail as declared.
func (w *World) router(endpoints []endpoint.Endpoint, park func(http.ResponseWriter, *http.Request, longpoll.Answer) bool) http.Handler {
	return endpoint.NewRouter(endpoint.Config{
		Authenticator: w.accounts, Limiter: Unlimited{}, LocalLimiter: Unlimited{},
		Logger: w.Logger, Now: time.Now, Failed: w.failed, Park: park, Compat: true,
	}, endpoints)
}
