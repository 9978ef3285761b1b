//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// attackCommand is the command by which this program runs the attackers. The arguments are its own address, the
	// server's address, and a part of the names of the kinds to run.
	attackCommand = "attack"
	// spinning is a kind that doesn't attack: it only keeps a processor busy.
	spinning = "spin"
	// attackers is the number of attackers, a quarter for each kind of attack.
	attackers = 200
	// unreadFor is how long an answer stays unread until its connection is dropped. dripFor is how long a body is sent
	// byte by byte, one per dripPause.
	unreadFor = 100 * time.Millisecond
	dripFor   = 2 * time.Second
	dripPause = 10 * time.Millisecond
)

// Kinds of attacks, by index in attacks.
const (
	refused = iota // requests with unknown keys
	guessed        // wrong passwords
	unread         // answers that weren't read
	dripped        // bytes of bodies
	broken         // connections that couldn't be made, or that the server ended
)

// attacks are numbers of attacks, by kind.
type attacks [broken + 1]int64

func (a attacks) perSecond(d time.Duration) string {
	each := func(i int) string { return number(float64(a[i]) / d.Seconds()) }
	return fmt.Sprintf("%s requests with unknown keys, %s wrong passwords, %s unread answers, %s bytes of slow bodies, %s broken connections",
		each(refused), each(guessed), each(unread), each(dripped), each(broken))
}

// attack is the state of the running attackers of a server.
type attack struct {
	ctx    context.Context // the process's
	target string
	done   [broken + 1]atomic.Int64
}

// serveAttack attacks until the process is killed. GET /attacks returns the numbers of attacks since the last GET
// /attacks.
func serveAttack(ctx context.Context, addr, target, kind string) error {
	if err := eachThread([]int{os.Getpid()}, idle); err != nil {
		return err
	}
	a := &attack{ctx: ctx, target: target}
	a.begin(kind)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /attacks", func(w http.ResponseWriter, _ *http.Request) {
		var done attacks
		for i := range done {
			done[i] = a.done[i].Swap(0)
		}
		_ = json.NewEncoder(w).Encode(done)
	})
	server := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: time.Minute}
	return server.ListenAndServe()
}

func (a *attack) begin(kind string) {
	if kind == spinning {
		go func() {
			for a.ctx.Err() == nil { // until the process is killed
			}
		}()
		return
	}
	kinds := []struct {
		name string
		how  func(net.Conn, int) error
	}{{"unknown keys", a.sendUnknownKeys}, {"wrong passwords", a.guess}, {"unread answers", a.leaveUnread}, {"slow bodies", a.drip}}
	for i := range attackers {
		by := kinds[i%len(kinds)]
		if !strings.Contains(by.name, kind) {
			continue
		}
		go func() {
			for {
				if a.connect(by.how, i+1) != nil {
					a.done[broken].Add(1)
				}
			}
		}()
	}
}

// connect attacks on a new connection. The connection is reset at the end, so that ports don't run out.
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

// sendUnknownKeys sends one request after the other, each with an unknown key.
func (a *attack) sendUnknownKeys(conn net.Conn, account int) error {
	client := connection{ReadWriteCloser: conn}
	form := url.Values{"type": {"stream"}, "to": {"1"}, "topic": {topic}, "content": {"x"}}
	for {
		unknown := fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()) //nolint:gosec // any will do
		_, err := client.do(requestTo("localhost", "POST", "/api/v1/messages", basic(email(account), unknown), form))
		if answer := (refusal{}); !errors.As(err, &answer) || answer.status != http.StatusUnauthorized {
			return fmt.Errorf("an unknown key isn't refused: %w", err)
		}
		a.done[refused].Add(1)
	}
}

// guess sends one wrong password after the other. The server computes an expensive hash for each, or responds that it
// is overloaded.
func (a *attack) guess(conn net.Conn, account int) error {
	client := connection{ReadWriteCloser: conn}
	for {
		form := url.Values{"username": {email(account)}, "password": {fmt.Sprintf("%016x", rand.Uint64())}} //nolint:gosec // any will do
		_, err := client.do(requestTo("localhost", "POST", "/api/v1/fetch_api_key", "", form))
		answer := refusal{}
		switch {
		case !errors.As(err, &answer):
			return fmt.Errorf("a wrong password isn't refused: %w", err)
		case answer.status == http.StatusForbidden:
			a.done[guessed].Add(1)
		case answer.status != http.StatusServiceUnavailable:
			return fmt.Errorf("a wrong password is answered with status %d", answer.status)
		}
	}
}

// leaveUnread requests a large answer and doesn't read it.
func (a *attack) leaveUnread(conn net.Conn, account int) error {
	_ = conn.(*net.TCPConn).SetReadBuffer(4096) //nolint:forcetypeassert // of a dialer for TCP
	if _, err := conn.Write(request("GET", "/api/v1/users", "", account, nil)); err != nil {
		return err
	}
	time.Sleep(unreadFor)
	a.done[unread].Add(1)
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
		a.done[dripped].Add(1)
		time.Sleep(dripPause)
	}
	return nil
}
