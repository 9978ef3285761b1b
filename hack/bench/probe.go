//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"chatserver.dev/pkg/id"
)

// What a small organization does.
const (
	neighbourSenders = 4
	neighbourReaders = 2
	neighbourPeople  = neighbourSenders + neighbourReaders
	// between is the time from one of its messages to the next.
	between = 20 * time.Millisecond
	// lost is how long a message may take. It is longer than any deadline of the services.
	lost = 2 * time.Minute
)

// neighbour is a small organization in the same database.
type neighbour struct {
	subdomain string
	first     int       // of its accounts, which come after those of the large one
	stream    id.Stream // with all its accounts
}

// populateNeighbour makes the small organization number i, in a shard of the event log that is further than the large one's by
// some shards.
func (b *bench) populateNeighbour(ctx context.Context, i int, further int) (neighbour, error) {
	n := neighbour{subdomain: fmt.Sprintf("neighbour%d", i), first: accounts + 1 + i*neighbourPeople}
	org := id.Org(0)
	err := b.db.QueryRow(ctx, `insert into organizations (org_id, subdomain, name) values ($1, $2, 'Neighbour') returning org_id`,
		int(b.org.id)+further, n.subdomain).Scan(&org)
	if err != nil {
		return n, fmt.Errorf("make a small organization: %w", err)
	}
	last := n.first + neighbourPeople - 1
	if _, err := b.db.Exec(ctx, `insert into users (org_id, user_id, email, full_name, api_key_hash)
		select $1, i, 'u' || i || '@bench.example', 'Neighbour ' || i, sha256(convert_to(lpad(i::text, 32, '0'), 'UTF8'))
		from generate_series($2::bigint, $3::bigint) i`, org, n.first, last); err != nil {
		return n, fmt.Errorf("make its accounts: %w", err)
	}
	if _, err := b.db.Exec(ctx, "select setval('user_ids', $1)", last); err != nil {
		return n, err
	}
	n.stream, err = b.makeStream(ctx, org, "lane", n.first, last)
	return n, err
}

// probe measures how long messages take in the small organization: one is sent whenever it is time, whether or not
// those before it have arrived. Its time begins then, so that a server which stops answering isn't measured less.
type probe struct {
	neighbour
	due         chan int // messages to send
	connections []*connection
	running     sync.WaitGroup
	stop        context.CancelFunc

	mutex   sync.Mutex
	phase   *phase // of what is sent now; nil: it doesn't count
	started map[int]underWay
	failed  error
}

// underWay is a message that was sent.
type underWay struct {
	at    time.Time
	phase *phase
	sent  bool // until then it has no answer
	left  int  // receivers who don't have it yet
}

// phase is what is measured together.
type phase struct {
	sends      []time.Duration // until the sender had the answer
	deliveries []time.Duration // until a receiver had the message
	pending    int             // sends and deliveries
}

// newProbe lets the small organization work, until it is closed.
func (b *bench) newProbe(ctx context.Context, n neighbour) (_ *probe, err error) {
	ctx, stop := context.WithCancel(ctx)
	p := &probe{neighbour: n, due: make(chan int, 1<<14), stop: stop, started: map[int]underWay{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	for i := range neighbourPeople {
		account, addr, work := n.first+i, b.api.addr, p.send
		if i >= neighbourSenders {
			addr, work = b.events.addr, p.receive
		}
		c, err := dial(ctx, addr)
		if err != nil {
			return nil, err
		}
		p.connections = append(p.connections, c)
		p.running.Go(func() {
			if err := work(c, account); err != nil && ctx.Err() == nil {
				p.fail(fmt.Errorf("account %d of %s: %w", account, n.subdomain, err))
			}
		})
	}
	p.running.Go(func() {
		defer close(p.due)
		ticker := time.NewTicker(between)
		defer ticker.Stop()
		for number := 0; ; number++ {
			select {
			case <-ctx.Done():
				return
			case at := <-ticker.C:
				p.begin(number, at)
			}
		}
	})
	return p, nil
}

func (p *probe) close() error {
	p.stop()
	for _, c := range p.connections {
		_ = unix.Shutdown(int(c.Fd()), unix.SHUT_RDWR) // who waits for an answer waits in the kernel
	}
	p.running.Wait()
	for _, c := range p.connections {
		c.Close() //nolint:errcheck,gosec // nobody uses it
	}
	return p.failure()
}

func (p *probe) fail(err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.failed = errors.Join(p.failed, err)
}

func (p *probe) failure() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.failed
}

// begin has a message sent, at its time.
func (p *probe) begin(number int, at time.Time) {
	p.mutex.Lock()
	if p.phase != nil {
		p.started[number] = underWay{at: at, phase: p.phase, left: neighbourReaders}
		p.phase.pending += 1 + neighbourReaders
	}
	p.mutex.Unlock()
	p.due <- number
}

// send sends what is due.
func (p *probe) send(c *connection, account int) error {
	for number := range p.due {
		form := url.Values{
			"type": {"stream"}, "to": {strconv.FormatInt(int64(p.stream), 10)}, "topic": {topic}, "content": {mark + strconv.Itoa(number) + "."},
		}
		if err := c.accepted(request("POST", "/api/v1/messages", p.subdomain, account, form)); err != nil {
			return err
		}
		now := time.Now()
		p.note(number, func(m *underWay) {
			m.sent = true
			m.phase.sends = append(m.phase.sends, now.Sub(m.at))
		})
	}
	return nil
}

// mark is what a message's number follows.
const mark = "message number "

// receive polls and notes what arrives.
func (p *probe) receive(c *connection, account int) error {
	status, body, err := c.do(request("POST", "/api/v1/register", p.subdomain, account, url.Values{"fetch_event_types": {"[]"}}))
	q := eventQueue{}
	if err == nil && status != 200 {
		err = fmt.Errorf("register: %d %s", status, body)
	}
	if err = errors.Join(err, json.Unmarshal(body, &q)); err != nil {
		return err
	}
	for {
		status, body, err := c.do(request("GET", "/api/v1/events", p.subdomain, account, url.Values{
			"queue_id": {q.ID}, "last_event_id": {strconv.FormatInt(q.Last, 10)},
		}))
		if err == nil && status != 200 {
			err = fmt.Errorf("poll: %d %s", status, body)
		}
		if err != nil {
			return err
		}
		now := time.Now()
		for number := range eventsOf(body) {
			q.Last = max(q.Last, number)
		}
		for _, after, found := bytes.Cut(body, []byte(mark)); found; _, after, found = bytes.Cut(after, []byte(mark)) {
			digits, _, _ := bytes.Cut(after, []byte("."))
			number, err := strconv.Atoi(string(digits))
			if err != nil {
				return err
			}
			p.note(number, func(m *underWay) {
				m.left--
				m.phase.deliveries = append(m.phase.deliveries, now.Sub(m.at))
			})
		}
	}
}

// note notes that a message got somewhere.
func (p *probe) note(number int, what func(*underWay)) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	m, counts := p.started[number]
	if !counts {
		return
	}
	what(&m)
	m.phase.pending--
	p.started[number] = m
	if m.sent && m.left == 0 {
		delete(p.started, number)
	}
}

// enter begins a measurement: from now on, messages count for it.
func (p *probe) enter() *phase {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.phase = &phase{}
	return p.phase
}

// leave ends what enter began.
func (p *probe) leave() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.phase = nil
}

// await returns when all messages of a measurement have arrived.
func (p *probe) await(ctx context.Context, of *phase) error {
	for end := time.Now().Add(lost); ; {
		p.mutex.Lock()
		pending := of.pending
		p.mutex.Unlock()
		if pending == 0 || p.failure() != nil {
			return p.failure()
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d sends and deliveries of %s take longer than %v", pending, p.subdomain, lost)
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
}
