//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"chatserver.dev/pkg/id"
)

const (
	topic = "bench"
	// answerTimeout is the timeout for an answer or a message. It is longer than any timeout of the services.
	answerTimeout = 2 * time.Minute
)

// connection is a keep-alive connection to a server, with minimal HTTP, so that the load generator leaves most of the
// machine to the server.
type connection struct {
	io.ReadWriteCloser
	buffer []byte
}

// dial connects to a server. Reads block in the kernel, as in pgbench: the time of Go's poller for waking a goroutine
// must not count as the server's.
func dial(ctx context.Context, addr string) (*connection, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()                      //nolint:errcheck // the file is a copy
	file, err := conn.(*net.TCPConn).File() //nolint:forcetypeassert // of a dialer for TCP
	if err != nil {
		return nil, err
	}
	limit := unix.NsecToTimeval(answerTimeout.Nanoseconds())
	if err := unix.SetsockoptTimeval(int(file.Fd()), unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
		return nil, err
	}
	return &connection{ReadWriteCloser: file}, nil
}

// dialPolled connects to a server. Reads wait in Go's poller. One that blocks in the kernel may keep a processor of Go's
// scheduler, and the timers that are due there, for 10 ms, so it must not run beside measurements that begin at a given time.
func dialPolled(ctx context.Context, addr string) (net.Conn, error) {
	var dialer net.Dialer
	return dialer.DialContext(ctx, "tcp", addr)
}

// refusal is an answer whose status isn't 2xx.
type refusal struct {
	status int
	body   string
}

func (r refusal) Error() string {
	return fmt.Sprintf("the request was refused: %d %s", r.status, r.body)
}

// do sends a request and reads its answer. The body is valid until the next call.
func (c *connection) do(request []byte) ([]byte, error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	c.buffer = c.buffer[:0]
	for {
		c.buffer = slices.Grow(c.buffer, 4096)
		n, err := c.Read(c.buffer[len(c.buffer):cap(c.buffer)])
		if err != nil {
			return nil, fmt.Errorf("read answer: %w", err)
		}
		c.buffer = c.buffer[:len(c.buffer)+n]
		switch status, body, complete, err := parseAnswer(c.buffer); {
		case err != nil:
			return nil, err
		case complete && status/100 != 2:
			return nil, refusal{status, string(body)}
		case complete:
			return body, nil
		}
	}
}

// ask makes one request on its own connection, and decodes the answer unless the target is nil. The answer need
// not have a length: the admin interface sends chunks.
func ask(ctx context.Context, addr string, request []byte, target any) error {
	conn, err := dialPolled(ctx, addr)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // everything is answered
	if err := conn.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return err
	}
	if _, err := conn.Write(request); err != nil {
		return err
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // it is read
	if target == nil && answer.StatusCode/100 == 2 {
		// Storing megabytes would pause this process for longer than the measured time.
		_, err := io.Copy(io.Discard, answer.Body)
		return err
	}
	body, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return fmt.Errorf("read answer: %w", err)
	case answer.StatusCode/100 != 2:
		return refusal{answer.StatusCode, string(body)}
	}
	return json.Unmarshal(body, target)
}

// encode returns a request. The admin interface accepts any content type.
func encode(method, path, host, authorization, body string) []byte {
	return encodeAs(method, path, host, authorization, "application/x-www-form-urlencoded", body)
}

// encodeAs returns a request whose body has the content type kind.
func encodeAs(method, path, host, authorization, kind, body string) []byte {
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\nAuthorization: %s\r\n"+
		"Content-Type: %s\r\nContent-Length: %d\r\n\r\n%s", method, path, host, authorization, kind, len(body), body)
}

// request returns a request of an account, for the organization at a subdomain.
func request(method, path, subdomain string, account int, form url.Values) []byte {
	host := "localhost"
	if subdomain != "" {
		host = subdomain + "." + host
	}
	return requestTo(host, method, path, authorization(account), form)
}

func requestTo(host, method, path, authorization string, form url.Values) []byte {
	if method == "GET" {
		return encode(method, path+"?"+form.Encode(), host, authorization, "")
	}
	return encode(method, path, host, authorization, form.Encode())
}

// messages returns requests by which an account sends each text to a stream.
func (b *bench) messages(account int, stream id.Stream) [][]byte {
	requests := make([][]byte, len(b.texts))
	for i, text := range b.texts {
		form := url.Values{"type": {"stream"}, "to": {text64(stream)}, "topic": {topic}, "content": {text}}
		requests[i] = request("POST", "/api/v1/messages", "", account, form)
	}
	return requests
}

// sent is the result of sending.
type sent struct {
	latencies []time.Duration
	elapsed   time.Duration
}

// sendFor sends the requests of each sender one after the other, for d. Senders run concurrently.
func sendFor(ctx context.Context, addr string, senders [][][]byte, d time.Duration) (*sent, error) {
	connections, err := dialAll(ctx, addr, len(senders))
	defer closeAll(connections)
	if err != nil {
		return nil, err
	}
	latencies := make([][]time.Duration, len(senders))
	group, ctx := errgroup.WithContext(ctx)
	started := time.Now()
	for i, requests := range senders {
		group.Go(func() (err error) {
			latencies[i], err = connections[i].sendUntil(ctx, requests, i, started.Add(d))
			return err
		})
	}
	err = group.Wait()
	return &sent{slices.Concat(latencies...), time.Since(started)}, err
}

func (c *connection) sendUntil(ctx context.Context, requests [][]byte, from int, end time.Time) ([]time.Duration, error) {
	latencies := make([]time.Duration, 0, 16384)
	for i := from; ctx.Err() == nil; i++ {
		start := time.Now()
		if start.After(end) {
			break
		}
		if _, err := c.do(requests[i%len(requests)]); err != nil {
			return latencies, err
		}
		latencies = append(latencies, time.Since(start))
	}
	return latencies, ctx.Err()
}

// dialAll makes connections. If it fails, it also returns those that it has made.
func dialAll(ctx context.Context, addr string, count int) (connections []*connection, err error) {
	for range count {
		c, err := dial(ctx, addr)
		if err != nil {
			return connections, err
		}
		connections = append(connections, c)
	}
	return connections, nil
}

func closeAll(connections []*connection) {
	for _, c := range connections {
		c.Close() //nolint:errcheck,gosec // everything is answered
	}
}

// eventQueue is a queue of an account, with the last event that was read.
type eventQueue struct {
	account int
	ID      string `json:"queue_id"`
	Last    int64  `json:"last_event_id"`
}

// registrars is the number of accounts that register at a time.
const registrars = 8

// register registers queues for messages, for those accounts that have no queue.
func (b *bench) register(ctx context.Context, accounts ...int) error {
	return b.registerFor(ctx, url.Values{
		"event_types": {`["message"]`}, "fetch_event_types": {`[]`}, "queue_lifespan_secs": {"86400"},
	}, accounts...)
}

// registerFor registers queues with the parameters of a form, for those accounts that have no queue.
func (b *bench) registerFor(ctx context.Context, form url.Values, accounts ...int) error {
	missing := slices.DeleteFunc(slices.Clone(accounts), func(account int) bool { return b.queues[account] != nil })
	queues := make([]eventQueue, len(missing))
	connections, err := dialAll(ctx, b.events.addr, registrars)
	defer closeAll(connections)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for first, c := range connections {
		group.Go(func() error {
			for i := first; i < len(missing) && ctx.Err() == nil; i += registrars {
				queues[i].account = missing[i]
				body, err := c.do(request("POST", "/api/v1/register", "", missing[i], form))
				if err != nil {
					return err
				}
				if err := json.Unmarshal(body, &queues[i]); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, account := range missing {
		b.queues[account] = &queues[i]
	}
	return nil
}

// unregisterAll deletes all queues.
func (b *bench) unregisterAll(ctx context.Context) error {
	return b.unregister(ctx, slices.Collect(maps.Keys(b.queues))...)
}

// unregister deletes the accounts' queues.
func (b *bench) unregister(ctx context.Context, accounts ...int) error {
	for _, account := range accounts {
		form := url.Values{"queue_id": {b.queues[account].ID}}
		if err := ask(ctx, b.events.addr, request("DELETE", "/api/v1/events", "", account, form), nil); err != nil {
			return err
		}
		delete(b.queues, account)
	}
	return nil
}
