//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"chatserver.dev/pkg/queue"
)

// floorCommand makes this program the floor for deliveries: the least that net/http can do. The
// argument is the address.
const floorCommand = "serve-floor"

// floorServer parks polls and answers all with the same bytes: no queues, nothing kept, nobody asked
// who they are.
type floorServer struct {
	mutex  sync.Mutex
	number int64         // how many messages there were
	news   chan struct{} // closed by the next message
	before []byte        // what an answer has before and after the event's number
	after  []byte
}

func newFloorServer() *floorServer { return &floorServer{news: make(chan struct{})} }

// serveFloor serves until the process is killed.
func serveFloor(addr string) error {
	f := newFloorServer()
	server := &http.Server{Addr: addr, Handler: f.handler(), ReadHeaderTimeout: time.Minute}
	return server.ListenAndServe()
}

func (f *floorServer) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/events", f.poll)
	mux.HandleFunc("POST /api/v1/messages", f.send)
	mux.HandleFunc("PUT /answer", f.setAnswer)
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

// setAnswer is called before anything else: what is answered from now on.
func (f *floorServer) setAnswer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if f.before, f.after, err = splitAnswer(body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func answer(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // who doesn't wait any more gets nothing
}

// splitAnswer cuts an answer with one event into what is before and after that event's number.
func splitAnswer(body []byte) (before, after []byte, err error) {
	at := bytes.Index(body, []byte(firstEvent))
	if at < 0 {
		return nil, nil, errors.New("the answer has no event")
	}
	at += len(firstEvent)
	end := at
	for end < len(body) && '0' <= body[end] && body[end] <= '9' {
		end++
	}
	return body[:at], body[end:], nil
}

// startFloor starts the floor in a process of its own, to answer like an answer of ours.
func (b *bench) startFloor(ctx context.Context, answer []byte) (*service, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &service{
		name: "floor", addr: addr, path: path, args: []string{floorCommand, addr}, env: os.Environ(),
		log: filepath.Join(b.dir, "floor.log"),
	}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.kill())
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://"+addr+"/answer", bytes.NewReader(answer))
	if err != nil {
		return nil, errors.Join(err, s.kill())
	}
	response, err := http.DefaultClient.Do(request)
	if err == nil {
		err = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			err = fmt.Errorf("the floor refuses its answer: %s", response.Status)
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.kill())
	}
	return s, nil
}
