package longpoll_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/longpoll"
)

// Parts that are sent at once and parts that wait arrive in order, however much the client's buffer takes. Nothing is
// sent at once before the response starts, while the previous part isn't sent completely, or by package http's
// server.
func TestTrySend(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	polls := longpoll.New(context.WithoutCancel(t.Context()), longpoll.Config{Path: "/poll", Idle: time.Minute, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	want, outcomes, full := bytes.Buffer{}, map[longpoll.Outcome]int{}, make(chan struct{})
	send := func(w http.ResponseWriter, part []byte) {
		want.Write(part)
		_, _ = w.Write(part)
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
	}
	answer := func(_ context.Context, w http.ResponseWriter) {
		defer close(full)
		if got := longpoll.TrySend(w, []byte("early")); got != longpoll.Refused {
			t.Errorf("before the answer started: %d", got)
		}
		send(w, []byte("first"))
		for i := 0; outcomes[longpoll.Begun] < 3; i++ {
			size := 100_000 + i
			if outcomes[longpoll.Begun] > 0 {
				size = 16 << 20 // more than sockets take at once, even if the client keeps up
			}
			part := bytes.Repeat([]byte{byte('a' + i%26)}, size)
			got := longpoll.TrySend(w, part)
			outcomes[got]++
			switch got {
			case longpoll.Sent:
				want.Write(part)
			case longpoll.Begun:
				want.Write(part)
				if got := longpoll.TrySend(w, []byte("x")); got != longpoll.Refused {
					t.Errorf("before the rest is sent: %d", got)
				}
				if outcomes[got] == 1 {
					full <- struct{}{} // the client reads from now on
				}
				send(w, nil)
			case longpoll.Refused:
				send(w, []byte("waited for"))
			}
		}
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := longpoll.TrySend(w, []byte("early")); got != longpoll.Refused {
			t.Errorf("by package http's server: %d", got)
		}
		if !polls.Take(w, r, blocking(answer)) {
			t.Error("taking the connection failed")
		}
	})}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); <-done; polls.Shutdown(t.Context()) })
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return conn, nil }}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/poll?n=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	select {
	case <-full:
	case <-time.After(20 * time.Second):
		t.Fatal("the client's buffer took everything")
	}
	got, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	<-full
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%d bytes arrived that differ from the %d that were sent", len(got), want.Len())
	}
	if outcomes[longpoll.Sent] == 0 {
		t.Errorf("outcomes: %v", outcomes)
	}
}
