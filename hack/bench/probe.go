//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"chatserver.dev/pkg/id"
)

// Sizes of a small organization.
const (
	neighbourSenders = 4
	neighbourReaders = 2
	neighbourPeople  = neighbourSenders + neighbourReaders
	// between is the interval between its messages.
	between = 20 * time.Millisecond
	// mark precedes the numbers in a message: when it was due, and its phase.
	mark = "message due "
)

// neighbour is a small organization in the same database.
type neighbour struct {
	subdomain string
	first     int       // of its accounts, which come after those of the large one
	stream    id.Stream // with all its accounts
}

// populateNeighbour inserts the small organization number i. Its shard of the event log is the large one's plus
// further.
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

// probe measures the latency of messages in the small organization. They are sent at fixed intervals, even if earlier
// ones haven't arrived, and their time begins when they are due, so that pauses of the server are measured completely.
type probe struct {
	neighbour
	epoch       time.Time
	due         chan message // to be sent
	connections []*connection
	running     sync.WaitGroup
	stop        context.CancelFunc

	mutex  sync.Mutex
	phases []*phase // the last one is of what is sent now
	failed error
}

// message is a message with the time when it was due, since the epoch, and the phase that it counts for. Its text has
// both.
type message struct {
	due   time.Duration
	phase int
}

// phase is a set of measurements that are evaluated together.
type phase struct {
	sends      []time.Duration // until the sender received the answer
	deliveries []time.Duration // until a receiver received the message
	pending    int             // sends and deliveries
}

// newProbe starts the traffic of the small organization. It runs until the probe is closed. Messages are due at whole intervals
// plus shift: those of two organizations would delay each other more in one run than in another if that were left to chance.
func (b *bench) newProbe(ctx context.Context, n neighbour, shift time.Duration) (_ *probe, err error) {
	ctx, stop := context.WithCancel(ctx)
	p := &probe{neighbour: n, epoch: time.Now(), due: make(chan message, 1<<14), stop: stop, phases: []*phase{{}}}
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
		conn, err := dialPolled(ctx, addr)
		if err != nil {
			return nil, err
		}
		c := &connection{ReadWriteCloser: conn}
		p.connections = append(p.connections, c)
		p.running.Go(func() {
			if err := work(c, account); err != nil && ctx.Err() == nil {
				p.fail(fmt.Errorf("account %d of %s: %w", account, n.subdomain, err))
			}
		})
	}
	p.running.Go(func() {
		defer close(p.due)
		if err := p.tick(ctx, time.Now().Truncate(between).Add(between+shift)); err != nil {
			p.fail(err)
		}
	})
	return p, nil
}

// tick begins messages at regular times, from the first on, until ctx is done. It reads a timer of the kernel: those of Go wait with
// the processor of its scheduler that they belong to, up to 10 ms if a system call there blocks.
func (p *probe) tick(ctx context.Context, first time.Time) error {
	fd, err := unix.TimerfdCreate(unix.CLOCK_REALTIME, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("make a timer: %w", err)
	}
	timer := os.NewFile(uintptr(fd), "timer")
	defer timer.Close() //nolint:errcheck // nothing is written to it
	times := unix.ItimerSpec{Interval: unix.NsecToTimespec(between.Nanoseconds()), Value: unix.NsecToTimespec(first.UnixNano())}
	if err := unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME, &times, nil); err != nil {
		return fmt.Errorf("set a timer: %w", err)
	}
	passed := make([]byte, 8) // how many times have passed since the last read
	for at := first; ctx.Err() == nil; {
		if _, err := timer.Read(passed); err != nil {
			return fmt.Errorf("read a timer: %w", err)
		}
		for range binary.NativeEndian.Uint64(passed) {
			p.due <- p.begin(at)
			at = at.Add(between)
		}
	}
	return nil
}

func (p *probe) close() error {
	p.stop()
	closeAll(p.connections) // which ends reads
	p.running.Wait()
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

// begin returns the message that is due at a time.
func (p *probe) begin(at time.Time) message {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	last := len(p.phases) - 1
	p.phases[last].pending += 1 + neighbourReaders
	return message{due: at.Sub(p.epoch), phase: last}
}

// send sends due messages.
func (p *probe) send(c *connection, account int) error {
	for m := range p.due {
		form := url.Values{
			"type": {"stream"}, "to": {text64(p.stream)}, "topic": {topic}, "content": {fmt.Sprintf(mark+"%d %d.", m.due, m.phase)},
		}
		if _, err := c.do(request("POST", "/api/v1/messages", p.subdomain, account, form)); err != nil {
			return err
		}
		p.note(m, func(of *phase, took time.Duration) { of.sends = append(of.sends, took) })
	}
	return nil
}

// receive polls, and records arriving messages.
func (p *probe) receive(c *connection, account int) error {
	body, err := c.do(request("POST", "/api/v1/register", p.subdomain, account, url.Values{"fetch_event_types": {"[]"}}))
	q := eventQueue{}
	if err == nil {
		err = json.Unmarshal(body, &q)
	}
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	for {
		body, err := c.do(request("GET", "/api/v1/events", p.subdomain, account, url.Values{
			"queue_id": {q.ID}, "last_event_id": {text64(q.Last)},
		}))
		if err != nil {
			return fmt.Errorf("poll: %w", err)
		}
		for number := range eventsOf(body) {
			q.Last = max(q.Last, number)
		}
		for _, after, found := bytes.Cut(body, []byte(mark)); found; _, after, found = bytes.Cut(after, []byte(mark)) {
			var m message
			numbers, _, _ := bytes.Cut(after, []byte("."))
			if _, err := fmt.Sscan(string(numbers), &m.due, &m.phase); err != nil {
				return err
			}
			p.note(m, func(of *phase, took time.Duration) { of.deliveries = append(of.deliveries, took) })
		}
	}
}

// note adds the time that a message has taken so far to its phase.
func (p *probe) note(m message, add func(of *phase, took time.Duration)) {
	took := time.Since(p.epoch) - m.due
	p.mutex.Lock()
	defer p.mutex.Unlock()
	add(p.phases[m.phase], took)
	p.phases[m.phase].pending--
}

// enter begins a phase: from now on, messages count for it.
func (p *probe) enter() *phase {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	entered := &phase{}
	p.phases = append(p.phases, entered)
	return entered
}

// await returns when all messages of a phase that is over have arrived.
func (p *probe) await(ctx context.Context, of *phase) error {
	for end := time.Now().Add(answerTimeout); ; {
		p.mutex.Lock()
		pending, failed := of.pending, p.failed
		p.mutex.Unlock()
		if pending == 0 || failed != nil {
			return failed
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d sends and deliveries of %s take longer than %v", pending, p.subdomain, answerTimeout)
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
}
