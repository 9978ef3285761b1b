package boot_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/testbed"
)

func TestLogShowsConfiguration(t *testing.T) {
	t.Parallel()
	tide := struct {
		Height int `env:"TIDE_HEIGHT" envDefault:"3"`
	}{}
	p := start(t, boot.Program{Settings: []any{&tide}, Parts: parts()}, "TIDE_HEIGHT=4", "LOG_LEVEL=debug")
	_, _ = p.get("/api/v1/none")
	first := map[string]any{}
	line, rest, _ := strings.Cut(p.log.String(), "\n")
	if err := json.Unmarshal([]byte(line), &first); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	for name, want := range map[string]any{"tide_height": "4", "shutdown_grace": "5s", "rate_limit_per_user": "200/1m0s", "program": "test"} {
		if first[name] != want {
			t.Errorf("%s is %v, want %v", name, first[name], want)
		}
	}
	if !strings.Contains(rest, `"status":404`) {
		t.Errorf("the request isn't logged: %s", rest)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	addr, profiles := testbed.FreeAddr(t), testbed.FreeAddr(t)
	p := start(t, boot.Program{Parts: func(d boot.Deps) ([]boot.Part, error) {
		counter, err := d.Meter.Int64Counter("tides")
		if err != nil {
			return nil, err
		}
		counter.Add(t.Context(), 3)
		return []boot.Part{{Name: "a", Endpoints: []endpoint.Endpoint{ping()}}}, nil
	}}, "METRICS_ADDR="+addr, "PPROF_ADDR="+profiles)
	for range 2 {
		p.get("/api/v1/ping")
	}
	response, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, _ := io.ReadAll(response.Body)
	for _, want := range []string{
		`http_server_request_duration_seconds_count{http_response_status_code="200",http_route="GET /api/v1/ping"`, "tides_total{", "go_goroutines ",
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %s in\n%s", want, raw)
		}
	}
	if status, _ := p.get("/metrics"); status != http.StatusNotFound {
		t.Errorf("metrics are public: %d", status)
	}
	for url, want := range map[string]int{
		"http://" + profiles + "/debug/pprof/heap": 200, "http://" + profiles + "/metrics": 404,
		"http://" + addr + "/debug/pprof/heap": 404, p.url + "/debug/pprof/": 404,
	} {
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d", url, response.StatusCode)
		}
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}

// Invalid UTF-8 anywhere in a request doesn't prevent the sending of traces. Failures to send are logged.
func TestTracesOfHostileRequests(t *testing.T) {
	testbed.Slow(t)
	mutex, received := sync.Mutex{}, [][]byte{}
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mutex.Lock()
		defer mutex.Unlock()
		if received = append(received, body); len(received) > 1 {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000") // one batch, at the end
	environ := []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL}
	p := start(t, boot.Program{Parts: parts(boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{ping()}})}, environ...)
	ask := func(path string, header ...string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range header {
			request.Header.Set(name, "a\xffb")
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if want := map[bool]int{true: 404, false: 200}[strings.Contains(path, "%")]; response.StatusCode != want ||
			response.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d, %v", path, response.StatusCode, response.Header)
		}
	}
	const good = 8
	for range good {
		ask("/api/v1/ping")
	}
	ask("/api/v1/%ff")
	ask("/%ff")
	ask("/api/v1/ping", "User-Agent", "X-Forwarded-For", "Traceparent", "Tracestate", "Baggage", "Referer", "X-Request-Id")
	if err := p.stop(); err != nil {
		t.Error(err)
	}
	if len(received) != 1 || bytes.Count(received[0], []byte("GET /api/v1/ping")) != good+1 {
		t.Errorf("the collector received %q", received)
	}
	if strings.Contains(p.log.String(), "failed to send traces") {
		t.Error("sending failed")
	}

	refused := start(t, boot.Program{Parts: parts(boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{ping()}})}, environ...)
	refused.get("/api/v1/ping")
	_ = refused.stop()
	if !strings.Contains(refused.log.String(), "failed to send traces") {
		t.Errorf("the collector's refusal isn't logged: %s", refused.log)
	}
	for line := range strings.Lines(refused.log.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("an extra line: %s", line)
		}
	}
}
