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

	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
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
	testbed.Until(t, "all files that may be are read", func() bool { return begun.Load() >= limit })
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
	testbed.Until(t, "a file can be read after that", func() bool {
		return ann.Page(reply.URI, map[string]string{"Range": "bytes=0-0"}).Code == http.StatusPartialContent
	})
}

// Finding out whether an account may read a file counts as reading it.
func TestManyFinds(t *testing.T) {
	t.Parallel()
	const limit = 32
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	uri := ann.Upload("plan.pdf", "%PDF-1.7")
	if got := bob.Page(uri, nil); got.Code != http.StatusForbidden {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	sql := storetest.Connect(t, w.DatabaseURL)
	sql.Exec("begin")
	sql.Exec("lock table attachments")
	codes, asked := make(chan int, limit+1), errgroup.Group{}
	for range limit + 1 {
		asked.Go(func() error {
			codes <- bob.Page(uri, nil).Code
			return nil
		})
	}
	if first := <-codes; first != http.StatusTooManyRequests {
		t.Errorf("the first that ends: %d", first)
	}
	sql.Exec("rollback")
	_ = asked.Wait() // no call fails
	close(codes)
	for code := range codes {
		if code != http.StatusForbidden {
			t.Errorf("another one: %d", code)
		}
	}
}

// Of several files in a message, fewer messages each are looked at, so that it takes no longer than one.
func TestFindsInOneMessage(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("hall")
	bob.Subscribe("hall")
	one, two := ann.Upload("one.pdf", "%PDF-1.7"), ann.Upload("two.pdf", "%PDF-1.7")
	message := ann.SendStream("hall", "t", link(one))
	sql := storetest.Connect(t, w.DatabaseURL)
	sql.Exec(`insert into attachment_messages (org_id, attachment_id, message_id)
		select org_id, attachment_id, $1 + 1000000 + n from attachments, generate_series(1, 5000) n where name = 'one.pdf'`, message)
	in := func(message int64) int64 {
		return storetest.Values[int64](sql, "select count(*) from attachment_messages where message_id = $1", message)[0]
	}
	if n := in(bob.SendStream("hall", "t", link(one))); n != 1 {
		t.Errorf("%d files in a message with one", n)
	}
	if n := in(bob.SendStream("hall", "t", link(one)+" "+link(two))); n != 0 {
		t.Errorf("%d files in a message with two", n)
	}
}
