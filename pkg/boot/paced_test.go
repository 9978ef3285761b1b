package boot_test

import (
	"errors"
	"io"
	"net"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"chatserver.dev/pkg/boot"
)

// incoming is a listener with the connections of a channel.
type incoming chan any // net.Conn or error

func (i incoming) Accept() (net.Conn, error) {
	switch next := (<-i).(type) {
	case net.Conn:
		return next, nil
	case error:
		return nil, next
	default: // the channel is closed
		return nil, net.ErrClosed
	}
}

func (i incoming) Close() error {
	close(i)
	return nil
}

func (incoming) Addr() net.Addr { return &net.TCPAddr{} }

// from is a connection from an address.
type from struct {
	net.Conn
	ip string
}

func (f from) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(f.ip), Port: 1234} }

// connectionFrom returns a connection from an address, and its other end.
func connectionFrom(ip string) (conn from, client net.Conn) {
	server, client := net.Pipe()
	return from{server, ip}, client
}

// Of many connections at once, a burst is returned immediately, and the others one at a time. Those that come one at a
// time don't wait.
func TestManyConnections(t *testing.T) {
	t.Parallel()
	const connections = 80
	for _, slowly := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			conns := make(incoming)
			listener, atOnce, interval := boot.Paced(conns, 100)
			defer listener.Close()
			every, want := time.Duration(0), (connections-time.Duration(atOnce))*interval
			if slowly {
				every, want = 2*interval, connections*2*interval
			}
			go func() {
				for range connections {
					time.Sleep(every)
					conn, _ := connectionFrom("192.0.2.1")
					conns <- conn
				}
			}()
			start := time.Now()
			for range connections {
				if _, err := listener.Accept(); err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(start); took != want {
				t.Errorf("%d connections, one every %v: %v, want %v", connections, every, took, want)
			}
		})
	}
}

// A connection of one address doesn't wait for all those of another, and each address has its connections in order.
func TestAddressesTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conns := make(incoming)
		listener, _, _ := boot.Paced(conns, 100)
		defer listener.Close()
		wants := []net.Conn{}
		for _, ip := range []string{"192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"} {
			conn, _ := connectionFrom(ip)
			conns <- conn
			wants = append(wants, conn)
		}
		synctest.Wait() // until all of them wait
		for _, i := range []int{0, 3, 1, 2} {
			if got, err := listener.Accept(); err != nil || got != wants[i] {
				t.Errorf("%v, %v, want connection %d", got, err, i)
			}
		}
	})
}

// Connections that would be too many stay in the system's queue, and are accepted once others were returned.
func TestTooManyWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conns := make(incoming, 5)
		listener, _, _ := boot.Paced(conns, 3)
		defer listener.Close()
		for range cap(conns) {
			conn, _ := connectionFrom("192.0.2.1")
			conns <- conn
		}
		for i, left := range []int{2, 1, 0, 0, 0} {
			synctest.Wait()
			if len(conns) != left {
				t.Errorf("after %d connections: %d are in the system's queue, want %d", i, len(conns), left)
			}
			if _, err := listener.Accept(); err != nil {
				t.Error(err)
			}
		}
	})
}

// Errors of the listener are returned, and connections that come afterwards as well. Close ends Accept, and closes
// connections that wait.
func TestPacedEnd(t *testing.T) {
	t.Parallel()
	conns := make(incoming)
	listener, _, _ := boot.Paced(conns, 100)
	go func() {
		conns <- syscall.EMFILE
		conn, _ := connectionFrom("192.0.2.1")
		conns <- conn
	}()
	if _, err := listener.Accept(); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("%v, want the listener's error", err)
	}
	if _, err := listener.Accept(); err != nil {
		t.Error(err)
	}
	var clients []net.Conn
	for range 3 {
		conn, client := connectionFrom("192.0.2.1")
		conns <- conn
		clients = append(clients, client)
	}
	ended := make(chan error)
	go func() {
		for {
			if _, err := listener.Accept(); err != nil {
				ended <- err
				return
			}
			clients = slices.Delete(clients, 0, 1)
		}
	}()
	if err := listener.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept returned %v", err)
	}
	for i, client := range clients {
		if _, err := client.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("waiting connection %d: %v", i, err)
		}
	}
	if err := listener.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed again: %v", err)
	}
}
