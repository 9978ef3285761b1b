package uploads_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// An account whose clients don't take the files that they ask for doesn't hold the storage: only some are read at a time.
func TestManyReads(t *testing.T) {
	t.Parallel()
	const limit = 32
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	kind, body := large(20 << 20)
	reply := struct{ URI string }{}
	ann.Post("/user_uploads", kind, body).OK().Decode(&reply)
	small, temporary := bob.Upload("small.txt", "small"), struct{ URL string }{}
	ann.Do(http.MethodGet, reply.URI, nil).OK().Decode(&temporary)
	server := httptest.NewServer(w.Pages)
	t.Cleanup(server.Close)

	begun, refused, asked := atomic.Int32{}, atomic.Int32{}, errgroup.Group{}
	for i := range limit + 8 {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		path := []string{reply.URI, temporary.URL}[i%2]
		asked.Go(func() error {
			login := base64.StdEncoding.EncodeToString([]byte(ann.RealEmail + ":" + ann.Key))
			if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Basic %s\r\n\r\n", path, servicetest.Host, login); err != nil {
				return err
			}
			status, err := bufio.NewReader(conn).ReadString('\n') // nothing else is read
			switch {
			case strings.Contains(status, " 200 "):
				begun.Add(1)
			case strings.Contains(status, " 429 "):
				refused.Add(1)
			}
			return err
		})
	}
	for deadline := time.Now().Add(20 * time.Second); begun.Load() < limit && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
	}
	if got := bob.Page(small, nil); got.Code != http.StatusOK {
		t.Errorf("another account: %d %s", got.Code, got.Body)
	}
	if err := asked.Wait(); err != nil {
		t.Fatal(err)
	}
	if begun, refused := begun.Load(), refused.Load(); begun != limit || refused != 8 {
		t.Errorf("%d are read, %d are refused", begun, refused)
	}
	server.CloseClientConnections()
	for deadline := time.Now().Add(20 * time.Second); ann.Page(reply.URI, map[string]string{"Range": "bytes=0-0"}).Code != http.StatusPartialContent; {
		if time.Now().After(deadline) {
			t.Fatal("no file can be read after that")
		}
	}
}
