package events_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// request returns a request for events of the client's queue; more is added to its query.
func (c *wire) request(t *testing.T, at, more string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+"/api/v1/events?last_event_id=-1"+more+"&queue_id="+c.queue.ID, nil)
	must(t, err)
	r.Host = servicetest.Host
	r.SetBasicAuth(c.account.RealEmail, c.account.Key)
	return r
}

// bare requests a stream over a connection with a small receive buffer.
func (c *wire) bare(t *testing.T, at string) net.Conn {
	t.Helper()
	r := c.request(t, at, "")
	r.Header.Set("Accept", "text/event-stream")
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.URL.Host)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
	must(t, r.Write(conn))
	return conn
}

// A client that doesn't read, or reads too slowly, loses its connection, but no event: when it reconnects with the same
// queue, it gets all events. Meanwhile other clients get theirs.
func TestStreamIsntRead(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	const buffered = 300 // more messages than fit into the buffers on the way
	for name, read := range map[string]func(net.Conn) error{
		"nothing": func(net.Conn) error { return nil },
		"a byte a second": func(from net.Conn) error {
			_, err := from.Read(make([]byte, 1))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := servicetest.New(t)
			ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
			ann.Subscribe("boilers")
			bob.Subscribe("boilers")
			r := w.Replica()
			deaf, other := dial(t, bob, messagesOf(bob.At(r), nil)), dial(t, ann, messagesOf(ann.At(r), nil))
			conn := deaf.bare(t, r.URL)
			go func() {
				for read(conn) == nil && t.Context().Err() == nil {
					time.Sleep(time.Second)
				}
			}()
			l := other.listen(t, r.URL, "")
			text, count := strings.Repeat("It leaks. ", 900), 0
			full := time.Time{}
			for limit := 90 * time.Second; !isReset(conn); count++ {
				if count > buffered && time.Since(full) > limit {
					t.Fatalf("the connection is open %v after %d messages", limit, buffered)
				}
				ann.SendStream("boilers", "x", strconv.Itoa(count)+" "+text)
				if got, _ := l.text(); !strings.HasPrefix(got, strconv.Itoa(count)+" ") {
					t.Fatalf("the other got %.20s", got)
				}
				switch {
				case count == buffered:
					full = time.Now()
				case count > buffered:
					time.Sleep(100 * time.Millisecond)
				}
			}
			back := deaf.listen(t, r.URL, "")
			for i := range count {
				if got, _ := back.text(); !strings.HasPrefix(got, strconv.Itoa(i)+" ") {
					t.Fatalf("event %d is %.20s", i, got)
				}
			}
		})
	}
}

// isReset reports whether the other side has closed the connection, without reading from it.
func isReset(c net.Conn) bool {
	_, err := c.Write([]byte{'\n'}) // may come before a request
	return err != nil
}

// Data that a client sends during its stream don't affect the stream, however many they are. They are processed when
// the stream has ended: a request is answered as usual, and other data as a malformed request.
func TestStreamIsTalkedOver(t *testing.T) { bothWays(t, streamIsTalkedOver) }

func streamIsTalkedOver(t *testing.T, w *servicetest.World, _ func(r *servicetest.Replica, total, waiting int)) {
	t.Helper()
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("boilers")
	r := w.Replica()
	for name, c := range map[string]struct {
		says    func(c *wire, to net.Conn)
		answers int
		status  int
	}{
		"requests": {func(c *wire, to net.Conn) {
			must(t, c.request(t, r.URL, "&dont_block=true").Write(to))
			must(t, c.request(t, r.URL, "&dont_block=true").Write(to))
		}, 2, http.StatusOK},
		"nonsense": {func(_ *wire, to net.Conn) {
			_, err := to.Write([]byte("\x00: nonsense\r\n\r\n"))
			must(t, err)
		}, 1, http.StatusBadRequest},
		"nonsense without an end": {func(_ *wire, to net.Conn) {
			must(t, to.SetWriteDeadline(time.Now().Add(500*time.Millisecond)))
			_, _ = to.Write(make([]byte, 64<<20)) // far more than anybody takes
		}, 1, http.StatusRequestHeaderFieldsTooLarge},
	} {
		stream, after := dial(t, ann, messagesOf(ann.At(r), nil)), dial(t, ann, messagesOf(ann.At(r), nil))
		conn := stream.bare(t, r.URL)
		reader := bufio.NewReader(conn)
		answer, err := http.ReadResponse(reader, nil)
		must(t, err)
		lines := bufio.NewReader(answer.Body)
		reaches := func(text string) {
			t.Helper()
			ann.SendStream("boilers", "x", text)
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if strings.HasPrefix(line, "data: ") {
					servicetest.Same(t, name, true, strings.Contains(line, text))
					return
				}
			}
		}
		reaches("before")
		c.says(after, conn)
		for _, text := range []string{"one", "two", "three"} {
			reaches(text)
		}
		ann.Do(http.MethodDelete, "/events", servicetest.Params{"queue_id": stream.queue.ID}).OK()
		_, err = io.Copy(io.Discard, lines)
		must(t, errors.Join(err, answer.Body.Close()))
		if half, ok := conn.(*net.TCPConn); ok && c.status != http.StatusOK { // where little or nothing was written in time, the server would wait for the rest
			must(t, half.CloseWrite())
		}
		for range c.answers {
			answer, err := http.ReadResponse(reader, nil)
			if err != nil && c.status != http.StatusOK {
				break // who sends more than is read may lose the answer
			}
			must(t, err)
			servicetest.Same(t, name, c.status, answer.StatusCode)
			_, err = io.Copy(io.Discard, answer.Body)
			must(t, errors.Join(err, answer.Body.Close()))
		}
	}
}
