package systemtest_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/storetest"
)

// memoryLimit is the limit of a process in bytes that the operator sets by default, and goLimit the GOMEMLIMIT that
// it derives from that.
const (
	memoryLimit = 512 << 20
	goLimit     = "461MiB"
)

// sendTimeout is the maximum time for a send of another account, on a busy machine. Its server waits nearly as long for PostgreSQL:
// otherwise it would refuse a send where the machine is slow and not the server.
const (
	sendTimeout = 20 * time.Second
	patiently   = "DATABASE_ANSWER_TIMEOUT=15s"
)

// attack is an attack on a process, with its open connections.
type attack struct {
	t     *testing.T
	addr  string
	login string // the attacker's
	held  []net.Conn
	mutex sync.Mutex
}

// open opens a connection and sends text over it. It doesn't read the answer.
func (a *attack) open(text string) {
	conn, err := (&net.Dialer{Timeout: 20 * time.Second}).DialContext(a.t.Context(), "tcp", a.addr)
	if err != nil {
		return // the process refuses further connections, which is fine
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(4096)
	}
	a.mutex.Lock()
	a.held = append(a.held, conn)
	a.mutex.Unlock()
	_ = conn.SetWriteDeadline(time.Now().Add(5 * time.Second))
	_, _ = io.WriteString(conn, text) // the write fails if the process refuses the request early
}

func (a *attack) head(method, target, more string) string {
	return method + " /api/v1" + target + " HTTP/1.1\r\nHost: " + a.addr + "\r\n" + more + "\r\n"
}

// peak returns the maximum memory that a process has used, in bytes.
func peak(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// TestMemoryUnderAttack attacks a process with the memory of a pod, without an account and with one: with bodies that
// aren't sent, and with the largest answers, which aren't read. The process stays within its limit, and others can
// send. With CHAT_ATTACK=full in the environment, the attack is as large as an attacker could prepare, which takes
// minutes.
func TestMemoryUnderAttack(t *testing.T) {
	t.Parallel()
	s := StartSystem(t)
	p := s.Service("chatserver", patiently, "GOMEMLIMIT="+goLimit, "CHAT_LOCAL_DIR="+t.TempDir())
	people := s.Organization(t, 2)
	persons := make([]*client, len(people))
	for i, one := range people {
		persons[i] = &client{http: http.DefaultClient, urls: func() []string { return []string{p.URL()} }, email: one.Email, key: one.Key}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(persons[1].insist(t.Context(), http.MethodPost, "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"load"}]`}}, &struct{}{}))
	stored, sent := 300, 96
	if os.Getenv("CHAT_ATTACK") == "full" {
		stored, sent = 5000, 1000
	}
	queues := make([]string, 8)
	for i := range queues {
		reply := struct {
			ID string `json:"queue_id"`
		}{}
		must(persons[1].insist(t.Context(), http.MethodPost, "/register", url.Values{"event_types": {`["message"]`}, "apply_markdown": {"true"}}, &reply))
		queues[i] = reply.ID
	}
	sends := sync.WaitGroup{}
	for range 8 {
		sends.Go(func() {
			for range sent / 8 {
				_ = persons[1].insist(t.Context(), http.MethodPost, "/messages", url.Values{"type": {"stream"}, "to": {"load"}, "topic": {"x"}, "content": {strings.Repeat("<&", 4990)}}, &struct{}{})
			}
		})
	}
	sends.Wait()
	storetest.Connect(t, s.DatabaseURL()).Exec(storetest.InsertMessages(`select org_id, sender_id, stream_id, topic, content, rendered
		from messages, generate_series(1, $1::int) where message_id = (select max(message_id) from messages)`), stored)
	before := peak(t, p.PID())

	a := &attack{t: t, addr: strings.TrimPrefix(p.URL(), "http://")}
	a.login = "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(people[1].Email+":"+people[1].Key)) + "\r\n"
	defer func() {
		for _, conn := range a.held {
			_ = conn.Close()
		}
	}()
	ctx, stop := context.WithCancel(t.Context())
	working := sync.WaitGroup{}
	took := []time.Duration{}
	working.Go(func() { took = sendUntil(ctx, t, persons[0], people[0].UserID) })
	attackers := sync.WaitGroup{}
	for range 40 { // nobody
		attackers.Go(func() {
			a.open(a.head("POST", "/external/helloworld?api_key="+strings.Repeat("A", 32), "Content-Type: application/json\r\nContent-Length: 26214400\r\n") + strings.Repeat(" ", 4<<20))
		})
	}
	for range 15 { // the account's pages
		attackers.Go(func() { a.open(a.head("GET", "/messages?anchor=newest&num_before=5000&num_after=0", a.login)) })
	}
	for _, q := range queues { // its polls
		attackers.Go(func() {
			a.open(a.head("GET", "/events?dont_block=true&last_event_id=-1&queue_id="+url.QueryEscape(q), a.login))
		})
	}
	slow := []string{
		a.head("POST", "/nothing", "Content-Length: 9\r\n"),
		a.head("POST", "/register", "Content-Length: 65000\r\n") + strings.Repeat("x", 1000),
		a.head("POST", "/messages", a.login+"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1048000\r\n") + strings.Repeat("x", 60_000),
		a.head("POST", "/register", a.login+"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 16000\r\n") + strings.Repeat("x", 15_000),
	}
	for part := range 30 {
		attackers.Go(func() {
			for i := range 100 {
				a.open(slow[(part+i)%len(slow)])
			}
		})
	}
	attackers.Wait()
	time.Sleep(3 * time.Second)
	stop()
	working.Wait()
	t.Logf("%d MB before, with %d connections", before>>20, len(a.held))
	withstood(t, s, p, took)
}

// sendUntil sends messages from an account to itself, one after another, until ctx ends. It returns the time that each
// took.
func sendUntil(ctx context.Context, t *testing.T, who *client, self int64) (took []time.Duration) {
	t.Helper()
	for ctx.Err() == nil {
		start, no := time.Now(), refused{}
		for {
			err := who.call(context.WithoutCancel(ctx), http.MethodPost, "/messages", url.Values{"type": {"private"}, "to": {fmt.Sprintf("[%d]", self)}, "content": {"I am here"}}, &struct{}{})
			if errors.As(err, &no) {
				t.Errorf("another account can't send: %v", err)
			}
			// The server may close an idle connection to accept another one. Clients repeat unanswered requests.
			if err == nil || no.status > 0 || time.Since(start) > sendTimeout {
				break
			}
		}
		took = append(took, time.Since(start))
	}
	return took
}

// withstood checks a process's memory, and the times of another account's sends, after an attack.
func withstood(t *testing.T, s *System, p *Process, took []time.Duration) {
	t.Helper()
	limit := peak(t, p.PID())
	slices.Sort(took)
	if len(took) == 0 {
		t.Fatal("the other account hasn't sent anything")
	}
	slowest, p99 := took[len(took)-1], took[len(took)*99/100]
	t.Logf("%d MB at most; %d sends of another account, p99 %v, the slowest %v", limit>>20, len(took), p99, slowest)
	if limit >= memoryLimit || s.Ended() > 0 {
		t.Errorf("the process used %d MB and ended %d times, want less than %d MB and no end", limit>>20, s.Ended(), memoryLimit>>20)
	}
	if slowest > sendTimeout {
		t.Errorf("the slowest of %d sends took %v", len(took), slowest)
	}
}
