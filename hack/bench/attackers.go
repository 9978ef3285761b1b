//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// attackCommand makes this program the attackers. The arguments are its own address, the server's, and part of the
	// names of their kinds.
	attackCommand = "attack"
	// spinning is the kind of attackers that attack nobody: one that only keeps a processor busy.
	spinning = "spin"
	// attackers is how many there are, a third for each kind of attack.
	attackers = 200
	// unreadFor is how long an answer stays unread until its connection is dropped, and dripFor how long a body
	// arrives byte by byte, one each dripPause.
	unreadFor = 100 * time.Millisecond
	dripFor   = 2 * time.Second
	dripPause = 10 * time.Millisecond
)

// attacks counts what was done.
type attacks struct {
	Refused int64 `json:"refused"` // requests with unknown keys
	Unread  int64 `json:"unread"`  // answers that nobody read
	Drips   int64 `json:"drips"`   // bytes of bodies
	Broken  int64 `json:"broken"`  // connections that couldn't be made, or that the server ended
}

func (a attacks) since(b attacks) attacks {
	return attacks{a.Refused - b.Refused, a.Unread - b.Unread, a.Drips - b.Drips, a.Broken - b.Broken}
}

func (a attacks) perSecond(d time.Duration) string {
	each := func(n int64) string { return number(float64(n) / d.Seconds()) }
	return fmt.Sprintf("%s requests with unknown keys, %s unread answers, %s bytes of slow bodies, %s broken connections",
		each(a.Refused), each(a.Unread), each(a.Drips), each(a.Broken))
}

// attack is the attackers of a server while they run.
type attack struct {
	ctx                             context.Context // the process's
	target, kind                    string
	once                            sync.Once
	refused, unread, drips, brokens atomic.Int64
}

// serveAttack waits for POST /attack, and attacks until the process is killed.
func serveAttack(ctx context.Context, addr, target, kind string) error {
	a := &attack{ctx: ctx, target: target, kind: kind}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /attack", func(http.ResponseWriter, *http.Request) { a.once.Do(a.begin) })
	mux.HandleFunc("GET /attack", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(attacks{a.refused.Load(), a.unread.Load(), a.drips.Load(), a.brokens.Load()})
	})
	server := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: time.Minute}
	return server.ListenAndServe()
}

func (a *attack) begin() {
	if a.kind == spinning {
		go func() {
			for a.ctx.Err() == nil { // until the process is killed
			}
		}()
		return
	}
	kinds := []struct {
		name string
		how  func(net.Conn, int) error
	}{{"unknown keys", a.sendUnknownKeys}, {"unread answers", a.leaveUnread}, {"slow bodies", a.drip}}
	for i := range attackers {
		kind := kinds[i%len(kinds)]
		if !strings.Contains(kind.name, a.kind) {
			continue
		}
		go func() {
			for {
				if a.connect(kind.how, i+1) != nil {
					a.brokens.Add(1)
				}
			}
		}()
	}
}

// connect attacks on a connection of its own. It is reset in the end: ports don't run short.
func (a *attack) connect(how func(net.Conn, int) error, account int) error {
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(a.ctx, "tcp", a.target)
	if err != nil {
		time.Sleep(dripPause)
		return err
	}
	defer conn.Close()                   //nolint:errcheck // it is reset
	_ = conn.(*net.TCPConn).SetLinger(0) //nolint:forcetypeassert // of a dialer for TCP
	return how(conn, account)
}

// sendUnknownKeys sends one request after the other, each with a key that nobody has.
func (a *attack) sendUnknownKeys(conn net.Conn, account int) error {
	answers := bufio.NewReader(conn)
	for {
		unknown := fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()) //nolint:gosec // any will do
		form := url.Values{"type": {"stream"}, "to": {"1"}, "topic": {topic}, "content": {"x"}}
		sent := strings.Replace(string(request("POST", "/api/v1/messages", "", account, form)), authorization(account), basic(email(account), unknown), 1)
		if _, err := io.WriteString(conn, sent); err != nil {
			return err
		}
		answer, err := http.ReadResponse(answers, nil)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			return err
		}
		if answer.StatusCode != http.StatusUnauthorized {
			return fmt.Errorf("%s instead of 401", answer.Status)
		}
		a.refused.Add(1)
		if answer.Close {
			return nil
		}
	}
}

// leaveUnread asks for a large answer and doesn't read it.
func (a *attack) leaveUnread(conn net.Conn, account int) error {
	_ = conn.(*net.TCPConn).SetReadBuffer(4096) //nolint:forcetypeassert // of a dialer for TCP
	if _, err := conn.Write(request("GET", "/api/v1/users", "", account, nil)); err != nil {
		return err
	}
	time.Sleep(unreadFor)
	a.unread.Add(1)
	return nil
}

// drip sends the body of a message byte by byte.
func (a *attack) drip(conn net.Conn, account int) error {
	sent := request("POST", "/api/v1/messages", "", account, url.Values{"content": {strings.Repeat("x", 10_000)}})
	head := strings.Index(string(sent), "\r\n\r\n") + len("\r\n\r\n")
	if _, err := conn.Write(sent[:head]); err != nil {
		return err
	}
	for end := time.Now().Add(dripFor); time.Now().Before(end); head++ {
		if _, err := conn.Write(sent[head : head+1]); err != nil {
			return err
		}
		a.drips.Add(1)
		time.Sleep(dripPause)
	}
	return nil
}
