package endpoint

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

type wanted struct {
	Bytes int `param:"bytes"`
}

type texts struct {
	List   []string          `json:"list"`
	Shared Encoded[[]string] `json:"shared"`
}

// repeater returns a router with one endpoint that responds with texts of the given total size.
func repeater() *Router {
	list := Public(About{Route: "GET /repeated"}, func(_ context.Context, _ Request, in wanted) (texts, error) {
		return texts{
			List:   strings.Split(strings.Repeat("words|", in.Bytes/12), "|"),
			Shared: Encoded[[]string]{JSON: []byte(`["` + strings.Repeat("shared", in.Bytes/12) + `"]`)},
		}, nil
	})
	return NewRouter(Config{Logger: slog.New(slog.DiscardHandler), Now: time.Now}, []Endpoint{list})
}

func ask(rt *Router, size int, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/api/v1/repeated?bytes="+strconv.Itoa(size), http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	rt.ServeHTTP(w, r)
	return w
}

func TestLargeAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	rt := repeater()
	for _, size := range []int{10 << 10, 100 << 10, 3 << 20} {
		plain := ask(rt, size)
		for range 3 { // the second time with a used compressor
			packed := ask(rt, size, "Accept-Encoding", "deflate, gzip;q=0.5", "Sec-Fetch-Site", "same-origin")
			if h := packed.Header(); h.Get("Content-Encoding") != "gzip" || h.Get("Vary") != "Accept-Encoding" || h.Get("Content-Length") != strconv.Itoa(packed.Body.Len()) {
				t.Fatalf("%d: %v", size, h)
			}
			if packed.Body.Len() > plain.Body.Len()/4 {
				t.Errorf("%d bytes became %d", plain.Body.Len(), packed.Body.Len())
			}
			r, err := gzip.NewReader(packed.Body)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(got, plain.Body.Bytes()) {
				t.Errorf("%d bytes differ from the %d without compression: %v", len(got), plain.Body.Len(), err)
			}
		}
	}
}

func TestAnswersThatAreSentAsTheyAre(t *testing.T) {
	t.Parallel()
	rt := repeater()
	for name, c := range map[string]struct {
		size    int
		headers []string
	}{
		"small":            {4 << 10, []string{"Accept-Encoding", "gzip"}},
		"not taken":        {100 << 10, []string{"Accept-Encoding", "gzip;q=0, br"}},
		"another site":     {100 << 10, []string{"Accept-Encoding", "gzip", "Sec-Fetch-Site", "cross-site"}},
		"its subdomain":    {100 << 10, []string{"Accept-Encoding", "gzip", "Sec-Fetch-Site", "same-site"}},
		"a site of no one": {100 << 10, []string{"Accept-Encoding", "gzip", "Sec-Fetch-Site", "x"}},
	} {
		got := ask(rt, c.size, c.headers...)
		if got.Header().Get("Content-Encoding") != "" || !json.Valid(got.Body.Bytes()) {
			t.Errorf("%s: %v", name, got.Header())
		}
	}
}

// Concurrent large responses use no more compressors than the limit.
func TestCompressorsAreFew(t *testing.T) {
	t.Parallel()
	rt := repeater()
	taken := 0
	for range cap(rt.compressors) {
		<-rt.compressors
		taken++
	}
	if got := ask(rt, 100<<10, "Accept-Encoding", "gzip"); got.Header().Get("Content-Encoding") != "" || !json.Valid(got.Body.Bytes()) {
		t.Errorf("without a compressor: %v", got.Header())
	}
	for range taken {
		rt.compressors <- nil
	}
	for range 3 * taken {
		if got := ask(rt, 100<<10, "Accept-Encoding", "gzip"); got.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("with compressors: %v", got.Header())
		}
	}
	if len(rt.compressors) != taken {
		t.Errorf("%d of %d compressors are there", len(rt.compressors), taken)
	}
}
