//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"chatserver.dev/pkg/queue"
)

// floorCommand is the command by which this program runs the floor for deliveries: the minimum that net/http can do.
// The arguments are the address and a file with an example of an answer.
const floorCommand = "serve-floor"

// floorServer parks polls and answers all with the same bytes. It has no queues, no storage and no authentication.
type floorServer struct {
	mutex  sync.Mutex
	number int64         // number of messages so far
	news   chan struct{} // closed by the next message
	before []byte        // the parts of an answer before and after the event's number
	after  []byte
}

// newFloorServer returns a floor whose answers are copies of an answer with one event, except for the event's number.
func newFloorServer(answer []byte) (*floorServer, error) {
	head, rest, found := bytes.Cut(answer, []byte(firstEvent))
	if !found {
		return nil, errors.New("the answer has no event")
	}
	after := bytes.TrimLeft(rest, "0123456789")
	return &floorServer{news: make(chan struct{}), before: answer[:len(head)+len(firstEvent)], after: after}, nil
}

// serveFloor serves until the process is killed.
func serveFloor(addr, file string) error {
	answer, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f, err := newFloorServer(answer)
	if err != nil {
		return err
	}
	server := &http.Server{Addr: addr, Handler: f.handler(), ReadHeaderTimeout: time.Minute}
	return server.ListenAndServe()
}

func (f *floorServer) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/events", f.poll)
	mux.HandleFunc("POST /api/v1/messages", f.send)
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	return mux
}

func (f *floorServer) state() (int64, chan struct{}) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.number, f.news
}

func (f *floorServer) poll(w http.ResponseWriter, r *http.Request) {
	last, err := strconv.ParseInt(r.URL.Query().Get("last_event_id"), 10, 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	number, news := f.state()
	if number <= max(last, 0)/queue.Step {
		select {
		case <-news:
		case <-r.Context().Done():
			return
		}
	}
	body := make([]byte, 0, len(f.before)+len(f.after)+20)
	body = append(body, f.before...)
	body = strconv.AppendInt(body, afterEvent(last), 10)
	body = append(body, f.after...)
	answer(w, body)
}

func (f *floorServer) send(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	f.mutex.Lock()
	f.number++
	close(f.news)
	f.news = make(chan struct{})
	f.mutex.Unlock()
	answer(w, []byte(`{"result":"success","msg":"","id":1}`))
}

func answer(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the client may have disconnected
}

// startFloor starts the floor in its own process, with an answer of the server as the example.
func (b *bench) startFloor(ctx context.Context, answer []byte) (*service, error) {
	file := filepath.Join(b.dir, "answer")
	if err := os.WriteFile(file, answer, 0o600); err != nil {
		return nil, err
	}
	return b.startSelf(ctx, nil, floorCommand, file)
}
