package boot_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/endpoint"
)

// TRUSTED_PROXIES determines the effect of X-Forwarded-For.
func TestWhoNamesClients(t *testing.T) {
	t.Parallel()
	type reply struct {
		From string `json:"from"`
	}
	from := endpoint.Public(endpoint.About{Route: "GET /from"}, func(_ context.Context, r endpoint.Request, _ struct{}) (reply, error) {
		return reply{r.Network.String()}, nil
	})
	for proxies, want := range map[string]string{"private": "198.51.100.1/32", "none": "127.0.0.1/32", "127.0.0.0/8": "198.51.100.1/32", "10.0.0.0/8": "127.0.0.1/32"} {
		p := start(t, boot.Program{Parts: parts(boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{from}})}, "TRUSTED_PROXIES="+proxies)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/api/v1/from", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Forwarded-For", "6.6.6.6, 198.51.100.1")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || !strings.Contains(string(body), `"from":"`+want+`"`) {
			t.Errorf("%s: %s, %v; want %s", proxies, body, err, want)
		}
		if !strings.Contains(p.log.String(), `"trusted_proxies":"`+proxies+`"`) {
			t.Errorf("the log lacks TRUSTED_PROXIES=%s", proxies)
		}
		if err := p.stop(); err != nil {
			t.Error(err)
		}
	}
}
