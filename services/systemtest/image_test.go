package systemtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestImagesAreFetched sends messages with images in the server's own network: they are shown with an address of the
// server, which refuses to fetch them. If the image proxy is disabled, they are links.
func TestImagesAreFetched(t *testing.T) {
	t.Parallel()
	s := StartSystem(t)
	ada := s.Organization(t, 1)[0]
	api, links := s.Service("api"), s.Service("api", "IMAGE_PROXY=false")
	get := func(address string) (status int, body string) {
		t.Helper()
		r, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		read, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(read)
	}
	render := func(process *Process) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, process.URL()+"/api/v1/messages/render",
			strings.NewReader(url.Values{"content": {"http://127.0.0.1/x.png"}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Host = "localhost:8080"
		r.SetBasicAuth(ada.Email, ada.Key)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		reply := struct {
			Rendered string `json:"rendered"`
		}{}
		if err := json.NewDecoder(answer.Body).Decode(&reply); err != nil {
			t.Fatal(err)
		}
		return reply.Rendered
	}
	shown := render(api)
	src := regexp.MustCompile(`<img src="(/external_content/[0-9a-f]{64}/[0-9a-f]+)">`).FindStringSubmatch(shown)
	if src == nil {
		t.Fatalf("rendered as %s", shown)
	}
	status, body := get(api.URL() + src[1])
	if status != http.StatusBadGateway || !strings.HasPrefix(body, `{"result":"error"`) {
		t.Errorf("an image of this machine: %d %s", status, body)
	}
	if status, _ := get(api.URL() + src[1] + "00"); status != http.StatusNotFound {
		t.Errorf("another address with its digest: %d", status)
	}
	if got := render(links); strings.Contains(got, "<img") || !strings.Contains(got, `href="http://127.0.0.1/x.png"`) {
		t.Errorf("without the proxy it is rendered as %s", got)
	}
	if status, _ := get(links.URL() + src[1]); status != http.StatusNotFound {
		t.Errorf("without the proxy: %d", status)
	}
}
