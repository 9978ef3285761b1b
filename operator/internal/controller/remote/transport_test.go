package remote_test

import (
	"net/http"
	"strings"
	"sync"
)

// fault answers a call to the server, or passes it on.
type fault func(request *http.Request, next http.RoundTripper) (*http.Response, error)

// faults record the operator's calls to the server and replace some of them by failures.
type faults struct {
	mu    sync.Mutex
	calls []string // method and path
	fault fault
}

// wrap returns a transport that passes calls to the faults first.
func (f *faults) wrap(next http.RoundTripper) http.RoundTripper { return faultTransport{f, next} }

// faultTransport passes calls to the faults, and those without a fault to next.
type faultTransport struct {
	*faults

	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (f faultTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	f.mu.Lock()
	f.calls = append(f.calls, request.Method+" "+request.URL.Path)
	fault := f.fault
	f.mu.Unlock()
	if fault != nil {
		return fault(request, f.next)
	}
	return f.next.RoundTrip(request)
}

// set sets the fault of all further calls; nil: none.
func (f *faults) set(fault fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// count returns the number of calls whose method and path have a text.
func (f *faults) count(text string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, call := range f.calls {
		if strings.Contains(call, text) {
			n++
		}
	}
	return n
}
