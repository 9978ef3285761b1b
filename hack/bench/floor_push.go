//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sys/unix"

	"chatserver.dev/pkg/queue"
)

// Commands by which this program runs the floors for event streams. The arguments are the address and a file with an
// event of a stream of the server.
const (
	// loopCommand runs the minimum that any server can do: one thread that waits by epoll and writes.
	loopCommand = "serve-loop"
	// socketsCommand runs a typical server with WebSockets: github.com/coder/websocket over net/http, with a goroutine
	// and a channel for each subscriber.
	socketsCommand = "serve-sockets"
)

// pushed makes events that differ from a given one only in their numbers.
type pushed struct {
	after  []byte // the number
	number int64
}

// newPushed reads an event from a file.
func newPushed(file string) (*pushed, error) {
	event, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	_, rest, found := bytes.Cut(event, []byte("\ndata: {\"id\":"))
	if !found {
		return nil, errors.New("it isn't an event of a stream")
	}
	return &pushed{after: bytes.TrimLeft(rest, "0123456789")}, nil
}

// next returns the next event.
func (p *pushed) next() []byte {
	p.number += queue.Step
	return fmt.Appendf(nil, "id: %d\ndata: {\"id\":%d%s\n\n", p.number, p.number, p.after)
}

// loopServer writes the same event to all its subscribers. It doesn't parse HTTP: each read is assumed to return a
// whole request.
type loopServer struct {
	*pushed
	epoll       int
	subscribers []int
}

// serveLoop serves until the process is killed.
func serveLoop(addr, file string) error {
	events, err := newPushed(file)
	if err != nil {
		return err
	}
	at, err := netip.ParseAddrPort(addr)
	if err != nil {
		return err
	}
	s := &loopServer{pushed: events}
	if s.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return err
	}
	listener, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	err = errors.Join(
		unix.SetsockoptInt(listener, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1),
		unix.Bind(listener, &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}),
		unix.Listen(listener, unix.SOMAXCONN),
		s.watch(listener),
	)
	if err != nil {
		return err
	}
	ready, request := make([]unix.EpollEvent, 256), make([]byte, 64<<10)
	for {
		n, err := unix.EpollWait(s.epoll, ready, -1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		for _, e := range ready[:max(n, 0)] {
			if int(e.Fd) == listener {
				err = s.accept(listener)
			} else {
				err = s.serve(int(e.Fd), request)
			}
			if err != nil {
				return err
			}
		}
	}
}

func (s *loopServer) watch(fd int) error {
	return unix.EpollCtl(s.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
}

func (s *loopServer) accept(listener int) error {
	fd, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
	if err != nil {
		return err
	}
	return errors.Join(unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1), s.watch(fd))
}

// serve answers a request, or closes the connection if the client has hung up.
func (s *loopServer) serve(fd int, buffer []byte) error {
	n, err := unix.Read(fd, buffer)
	if err != nil || n == 0 {
		return unix.Close(fd)
	}
	switch request := buffer[:n]; {
	case bytes.HasPrefix(request, []byte("GET /api/v1/events")):
		s.subscribers = append(s.subscribers, fd)
		_, err = io.WriteString(descriptor(fd), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\n\n\r\n")
	case bytes.HasPrefix(request, []byte("POST ")):
		if _, err = io.WriteString(descriptor(fd), ok(`{"result":"success","msg":"","id":1}`)); err == nil {
			s.push()
		}
	default:
		_, err = io.WriteString(descriptor(fd), ok(""))
	}
	return err
}

// push writes the next event, as a chunk, to all subscribers.
func (s *loopServer) push() {
	event := s.next()
	chunk := fmt.Appendf(nil, "%x\r\n%s\r\n", len(event), event)
	for _, fd := range s.subscribers {
		_, _ = unix.Write(fd, chunk) // some have hung up
	}
}

// ok returns a complete response.
func ok(body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

// descriptor is a socket that is written to without a buffer.
type descriptor int

// Write implements io.Writer.
func (d descriptor) Write(p []byte) (int, error) { return unix.Write(int(d), p) }

// socketServer sends the same event to all clients that are connected by WebSocket.
type socketServer struct {
	mutex sync.Mutex
	*pushed
	subscribers map[chan []byte]bool
}

// serveSockets serves until the process is killed.
func serveSockets(addr, file string) error {
	events, err := newPushed(file)
	if err != nil {
		return err
	}
	s := &socketServer{pushed: events, subscribers: map[chan []byte]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/events", s.subscribe)
	mux.HandleFunc("POST /api/v1/messages", s.send)
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	server := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: time.Minute}
	return server.ListenAndServe()
}

// subscribe sends events until the client hangs up.
func (s *socketServer) subscribe(w http.ResponseWriter, r *http.Request) {
	socket, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it is answered
	}
	defer socket.CloseNow() //nolint:errcheck // the client is gone
	ctx, events := socket.CloseRead(r.Context()), make(chan []byte, 16)
	s.mutex.Lock()
	s.subscribers[events] = true
	s.mutex.Unlock()
	defer func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		delete(s.subscribers, events)
	}()
	for {
		select {
		case event := <-events:
			if socket.Write(ctx, websocket.MessageText, event) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func (s *socketServer) send(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	s.mutex.Lock()
	event := s.next()
	for events := range s.subscribers {
		events <- event // a wave is over before the next begins
	}
	s.mutex.Unlock()
	answer(w, []byte(`{"result":"success","msg":"","id":1}`))
}

// floorPush measures how long a floor for event streams takes to push an event to a crowd.
func (b *bench) floorPush(ctx context.Context, command string, gather gather, crowd []int, event []byte) (result fanout, err error) {
	file := filepath.Join(b.dir, "event")
	if err := os.WriteFile(file, event, 0o600); err != nil {
		return fanout{}, err
	}
	floor, err := b.startSelf(ctx, nil, command, file)
	defer func() { err = errors.Join(err, floor.stop()) }()
	if err != nil {
		return fanout{}, err
	}
	return b.fanout(ctx, gather, floor.addr, floor.addr, freshQueues(len(crowd), b.queues[crowd[0]].ID), []int{floor.pid()})
}
