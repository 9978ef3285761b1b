//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"chatserver.dev/pkg/id"
)

const topic = "bench"

// connection is a keep-alive connection to a server, with no more HTTP than is needed: the less the
// generator takes of the machine, the more is left for what is measured. Who reads waits in the kernel, as
// pgbench does: what Go's poller takes to wake its goroutine isn't the server's time.
type connection struct {
	*os.File
	reader *bufio.Reader
	body   []byte
}

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
	return &connection{File: file, reader: bufio.NewReader(file)}, nil
}

// do sends a request and reads its answer, which must have a length. The body is valid until the
// next call.
func (c *connection) do(request []byte) (status int, body []byte, err error) {
	if _, err := c.Write(request); err != nil {
		return 0, nil, err
	}
	length := -1
	for line := 0; ; line++ {
		text, err := c.reader.ReadSlice('\n')
		if err != nil {
			return 0, nil, fmt.Errorf("read answer: %w", err)
		}
		text = bytes.TrimRight(text, "\r\n")
		if line == 0 {
			if status, err = statusOf(text); err != nil {
				return 0, nil, err
			}
			continue
		}
		if len(text) == 0 {
			break
		}
		if value, is := contentLength(text); is {
			length = value
		}
	}
	if length < 0 {
		return 0, nil, errors.New("the answer doesn't say its length")
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	_, err = io.ReadFull(c.reader, c.body)
	return status, c.body, err
}

// accepted is do where anything but 200 is an error.
func (c *connection) accepted(request []byte) error {
	status, body, err := c.do(request)
	if err == nil && status != 200 {
		err = fmt.Errorf("the message was refused: %d %s", status, body)
	}
	return err
}

// statusOf reads "HTTP/1.1 200 OK".
func statusOf(line []byte) (int, error) {
	const before = len("HTTP/1.1 ")
	if len(line) < before+3 {
		return 0, fmt.Errorf("%q is no HTTP", line)
	}
	return strconv.Atoi(string(line[before : before+3]))
}

// contentLength reads that header; is says whether the line is one.
func contentLength(line []byte) (length int, is bool) {
	const name = "content-length:"
	if len(line) < len(name) || !bytes.EqualFold(line[:len(name)], []byte(name)) {
		return 0, false
	}
	length, err := strconv.Atoi(string(bytes.TrimSpace(line[len(name):])))
	return length, err == nil && length >= 0
}

// request is one of an account, for the organization with a subdomain.
func request(method, path, subdomain string, account int, form url.Values) []byte {
	host := "localhost"
	if subdomain != "" {
		host = subdomain + "." + host
	}
	return requestTo(host, method, path, authorization(account), form)
}

func requestTo(host, method, path, authorization string, form url.Values) []byte {
	body := form.Encode()
	if method == "GET" {
		path, body = path+"?"+body, ""
	}
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\nAuthorization: %s\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", method, path, host, authorization, len(body), body)
}

// messages are requests of an account that send each text to a stream.
func (b *bench) messages(account int, stream id.Stream) [][]byte {
	requests := make([][]byte, len(b.texts))
	for i, text := range b.texts {
		form := url.Values{"type": {"stream"}, "to": {text64(stream)}, "topic": {topic}, "content": {text}}
		requests[i] = request("POST", "/api/v1/messages", "", account, form)
	}
	return requests
}

// sent is what came of sending.
type sent struct {
	latencies []time.Duration // of the requests that were answered with 200
	elapsed   time.Duration
	failed    int
	first     string // the first answer that wasn't 200
}

func (s *sent) failure() error {
	if s.failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d messages were refused, the first with %s", s.failed, s.failed+len(s.latencies), s.first)
}

func (s *sent) perSecond() float64 { return float64(len(s.latencies)) / s.elapsed.Seconds() }

// sendFor lets each sender send its requests in turn, the next one as soon as one is answered.
func sendFor(ctx context.Context, addr string, senders [][][]byte, d time.Duration) (*sent, error) {
	connections := make([]*connection, len(senders))
	defer func() {
		for _, c := range connections {
			if c != nil {
				c.Close() //nolint:errcheck,gosec // everything is answered
			}
		}
	}()
	for i := range senders {
		c, err := dial(ctx, addr)
		if err != nil {
			return nil, err
		}
		connections[i] = c
	}
	var (
		all   sent
		errs  error
		mutex sync.Mutex
		group sync.WaitGroup
	)
	started := time.Now()
	for i, requests := range senders {
		group.Go(func() {
			one, err := sendUntil(ctx, connections[i], requests, i, started.Add(d))
			mutex.Lock()
			defer mutex.Unlock()
			errs = errors.Join(errs, err)
			all.latencies = append(all.latencies, one.latencies...)
			all.failed += one.failed
			if all.first == "" {
				all.first = one.first
			}
		})
	}
	group.Wait()
	all.elapsed = time.Since(started)
	return &all, errs
}

func sendUntil(ctx context.Context, c *connection, requests [][]byte, from int, end time.Time) (sent, error) {
	one := sent{latencies: make([]time.Duration, 0, 16384)}
	for i := from; ctx.Err() == nil; i++ {
		began := time.Now()
		if began.After(end) {
			break
		}
		status, body, err := c.do(requests[i%len(requests)])
		if err != nil {
			return one, err
		}
		if status != 200 {
			one.failed++
			if one.first == "" {
				one.first = fmt.Sprintf("%d %s", status, body)
			}
			continue
		}
		one.latencies = append(one.latencies, time.Since(began))
	}
	return one, ctx.Err()
}
