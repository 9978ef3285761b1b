package boot

import (
	"container/list"
	"errors"
	"net"
	"runtime"
	"sync"
	"time"
)

const (
	// burst is the number of new connections whose requests may start at once, and ratePerProcessor how many may start
	// each second after these, for each processor. Otherwise, when thousands of clients reconnect, their requests would
	// take all the time that others need: a client that reconnects takes about 0.4 ms of it.
	burst            = 4
	ratePerProcessor = 450
	// maxPaced is the maximum number of connections that wait, if neither memory nor file descriptors are limited.
	maxPaced = 65536
	// pacedShare limits those that wait to one in this many of the file descriptors for connections.
	pacedShare = 2
)

// paced is a listener that accepts connections as they come, so that they don't overflow the system's queue, and returns
// them at a limited rate. Remote addresses take turns: a connection of one doesn't wait for all those of another. If as
// many wait as slots has room for, further ones stay in the system's queue.
type paced struct {
	net.Listener
	slots    chan struct{} // has an element for each connection that waits
	now      func() time.Time
	interval time.Duration
	due      time.Time     // when the next connection may be returned
	waited   time.Duration // by the connection that Accept returned last

	came   chan struct{} // has an element after a connection came
	failed chan error
	closes chan struct{} // closed by Close
	close  sync.Once
	ended  chan struct{} // closed when no more connections come

	mutex sync.Mutex
	turns list.List                // of *waiting
	at    map[string]*list.Element // in turns, by address
}

// waiting are the connections of an address that wait, the oldest first.
type waiting struct {
	addr  string
	conns []accepted
}

// accepted is a connection, and the time at which it was accepted.
type accepted struct {
	conn net.Conn
	at   time.Time
}

// pace returns a listener that limits the rate of a listener's connections, of which up to limit wait. Only one goroutine
// may call its Accept. Close also closes connections that wait.
func pace(listener net.Listener, limit int, now func() time.Time) *paced {
	p := &paced{
		Listener: listener, slots: make(chan struct{}, limit), now: now, interval: time.Second / time.Duration(ratePerProcessor*runtime.GOMAXPROCS(0)),
		came: make(chan struct{}, 1), failed: make(chan error), closes: make(chan struct{}), ended: make(chan struct{}),
		at: map[string]*list.Element{},
	}
	go p.take()
	return p
}

// maxWaiting returns the maximum number of connections that wait, for the memory and the file descriptors of connections;
// 0: not limited.
func maxWaiting(connections, descriptors int) int {
	limit := maxPaced
	if connections > 0 {
		limit = min(limit, connections)
	}
	if descriptors > 0 {
		limit = min(limit, descriptors/pacedShare)
	}
	return max(1, limit)
}

// take accepts connections until the listener is closed.
func (p *paced) take() {
	defer close(p.ended)
	for {
		select {
		case p.slots <- struct{}{}:
		case <-p.closes:
			return
		}
		conn, err := p.Listener.Accept()
		if err == nil {
			p.put(conn)
			continue
		}
		<-p.slots
		select {
		case p.failed <- err:
		case <-p.closes:
			return
		}
	}
}

// Accept implements net.Listener.
func (p *paced) Accept() (net.Conn, error) {
	for {
		select {
		case <-p.closes:
			return nil, net.ErrClosed
		default:
		}
		if next := p.next(); next.conn != nil {
			p.wait()
			p.waited = p.now().Sub(next.at)
			return next.conn, nil
		}
		select {
		case <-p.came:
		case err := <-p.failed:
			return nil, err
		case <-p.closes:
		}
	}
}

// wait waits until the next connection is due. Time without connections counts for a burst of them.
func (p *paced) wait() {
	now := p.now()
	time.Sleep(p.due.Sub(now))
	if earliest := now.Add(-(burst - 1) * p.interval); p.due.Before(earliest) {
		p.due = earliest
	}
	p.due = p.due.Add(p.interval)
}

// put adds a connection to those that wait.
func (p *paced) put(conn net.Conn) {
	addr := conn.RemoteAddr().String()
	if host, _, err := net.SplitHostPort(addr); err == nil {
		addr = host
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.at[addr] == nil {
		p.at[addr] = p.turns.PushBack(&waiting{addr: addr})
	}
	w, _ := p.at[addr].Value.(*waiting) // always the type
	w.conns = append(w.conns, accepted{conn, p.now()})
	select {
	case p.came <- struct{}{}:
	default:
	}
}

// next removes the connection whose turn it is, and returns it; a nil connection: none waits.
func (p *paced) next() accepted {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	turn := p.turns.Front()
	if turn == nil {
		return accepted{}
	}
	w, _ := turn.Value.(*waiting) // always the type
	next := w.conns[0]
	w.conns[0] = accepted{}
	<-p.slots
	if w.conns = w.conns[1:]; len(w.conns) > 0 {
		p.turns.MoveToBack(turn)
	} else {
		p.turns.Remove(turn)
		delete(p.at, w.addr)
	}
	return next
}

// lastWaited returns how long the connection that Accept returned last had waited. The goroutine that calls Accept may call it.
func (p *paced) lastWaited() time.Duration { return p.waited }

// Close implements net.Listener.
func (p *paced) Close() error {
	err := net.ErrClosed
	p.close.Do(func() {
		close(p.closes)
		err = p.Listener.Close()
		<-p.ended
		for next := p.next(); next.conn != nil; next = p.next() {
			err = errors.Join(err, next.conn.Close())
		}
	})
	return err
}
