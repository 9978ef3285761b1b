package systemtest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// client is a model of a client program that retries until it gets an answer, and relies only on answers that it has
// got.
type client struct {
	http *http.Client
	// urls return the current addresses of the services.
	urls  func() []string
	host  string // of the organization; empty: that at the root domain
	email string
	key   string
}

// refused is an answer with an error.
type refused struct {
	status int
	body   string
}

func (r refused) Error() string { return fmt.Sprintf("status %d: %s", r.status, r.body) }

// request returns a request to one of the services.
func (c *client) request(ctx context.Context, method, path string, params url.Values) (*http.Request, error) {
	urls := c.urls()
	target := urls[rand.IntN(len(urls))] + "/api/v1" + path
	body := io.Reader(nil)
	if method == http.MethodGet {
		target += "?" + params.Encode()
	} else {
		body = strings.NewReader(params.Encode())
	}
	request, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return nil, err
	}
	request.Host = c.host
	request.SetBasicAuth(c.email, c.key)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("User-Agent", "Model/1.0")
	return request, nil
}

// call asks one of the services once.
func (c *client) call(ctx context.Context, method, path string, params url.Values, into any) error {
	request, err := c.request(ctx, method, path, params)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return refused{response.StatusCode, string(text)}
	}
	return json.Unmarshal(text, into)
}

// insist repeats a request until the answer isn't a failure of the server.
func (c *client) insist(ctx context.Context, method, path string, params url.Values, into any) error {
	for {
		err := c.call(ctx, method, path, params, into)
		no := refused{}
		if err == nil || ctx.Err() != nil || errors.As(err, &no) && no.status < http.StatusInternalServerError {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// follower is a client with a queue that records the messages that it gets.
type follower struct {
	client
	streams bool // it receives event streams, and doesn't poll
	user    int64
	queue   string
	last    int64

	mutex    sync.Mutex
	messages []int64
	came     []arrival // how each of the messages came
	failed   error
}

// arrival is the time at which a message arrived, and the time at which its poll or stream began.
type arrival struct {
	polled, arrived time.Time
}

func (f *follower) register(ctx context.Context) error {
	reply := struct {
		QueueID     string `json:"queue_id"`
		LastEventID int64  `json:"last_event_id"`
	}{}
	err := f.insist(ctx, http.MethodPost, "/register", url.Values{
		"event_types": {`["message"]`}, "fetch_event_types": {`[]`},
	}, &reply)
	f.queue, f.last = reply.QueueID, reply.LastEventID
	return err
}

// follow polls, or receives streams, until ctx ends. It interrupts some of them, like a client that loses its network.
func (f *follower) follow(ctx context.Context) {
	for ctx.Err() == nil {
		poll, cancel := ctx, context.CancelFunc(func() {})
		if rand.IntN(20) == 0 {
			poll, cancel = context.WithTimeout(ctx, time.Duration(rand.IntN(200))*time.Millisecond)
		}
		var err error
		if f.streams {
			err = f.stream(poll)
		} else {
			err = f.poll(poll)
		}
		cancel()
		no := refused{}
		if errors.As(err, &no) && no.status < http.StatusInternalServerError {
			f.mutex.Lock()
			f.failed = err
			f.mutex.Unlock()
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// received is an event.
type received struct {
	ID      int64  `json:"id"`
	Type    string `json:"type"`
	Message struct {
		ID int64 `json:"id"`
	} `json:"message"`
}

// note records an event from a poll or a stream that began at a time.
func (f *follower) note(e received, start time.Time) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if e.ID <= f.last {
		f.failed = fmt.Errorf("event %d came after event %d", e.ID, f.last)
	}
	f.last = e.ID
	if e.Type == "message" {
		f.messages, f.came = append(f.messages, e.Message.ID), append(f.came, arrival{start, time.Now()})
	}
}

// stream receives a stream to its end.
func (f *follower) stream(ctx context.Context) error {
	start := time.Now()
	body, err := f.open(ctx)
	if err != nil {
		return err
	}
	return f.receive(body, start)
}

// open opens a stream. Like a browser, it repeats the query of the first stream, and sends the ID of its last event in
// a header.
func (f *follower) open(ctx context.Context) (io.ReadCloser, error) {
	request, err := f.request(ctx, http.MethodGet, "/events", url.Values{"queue_id": {f.queue}, "last_event_id": {"-1"}})
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Last-Event-ID", strconv.FormatInt(f.last, 10))
	response, err := f.http.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return nil, errors.Join(err, refused{response.StatusCode, string(text)})
	}
	return response.Body, nil
}

// receive receives the events of a stream that began at a time, until the stream ends.
func (f *follower) receive(stream io.ReadCloser, start time.Time) error {
	defer stream.Close()
	lines := bufio.NewScanner(stream)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		e := received{}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return err // it ended within the event, which comes again
		}
		f.note(e, start)
	}
	return lines.Err()
}

func (f *follower) poll(ctx context.Context) error {
	reply := struct {
		Events []received `json:"events"`
	}{}
	polled := time.Now()
	err := f.call(ctx, http.MethodGet, "/events", url.Values{
		"queue_id": {f.queue}, "last_event_id": {strconv.FormatInt(f.last, 10)},
	}, &reply)
	if err != nil {
		return err
	}
	for _, e := range reply.Events {
		f.note(e, polled)
	}
	return nil
}

func (f *follower) got() ([]int64, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return append([]int64(nil), f.messages...), f.failed
}
