package chatserver_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// writes counts the requests of an operator that change something.
type writes struct {
	next  http.RoundTripper
	mutex sync.Mutex
	calls []string
	ended int                 // requests that were answered
	after func(*http.Request) // sees each request once it is answered; nil: nobody does
}

func (w *writes) RoundTrip(request *http.Request) (*http.Response, error) {
	// The lease and events aren't counted.
	if request.Method != http.MethodGet && !strings.Contains(request.URL.Path, "/events") {
		body := []byte(nil)
		if request.Body != nil {
			body, _ = io.ReadAll(request.Body)
			request.Body = io.NopCloser(bytes.NewReader(body))
		}
		w.mutex.Lock()
		w.calls = append(w.calls, fmt.Sprintf("%s %s %s", request.Method, request.URL.Path, body))
		w.mutex.Unlock()
	}
	response, err := w.next.RoundTrip(request)
	w.mutex.Lock()
	after := w.after
	if request.Method != http.MethodGet {
		w.ended++
	}
	w.mutex.Unlock()
	if after != nil {
		after(request)
	}
	return response, err
}

// see sets a function that is called after each answered request.
func (w *writes) see(after func(*http.Request)) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.after = after
}

func (w *writes) since(n int) []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]string(nil), w.calls[n:]...)
}

func (w *writes) count() int { return len(w.since(0)) }

// answered returns the number of answered changes, including events.
func (w *writes) answered() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.ended
}
