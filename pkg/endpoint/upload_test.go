package endpoint_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

var several, large = fault.Bad("several"), fault.Bad("large")

// uploads returns a function that declares an endpoint for a file.
func uploads(file endpoint.OneFile) func() {
	return func() {
		endpoint.Upload(endpoint.About{Route: "POST /x", Who: permit.Anyone}, file, answersRoleAndFile)
	}
}

func answersRoleAndFile(ctx context.Context, who actor.Actor, in none, file *endpoint.File) (map[string]any, error) {
	if _, err := io.Copy(io.Discard, file); err != nil {
		return nil, err
	}
	return answersRole(ctx, who, in)
}

// upload returns an account's request with a file.
func upload(t *testing.T, as, content string) *http.Request {
	t.Helper()
	r := request(t, http.MethodPost, "/api/v1/x",
		"--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\n"+content+"\r\n--b--\r\n")
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	r.Header.Set("Authorization", basic(key(as)))
	return r
}

// A file that is too large according to the request's header is refused before any of it arrives.
func TestUploadTooLargeByHeader(t *testing.T) {
	t.Parallel()
	const maxFile = 100
	called := false
	s := serve(t, endpoint.Upload(endpoint.About{Route: "POST /x", Who: permit.Anyone}, endpoint.OneFile{MaxBytes: maxFile, Several: several, TooLarge: large},
		func(ctx context.Context, who actor.Actor, in none, file *endpoint.File) (map[string]any, error) {
			called = true
			return answersRoleAndFile(ctx, who, in, file)
		}))
	for length, refused := range map[int64]bool{maxFile + 2*endpoint.SmallBody: false, maxFile + 2*endpoint.SmallBody + 1: true} {
		called = false
		r := upload(t, "m", "a")
		r.ContentLength = length
		if w := s.do(r); refused == called || refused != strings.Contains(w.Body.String(), large.Msg) {
			t.Errorf("a body of %d bytes: %d %s", length, w.Code, w.Body)
		}
	}
}

// What surrounds a file is limited, too.
func TestUploadWithMuchAround(t *testing.T) {
	t.Parallel()
	s := serve(t, endpoint.Upload(endpoint.About{Route: "POST /x", Who: permit.Anyone},
		endpoint.OneFile{MaxBytes: 100, Several: several, TooLarge: large}, answersRoleAndFile))
	much := strings.Repeat("x", endpoint.SmallBody)
	field := func(content string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n" + content + "\r\n"
	}
	const file = "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\na\r\n"
	for what, body := range map[string]string{
		"little": field("y") + file + field("z") + "--b--\r\n",
		"before": field(much) + file + "--b--\r\n", "after": file + field(much+much) + "--b--\r\n", "before, and no file": field(much) + "--b--\r\n",
	} {
		r := request(t, http.MethodPost, "/api/v1/x", body)
		r.ContentLength = -1
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		want := http.StatusRequestEntityTooLarge
		if what == "little" {
			want = http.StatusOK
		}
		if w := s.do(r); w.Code != want || strings.Contains(w.Body.String(), `"max_bytes":65536`) != (want != http.StatusOK) {
			t.Errorf("%s: %d %s", what, w.Code, w.Body)
		}
	}
}

// An account uploads at most ten files at a time.
func TestUploadsAtATime(t *testing.T) {
	t.Parallel()
	const most = 10
	begun, finish := make(chan struct{}), make(chan struct{})
	s := serve(t, endpoint.Upload(endpoint.About{Route: "POST /x", Who: permit.Anyone}, endpoint.OneFile{MaxBytes: 100, Several: several, TooLarge: large},
		func(ctx context.Context, who actor.Actor, in none, file *endpoint.File) (map[string]any, error) {
			begun <- struct{}{}
			<-finish
			return answersRoleAndFile(ctx, who, in, file)
		}))
	all := sync.WaitGroup{}
	begin := func(as string) {
		all.Go(func() {
			if w := s.do(upload(t, as, "a")); w.Code != http.StatusOK {
				t.Errorf("%s: %d %s", as, w.Code, w.Body)
			}
		})
		<-begun
	}
	for range most {
		begin("m")
	}
	refused := make(chan *httptest.ResponseRecorder)
	go func() { refused <- s.do(upload(t, "m", "a")) }()
	select {
	case w := <-refused:
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "at most 10 at a time") {
			t.Errorf("one more: %d %v %s", w.Code, w.Header(), w.Body)
		}
	case <-begun:
		t.Errorf("%d files are uploaded at a time", most+1)
	}
	begin("a") // another account
	close(finish)
	all.Wait()
	begin("m")
	all.Wait()
}
