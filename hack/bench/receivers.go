//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"chatserver.dev/pkg/queue"
)

// sources is the number of local addresses of the connections, so that ports don't run out.
const sources = 8

// wantsStream is the field in the header of requests for a stream.
const wantsStream = "Accept: text/event-stream\r\n"

// crowd is a large number of clients that poll, or receive streams. One thread with epoll and raw sockets takes about
// 10 µs for each delivery: this time is taken from the measured processes on the same processors. Every delivery is
// checked: events of a queue are numbered without gaps, except for the numbers of heartbeats.
type crowd struct {
	epoll     int
	streams   bool
	receivers []receiver
	handed    atomic.Int64 // receivers handed to the thread: epoll doesn't order memory
	stopping  atomic.Bool
	stopped   sync.WaitGroup

	messages   atomic.Int64 // delivered
	heartbeats atomic.Int64
	target     atomic.Int64   // the number of messages at which reached gets the time
	reached    chan time.Time // its capacity is 1

	mutex  sync.Mutex
	wrong  int    // duplicates, gaps, refusals, broken connections
	first  string // the first of them
	answer []byte // a delivery, headers not included
}

// receiver is one client with one connection.
type receiver struct {
	fd      int
	request []byte // up to the number of the last event
	tail    []byte // after it
	queue   *eventQueue
	partial []byte // the part of an answer that has arrived
}

// newCrowd connects a client for each queue, all of which poll.
func newCrowd(ctx context.Context, addr string, queues []*eventQueue) (*crowd, error) {
	return connectCrowd(ctx, []string{addr}, queues, "", 0)
}

// newCrowdAt is newCrowd with clients distributed over several addresses.
func newCrowdAt(addrs []string) gather {
	return func(ctx context.Context, _ string, queues []*eventQueue) (*crowd, error) {
		return connectCrowd(ctx, addrs, queues, "", 0)
	}
}

// newAudience connects a client for each queue, all of which receive a stream.
func newAudience(ctx context.Context, addr string, queues []*eventQueue) (*crowd, error) {
	return connectCrowd(ctx, []string{addr}, queues, wantsStream, 0)
}

// newSockets connects a client for each queue by WebSocket, whose messages are a stream's events.
func newSockets(ctx context.Context, addr string, queues []*eventQueue) (*crowd, error) {
	return connectCrowd(ctx, []string{addr}, queues, "Connection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", 0)
}

// connectCrowd connects clients and sends their first requests, with additional fields in the header, spread evenly
// over a time. Without fields clients poll, otherwise they receive a stream.
func connectCrowd(ctx context.Context, addrs []string, queues []*eventQueue, fields string, over time.Duration) (*crowd, error) {
	at := make([]netip.AddrPort, len(addrs))
	for i, addr := range addrs {
		var err error
		if at[i], err = netip.ParseAddrPort(addr); err != nil {
			return nil, err
		}
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make epoll: %w", err)
	}
	c := &crowd{epoll: epoll, streams: fields != "", receivers: make([]receiver, len(queues)), reached: make(chan time.Time, 1)}
	for i := range c.receivers {
		c.receivers[i].fd = -1
	}
	c.target.Store(-1)
	c.stopped.Go(c.loop)
	start := time.Now()
	for i, q := range queues {
		time.Sleep(time.Until(start.Add(over * time.Duration(i) / time.Duration(len(queues)))))
		r := &c.receivers[i]
		r.queue = q
		r.request = fmt.Appendf(nil, "GET /api/v1/events?queue_id=%s&last_event_id=", q.ID)
		r.tail = fmt.Appendf(nil, " HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\n%sAuthorization: %s\r\n\r\n", addrs[0], fields, authorization(q.account))
		if err := c.connect(i, at[i%len(at)]); err != nil {
			return nil, errors.Join(fmt.Errorf("connect client %d: %w", i, err), c.close())
		}
		if ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), c.close())
		}
	}
	return c, nil
}

// connect opens a client's connection, sends its first poll, and hands it to the thread.
func (c *crowd) connect(i int, to netip.AddrPort) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	c.receivers[i].fd = fd
	// Closing resets the connection: thousands of connections waiting for late packets would use up the ports.
	err = errors.Join(
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1),
		unix.SetsockoptInt(fd, unix.SOL_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1),
		unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1}),
		unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, byte(2 + i%sources)}}),
	)
	if err != nil {
		return err
	}
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}); err != nil {
		return err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return err
	}
	if err := c.receivers[i].poll(make([]byte, 0, 512)); err != nil {
		return err
	}
	c.handed.Add(1)
	return unix.EpollCtl(c.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(i)})
}

// poll requests the events after the last one. A request is far smaller than a socket's buffer.
func (r *receiver) poll(buffer []byte) error {
	buffer = append(buffer[:0], r.request...)
	buffer = strconv.AppendInt(buffer, r.queue.Last, 10)
	buffer = append(buffer, r.tail...)
	n, err := unix.Write(r.fd, buffer)
	if err == nil && n < len(buffer) {
		err = errors.New("a poll was sent in part")
	}
	return err
}

// loop reads answers and polls again until the crowd is closed.
func (c *crowd) loop() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ready := make([]unix.EpollEvent, 256)
	buffer := make([]byte, 256<<10)
	request := make([]byte, 0, 512)
	for !c.stopping.Load() {
		n, err := unix.EpollWait(c.epoll, ready, 50)
		if err != nil && !errors.Is(err, unix.EINTR) {
			c.complain("wait: %v", err)
			return
		}
		c.handed.Load()
		for _, e := range ready[:max(n, 0)] {
			r := &c.receivers[e.Fd]
			if err := c.read(r, buffer, request); err != nil {
				c.complain("client %d: %v", e.Fd, err)
				unix.Close(r.fd) //nolint:errcheck,gosec // it failed already
				r.fd = -1
			}
		}
	}
}

// read reads the data that have arrived. After a complete answer, it polls again.
func (c *crowd) read(r *receiver, buffer, request []byte) error {
	n, err := unix.Read(r.fd, buffer)
	switch {
	case errors.Is(err, unix.EAGAIN):
		return nil
	case err != nil:
		return err
	case n == 0:
		return errors.New("the server hung up")
	}
	data := buffer[:n]
	if len(r.partial) > 0 {
		r.partial = append(r.partial, data...)
		data = r.partial
	}
	if c.streams {
		rest, err := c.takeFrames(r, data)
		r.partial = append(r.partial[:0], rest...)
		return err
	}
	status, body, complete, err := parseAnswer(data)
	if err != nil {
		return err
	}
	if !complete {
		r.partial = append(r.partial[:0], data...)
		return nil
	}
	if status != 200 {
		return fmt.Errorf("%d %s", status, body)
	}
	c.take(r, body)
	r.partial = r.partial[:0]
	return r.poll(request)
}

// afterEvent returns the id of the next event after an event or a heartbeat.
func afterEvent(id int64) int64 { return (max(id, 0)/queue.Step + 1) * queue.Step }

// take counts the events of an answer.
func (c *crowd) take(r *receiver, body []byte) {
	events, messages := 0, 0
	for number, heartbeat := range eventsOf(body) {
		events++
		if !c.note(r, number, heartbeat) {
			messages++
		}
	}
	if events == 0 {
		c.complain("queue %s: an answer without events: %s", r.queue.ID, body)
	}
	if c.answer == nil && events == 1 && messages == 1 {
		c.mutex.Lock()
		c.answer = append([]byte(nil), body...)
		c.mutex.Unlock()
	}
}

// note counts an event or a heartbeat, and returns heartbeat.
func (c *crowd) note(r *receiver, number int64, heartbeat bool) bool {
	if before := r.queue.Last; heartbeat != (number < afterEvent(before)) || number <= before || number > afterEvent(before) {
		c.complain("queue %s: event %d after %d", r.queue.ID, number, r.queue.Last)
	}
	r.queue.Last = max(r.queue.Last, number)
	if heartbeat {
		c.heartbeats.Add(1)
	} else if c.messages.Add(1) == c.target.Load() {
		c.reached <- time.Now()
	}
	return heartbeat
}

// takeFrames counts the events of a stream that have arrived, and returns the remaining data. It parses neither chunks
// nor frames of a WebSocket: the texts contain nothing that looks like their end.
func (c *crowd) takeFrames(r *receiver, data []byte) (rest []byte, err error) {
	for {
		frame, after, complete := bytes.Cut(data, []byte("\n\n"))
		if !complete {
			return data, nil
		}
		data = after
		head, event, isEvent := bytes.Cut(frame, []byte("\ndata: "))
		_, id, hasID := bytes.Cut(head, []byte("id: "))
		switch {
		case isEvent && hasID:
			number, err := strconv.ParseInt(string(id), 10, 64)
			if err != nil {
				return nil, err
			}
			c.note(r, number, false)
			if c.answer == nil {
				c.mutex.Lock()
				c.answer = fmt.Appendf(nil, "id: %s\ndata: %s", id, event)
				c.mutex.Unlock()
			}
		case bytes.HasSuffix(frame, []byte("\n:")):
			c.heartbeats.Add(1)
		case !bytes.HasPrefix(frame, []byte("HTTP/1.1 200 ")):
			return nil, fmt.Errorf("the stream has %.200q", frame)
		}
	}
}

func (c *crowd) complain(format string, args ...any) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.wrong++
	if c.first == "" {
		c.first = fmt.Sprintf(format, args...)
	}
}

// failure returns an error if any of the deliveries so far was wrong.
func (c *crowd) failure() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.wrong == 0 {
		return nil
	}
	return fmt.Errorf("%d deliveries were wrong, the first: %s", c.wrong, c.first)
}

// wave is one message to the whole crowd.
type wave struct {
	last  time.Duration // from the sender's answer until the last client received the message
	beats int64         // heartbeats that came in between
}

// send sends a message and waits until every client has received it. It uses a new connection, since servers close idle
// ones.
func (c *crowd) send(ctx context.Context, addr string, request []byte) (wave, error) {
	beats := c.heartbeats.Load()
	c.target.Store(c.messages.Load() + int64(len(c.receivers)))
	if err := ask(ctx, addr, request, nil); err != nil {
		return wave{}, err
	}
	answered := time.Now()
	select {
	case last := <-c.reached:
		return wave{last.Sub(answered), c.heartbeats.Load() - beats}, c.failure()
	case <-ctx.Done():
		return wave{}, ctx.Err()
	case <-time.After(30 * time.Second):
		missing := c.target.Load() - c.messages.Load()
		return wave{}, errors.Join(fmt.Errorf("%d of %d clients don't get the message", missing, len(c.receivers)), c.failure())
	}
}

// close ends all connections.
func (c *crowd) close() error {
	c.stopping.Store(true)
	c.stopped.Wait()
	for _, r := range c.receivers {
		if r.fd >= 0 {
			unix.Close(r.fd) //nolint:errcheck,gosec // the connection is closed in any case
		}
	}
	return unix.Close(c.epoll)
}
