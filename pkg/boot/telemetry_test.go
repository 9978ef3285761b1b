package boot_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/endpoint"
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
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	listener.Close()
	p := start(t, boot.Program{Parts: func(d boot.Deps) ([]boot.Part, error) {
		counter, err := d.Meter.Int64Counter("tides")
		if err != nil {
			return nil, err
		}
		counter.Add(t.Context(), 3)
		return []boot.Part{{Name: "a", Endpoints: []endpoint.Endpoint{ping()}}}, nil
	}}, "METRICS_ADDR="+addr)
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
		t.Errorf("metrics are open to everybody: %d", status)
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}
