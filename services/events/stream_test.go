package events_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// frame is an event or a comment of a stream.
type frame struct {
	id    string
	event servicetest.Event
	lines []string
}

// audience receives a stream over its own connection.
type audience struct {
	t      *testing.T
	status int
	header http.Header
	body   string // where it is no stream
	frames chan frame
	stop   context.CancelFunc
}

// listen opens a stream like a browser: the query stays the same, and the header has the ID of the last event.
func (c *wire) listen(t *testing.T, at, lastEvent string) *audience {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	query := url.Values{"queue_id": {c.queue.ID}, "last_event_id": {"-1"}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/api/v1/events?"+query.Encode(), nil)
	must(t, err)
	r.Host = servicetest.Host
	r.Header.Set("Accept", "text/event-stream")
	if lastEvent != "" {
		r.Header.Set("Last-Event-ID", lastEvent)
	}
	r.SetBasicAuth(c.account.RealEmail, c.account.Key)
	response, err := c.client.Do(r)
	must(t, err)
	l := &audience{t: t, status: response.StatusCode, header: response.Header, frames: make(chan frame, 10_000), stop: stop}
	if l.status != http.StatusOK {
		body, err := io.ReadAll(response.Body)
		must(t, errors.Join(err, response.Body.Close()))
		l.body = string(body)
		return l
	}
	go l.read(response.Body)
	servicetest.Same(t, "the head", []string{"retry: 500"}, l.next().lines)
	return l
}

func (l *audience) read(from io.ReadCloser) {
	defer close(l.frames)
	defer from.Close()
	scanner, f := bufio.NewScanner(from), frame{}
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		line := scanner.Text()
		if line == "" {
			l.frames <- f
			f = frame{}
			continue
		}
		f.lines = append(f.lines, line)
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			f.id = id
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if err := json.Unmarshal([]byte(data), &f.event); err != nil {
				l.t.Errorf("%v: %s", err, data)
			}
		}
	}
}

// next waits for the next frame.
func (l *audience) next() frame {
	l.t.Helper()
	select {
	case f, ok := <-l.frames:
		if !ok {
			l.t.Fatal("the stream has ended")
		}
		return f
	case <-time.After(30 * time.Second):
		l.t.Fatal("nothing comes")
		return frame{}
	}
}

// text waits for a message, checks that the event has one id, and returns its content.
func (l *audience) text() (content, id string) {
	l.t.Helper()
	f := l.next()
	servicetest.Same(l.t, "the id of the event", strconv.FormatInt(f.event.ID, 10), f.id)
	return contents([]servicetest.Event{f.event})[0], f.id
}

// ends waits until the stream has ended, and returns the frames before the end.
func (l *audience) ends() (rest []frame) {
	l.t.Helper()
	for {
		select {
		case f, ok := <-l.frames:
			if !ok {
				return rest
			}
			rest = append(rest, f)
		case <-time.After(30 * time.Second):
			l.t.Fatal("the stream doesn't end")
		}
	}
}

// A stream has the events in order, and comments as heartbeats. A client that reconnects gets all events after its last
// one, on the same connection if the server ended the stream, until the queue is gone.
func TestStream(t *testing.T) { bothWays(t, stream) }

func stream(t *testing.T, w *servicetest.World, left func(r *servicetest.Replica, total, waiting int)) {
	t.Helper()
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("boilers")
	r := w.Replica()
	c := dial(t, ann, messagesOf(ann.At(r), nil))
	ann.SendStream("boilers", "x", "before")
	l := c.listen(t, r.URL, "")
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"} {
		servicetest.Same(t, name, want, l.header.Get(name))
	}
	ids := []string{}
	expect := func(l *audience, want string) {
		t.Helper()
		got, id := l.text()
		servicetest.Same(t, "the message", want, got)
		ids = append(ids, id)
	}
	expect(l, "before")
	left(r, 1, 1)
	for _, text := range []string{"one", "two", "three"} {
		ann.SendStream("boilers", "x", text)
		expect(l, text)
	}
	until(t, "waiting", func() bool { return r.Events.Waiting() == 1 })
	r.Events.Beat(t.Context())
	servicetest.Same(t, "a heartbeat", []string{":"}, l.next().lines)
	ann.SendStream("boilers", "x", "four\n\ndata: five")
	expect(l, "four\n\ndata: five")

	l.stop() // the client goes, and comes back with what it had by then
	again := c.listen(t, r.URL, ids[2])
	expect(again, "three")
	expect(again, "four\n\ndata: five")
	newest, err := strconv.ParseInt(ids[len(ids)-1], 10, 64)
	must(t, err)
	c.queue.Last = newest
	poll := c.poll(t.Context(), r.URL) // the newest request is the one that waits
	servicetest.Same(t, "the rest of a stream that a poll follows", 0, len(again.ends()))
	ann.SendStream("boilers", "x", "five")
	servicetest.Same(t, "the poll", []string{"five"}, contents(c.got(t, poll)))
	if refused := c.listen(t, r.URL, ids[0]); refused.status != http.StatusBadRequest || !strings.Contains(refused.body, "pruned") {
		t.Errorf("a stream from an id before the acknowledged one: %d %s", refused.status, refused.body)
	}
	last := c.listen(t, r.URL, ids[len(ids)-1])
	expect(last, "five")
	ann.Do(http.MethodDelete, "/events", servicetest.Params{"queue_id": c.queue.ID}).OK()
	servicetest.Same(t, "the rest of a stream whose queue is deleted", 0, len(last.ends()))
	if gone := c.listen(t, r.URL, ids[0]); gone.status != http.StatusBadRequest || !strings.Contains(gone.body, "BAD_EVENT_QUEUE_ID") {
		t.Errorf("a queue that is gone: %d %s", gone.status, gone.body)
	}
	if bad := c.listen(t, r.URL, "x1"); bad.status != http.StatusBadRequest || !strings.Contains(bad.body, "Last-Event-ID") {
		t.Errorf("no id: %d %s", bad.status, bad.body)
	}
}

// A stream ends after many events. A client that reconnects at once gets each event once, also with other requests in
// between.
func TestStreamEndsAfterMany(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	const count = 2500
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("boilers")
	r := w.Replica()
	c := dial(t, ann, ann.At(r).Register(servicetest.Params{"event_types": []string{"typing"}, "fetch_event_types": []string{}}))
	go func() {
		for i := range count {
			ann.Do(http.MethodPost, "/typing", servicetest.Params{"op": []string{"start", "stop"}[i%2], "to": []int64{int64(ann.ID)}})
		}
	}()
	last, streams := "", 0
	for got := 0; got < count; streams++ {
		l := c.listen(t, r.URL, last)
		for f := range l.frames {
			if f.id == "" {
				continue
			}
			got++
			servicetest.Same(t, "the id", strconv.Itoa(got*1000), f.id)
			if last = f.id; got == count {
				l.stop()
			}
		}
	}
	if streams < 3 {
		t.Errorf("%d streams", streams)
	}
	servicetest.Same(t, "connections", int64(1), c.dials.Load())
}

// A replica that shuts down ends its streams, and their clients get the remaining events at another one. The same
// applies to a stream that is opened at another replica while the old connection exists.
func TestStreamMoves(t *testing.T) { bothWays(t, streamMoves) }

func streamMoves(t *testing.T, w *servicetest.World, left func(r *servicetest.Replica, total, waiting int)) {
	t.Helper()
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("boilers")
	one, two := w.Replica(), w.Replica()
	c := dial(t, ann, messagesOf(ann.At(one), nil))
	first := c.listen(t, one.URL, "")
	left(one, 1, 1)
	// Its replica has already called Redis, which otherwise would take the queue back from the other replica.
	ann.SendStream("boilers", "x", "to the first")
	text, id := first.text()
	servicetest.Same(t, "the message", "to the first", text)
	second := c.listen(t, two.URL, id)
	servicetest.Same(t, "the rest at the first", 0, len(first.ends()))
	ann.SendStream("boilers", "x", "to the second")
	text, id = second.text()
	servicetest.Same(t, "the message", "to the second", text)
	until(t, "waiting", func() bool { return two.Events.Waiting() == 1 })
	two.Events.Drain(t.Context(), 10*time.Millisecond)
	servicetest.Same(t, "waiting", 0, two.Events.Waiting())
	second.ends()
	ann.SendStream("boilers", "x", "after the shutdown")
	third := c.listen(t, one.URL, id)
	text, _ = third.text()
	servicetest.Same(t, "the message", "after the shutdown", text)
}

// The form of frames doesn't depend on the content of events.
func TestStreamIsLines(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann\u2028", actor.Member)
	ann.Subscribe("boilers")
	r := w.Replica()
	c := dial(t, ann, messagesOf(ann.At(r), nil))
	l := c.listen(t, r.URL, "")
	for _, text := range []string{"a\r\nb", "a\u0085\u2028\u2029b", "id: 7\n\n\n:", strings.Repeat("x\n", 2000)} {
		ann.SendStream("boilers", "id: 1", text)
		f := l.next()
		if len(f.lines) != 2 || !strings.HasPrefix(f.lines[0], "id: ") || !strings.HasPrefix(f.lines[1], "data: {") || bytes.ContainsAny([]byte(f.lines[1]), "\r\n") {
			t.Errorf("%q: %q", text, f.lines)
		}
	}
}
