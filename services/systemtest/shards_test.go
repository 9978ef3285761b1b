package systemtest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/queue"
)

const (
	// outage is the time for which a server of the cluster is unavailable: longer than a lease, and than the others
	// need to detect it.
	outage = 6 * time.Second
	// unaffected is the maximum time for a request or an event of the other servers' organizations meanwhile. If one
	// waited for the unavailable server, it would take until the server is back.
	unaffected = 3 * time.Second
)

// TestOneOfSeveralServersDies has an organization on each of the three servers of a Redis Cluster, and first kills,
// then stops one of them. Meanwhile events of the other organizations arrive as usual. Afterwards every queue has every
// message once, in order.
func TestOneOfSeveralServersDies(t *testing.T) {
	t.Parallel()
	s := StartClusterSystem(t)
	w := &shardWorld{t: t, s: s, api: s.Service("api"), events: []*Process{s.Service("events"), s.Service("events")}}
	following, unfollow := context.WithCancel(t.Context())
	running, stop := context.WithCancel(t.Context())
	work := sync.WaitGroup{}
	t.Cleanup(func() {
		unfollow()
		stop()
		work.Wait()
	})
	neighbours := w.neighbours()
	for _, n := range neighbours {
		n.follow(following, &work)
	}
	sending := sync.WaitGroup{}
	for _, n := range neighbours {
		sending.Go(func() { n.send(running) })
	}
	// A subscription to all shards would be at the server of the first one.
	first := w.serverOf(0)
	victim := s.nodes[first]
	for what, away := range map[string]func() (back func() error, err error){
		"killed": func() (func() error, error) {
			return func() error { return victim.Restart(context.WithoutCancel(t.Context())) }, victim.Kill()
		},
		"standing still": func() (func() error, error) {
			return func() error { return syscall.Kill(victim.PID(), syscall.SIGCONT) }, syscall.Kill(victim.PID(), syscall.SIGSTOP)
		},
	} {
		pause(t.Context(), 2*time.Second)
		start := time.Now()
		back, err := away()
		if err != nil {
			t.Fatal(err)
		}
		pause(t.Context(), outage)
		for _, n := range neighbours {
			worst := n.worst(start)
			t.Logf("the server of shard %d %s: %s: the slowest request took %v, the latest event %v", neighbours[first].shard, what, n.name, worst.request, worst.event)
			if n.server != victim && (worst.request > unaffected || worst.event > unaffected || worst.events == 0) {
				t.Errorf("%s waited for a server that has none of its data: %+v", n.name, worst)
			}
		}
		if err := back(); err != nil {
			t.Fatal(err)
		}
		neighbours[first].heal()
	}
	stop()
	sending.Wait()
	for _, n := range neighbours {
		n.complete()
	}
}

// shardWorld is a system whose organizations are on different servers of a Redis Cluster.
type shardWorld struct {
	t      *testing.T
	s      *System
	api    *Process
	events []*Process
}

// neighbour is an organization with a member who sends messages to another.
type neighbour struct {
	t         *testing.T
	name      string
	shard     int
	server    *localserver.Redis
	sender    client
	to        string
	followers []*follower

	mutex sync.Mutex
	sent  []delivery
}

// delivery is a sent message.
type delivery struct {
	id               int64
	asked, confirmed time.Time
}

// neighbours makes organizations, one for each server, with queues at both events services.
func (w *shardWorld) neighbours() []*neighbour {
	w.t.Helper()
	all := make([]*neighbour, len(w.s.nodes))
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	w.t.Cleanup(transport.CloseIdleConnections)
	at := func(p *Process, host string, a Account) client {
		return client{http: &http.Client{Transport: transport}, urls: func() []string { return []string{p.URL()} }, host: host, email: a.Email, key: a.Key}
	}
	for i := 0; slices.Contains(all, nil); i++ {
		name := fmt.Sprintf("neighbour%d", i)
		accounts, host := w.s.OrganizationAt(w.t, name, 2), name+".localhost:8080"
		shard := int(accounts[0].Org) % 16
		server := w.serverOf(shard)
		if all[server] != nil {
			continue
		}
		n := &neighbour{
			t: w.t, name: name, shard: shard, server: w.s.nodes[server], sender: at(w.api, host, accounts[0]),
			to: asJSON([]int64{accounts[1].UserID}),
		}
		for k, events := range w.events {
			f := &follower{client: at(events, host, accounts[1]), streams: k == 1}
			if err := f.register(w.t.Context()); err != nil {
				w.t.Fatal(err)
			}
			n.followers = append(n.followers, f)
		}
		all[server] = n
	}
	return all
}

// serverOf returns the server of a shard, once the shard is dispatched.
func (w *shardWorld) serverOf(shard int) int {
	w.t.Helper()
	for deadline := time.Now().Add(startTime); time.Now().Before(deadline); pause(w.t.Context(), pulse) {
		for i, node := range w.s.nodes {
			client, err := queue.Connect(queue.Config{URL: node.URL()})
			if err != nil {
				w.t.Fatal(err)
			}
			there := client.Exists(w.t.Context(), "{s"+strconv.Itoa(shard)+"}:cursor").Val()
			_ = client.Close()
			if there == 1 {
				return i
			}
		}
	}
	w.t.Fatalf("no server has shard %d", shard)
	return 0
}

// follow runs the followers until ctx ends.
func (n *neighbour) follow(ctx context.Context, work *sync.WaitGroup) {
	for _, f := range n.followers {
		work.Go(func() { f.follow(ctx) })
	}
}

// send sends messages until ctx ends. None may be refused.
func (n *neighbour) send(ctx context.Context) {
	for i := 0; pause(ctx, 20*time.Millisecond); i++ {
		asked := time.Now()
		reply := struct {
			ID int64 `json:"id"`
		}{}
		err := n.sender.call(context.WithoutCancel(ctx), http.MethodPost, "/messages", url.Values{
			"type": {"private"}, "to": {n.to}, "content": {strconv.Itoa(i)},
		}, &reply)
		if err != nil {
			n.t.Errorf("%s: %v", n.name, err)
		}
		n.mutex.Lock()
		n.sent = append(n.sent, delivery{reply.ID, asked, time.Now()})
		n.mutex.Unlock()
	}
}

// slowest has the times of the slowest request and the slowest event.
type slowest struct {
	request, event time.Duration
	events         int
}

// worst returns the slowest times since a time. A message without an event counts with its age.
func (n *neighbour) worst(since time.Time) (w slowest) {
	n.mutex.Lock()
	sent := slices.Clone(n.sent)
	n.mutex.Unlock()
	for _, f := range n.followers {
		f.mutex.Lock()
		came := make(map[int64]time.Time, len(f.messages))
		for i, message := range f.messages {
			came[message] = f.came[i].arrived
		}
		f.mutex.Unlock()
		for _, d := range sent {
			if d.asked.Before(since) {
				continue
			}
			arrived, there := came[d.id]
			if there {
				w.events++
			} else {
				arrived = time.Now()
			}
			w.request, w.event = max(w.request, d.confirmed.Sub(d.asked)), max(w.event, arrived.Sub(d.confirmed))
		}
	}
	return w
}

// heal waits until all messages sent so far have arrived.
func (n *neighbour) heal() {
	n.t.Helper()
	n.mutex.Lock()
	last := n.sent[len(n.sent)-1].id
	n.mutex.Unlock()
	for _, f := range n.followers {
		for deadline := time.Now().Add(startTime); ; time.Sleep(pulse) {
			got, err := f.got()
			if err != nil {
				n.t.Fatalf("%s: %v", n.name, err)
			}
			if slices.Contains(got, last) {
				break
			}
			if time.Now().After(deadline) {
				n.t.Fatalf("%s: message %d doesn't arrive", n.name, last)
			}
		}
	}
}

// complete checks that each follower got each message once, in order.
func (n *neighbour) complete() {
	n.t.Helper()
	n.heal()
	want := []int64(nil)
	for _, d := range n.sent {
		want = append(want, d.id)
	}
	for i, f := range n.followers {
		if got, err := f.got(); err != nil || !slices.Equal(got, want) {
			n.t.Errorf("%s: follower %d got %d messages, want %d (%v)", n.name, i, len(got), len(want), err)
		}
	}
}
