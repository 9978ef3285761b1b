package images_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"chatserver.dev/pkg/imagelink"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/api/images"
	"chatserver.dev/services/remote"
)

const maxBytes = 64 << 10

// png is the beginning of an image.
const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90\x77\x53\xde and what follows of it"

// world is a server with a proxy, and a target that the proxy may fetch from although it is on this machine.
type world struct {
	t      *testing.T
	target *httptest.Server
	url    string // of the server with the proxy
	key    []byte

	mutex    sync.Mutex
	asked    []*http.Request // of target
	outcomes map[string]int
}

// newWorld starts both servers. change may change the configuration of the proxy.
func newWorld(t *testing.T, target http.HandlerFunc, change func(w *world, d *images.Deps)) *world {
	t.Helper()
	w := &world{t: t, key: []byte(strings.Repeat("k", 32)), outcomes: map[string]int{}}
	w.target = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mutex.Lock()
		w.asked = append(w.asked, r)
		w.mutex.Unlock()
		target(rw, r)
	}))
	t.Cleanup(w.target.Close)
	signer, err := imagelink.New(t.Context(), func(context.Context) ([][]byte, error) { return [][]byte{w.key}, nil }, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	d := images.Deps{
		Signer: signer, Rate: limit.Rule{Calls: 1000, Window: time.Minute}, MaxBytes: maxBytes, BeginTime: time.Minute,
		Permit: w.permit, Now: time.Now, Logger: testbed.Logger(t),
		Meter: counting{w: w},
	}
	if change != nil {
		change(w, &d)
	}
	proxy, err := images.New(d)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(images.Route, proxy)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

// counting is a meter whose counters count outcomes.
type counting struct {
	noop.Meter

	w *world
}

// Int64Counter implements metric.Meter.
func (c counting) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return counter{w: c.w}, nil
}

type counter struct {
	noop.Int64Counter

	w *world
}

// Add implements metric.Int64Counter.
func (c counter) Add(_ context.Context, _ int64, options ...metric.AddOption) {
	attributes := metric.NewAddConfig(options).Attributes()
	outcome, _ := attributes.Value("outcome")
	c.w.mutex.Lock()
	defer c.w.mutex.Unlock()
	c.w.outcomes[outcome.AsString()]++
}

// permit permits the target in addition to public addresses.
func (w *world) permit(network, address string, c syscall.RawConn) error {
	if address == w.target.Listener.Addr().String() {
		return nil
	}
	return remote.Public()(network, address, c)
}

// signed returns the URL under which an address is served, in the form of the interface.
func (w *world) signed(address string) string {
	mac := hmac.New(sha256.New, w.key)
	mac.Write([]byte(address))
	return w.url + "/external_content/" + hex.EncodeToString(mac.Sum(nil)) + "/" + hex.EncodeToString([]byte(address))
}

// answer is a response to a reader.
type answer struct {
	status int
	header http.Header
	body   string
	err    error // of the request or the body
}

// get requests a URL, with headers in pairs.
func (w *world) get(address string, headers ...string) answer {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		return answer{err: err}
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	got, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return answer{err: err}
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	return answer{got.StatusCode, got.Header, string(body), err}
}

// image requests a path of the target.
func (w *world) image(path string) answer {
	w.t.Helper()
	return w.get(w.signed(w.target.URL + path))
}

// refused checks that there is no image, for any reason.
const refused = `{"result":"error","msg":"The image can't be fetched from its server, or isn't of a supported type"}` + "\n"

func (w *world) isRefused(what string, got answer) {
	w.t.Helper()
	if got.status != http.StatusBadGateway || got.body != refused || got.header.Get("Content-Type") != "application/json" {
		w.t.Errorf("%s: %d %v %.200q, %v", what, got.status, got.header, got.body, got.err)
	}
}

// requests returns the number of requests to the target.
func (w *world) requests() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return len(w.asked)
}

func (w *world) count(outcome string) int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.outcomes[outcome]
}

// watched is a listener at an address of this machine that must get no connections.
func watched(t *testing.T) (port string, reached func() bool) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan struct{}, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				close(accepted)
				return
			}
			conn.Close()
			accepted <- struct{}{}
		}
	}()
	_, port, err = net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port, func() bool {
		listener.Close() // also ends connections in the backlog
		_, ok := <-accepted
		return ok
	}
}
