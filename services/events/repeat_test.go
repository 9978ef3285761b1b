package events_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// side is a connection to a replica that polls its own queue.
type side struct {
	replica *servicetest.Replica
	conn    net.Conn
	reader  *bufio.Reader
	queues  map[string]*servicetest.Queue // by whose they are
	last    int64
}

func newSide(t *testing.T, r *servicetest.Replica, people map[string]servicetest.Account) *side {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(r.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(5 * time.Minute))
	s := &side{replica: r, conn: conn, reader: bufio.NewReader(conn), queues: map[string]*servicetest.Queue{}, last: -1}
	for name, who := range people {
		s.queues[name] = messagesOf(who.At(r), nil)
	}
	return s
}

var eventID = regexp.MustCompile(`"id":([0-9]+),"(?:type|flags)"`)

// read returns an answer without the parts that differ between two connections.
func (s *side) read() (string, error) {
	response, err := http.ReadResponse(s.reader, nil)
	if err != nil {
		return "", err
	}
	raw, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	for _, name := range []string{"Date", "X-Request-Id", "X-Ratelimit-Reset"} {
		response.Header.Del(name)
	}
	body := string(raw)
	for _, found := range eventID.FindAllStringSubmatch(body, -1) {
		_, err := fmt.Sscan(found[1], &s.last)
		if err != nil {
			return "", err
		}
	}
	for name, q := range s.queues {
		body = strings.ReplaceAll(body, q.ID, name+"'s queue")
	}
	return fmt.Sprintf("%s %v %s", response.Status, response.Header, body), err
}

// polling is two connections of the same account: one whose polls are recognized by the previous one, and one whose
// polls are read in full.
type polling struct {
	*servicetest.World
	people   map[string]servicetest.Account
	replicas [2]*servicetest.Replica
	sides    [2]*side
}

func startPolling(t *testing.T) *polling {
	t.Helper()
	w := servicetest.New(t)
	p := &polling{World: w, people: map[string]servicetest.Account{"ann": w.Person("Ann", actor.Member), "bob": w.Person("Bob", actor.Member)}}
	for i := range p.replicas {
		w.PollsParsed = i == 1
		p.replicas[i] = w.Replica()
	}
	// The message about the new stream is delivered before the test begins. Otherwise it might take a number of a queue whose
	// initial state contains it.
	queue := messagesOf(p.people["ann"].At(p.replicas[0]), nil)
	p.people["ann"].Subscribe("boilers")
	queue.Poll()
	return p
}

// connect makes new connections and queues. The earlier queues are gone, because the number of queues of an account is
// limited.
func (p *polling) connect(t *testing.T) {
	t.Helper()
	for i, r := range p.replicas {
		if before := p.sides[i]; before != nil {
			_ = before.conn.Close()
			for name, q := range before.queues {
				p.people[name].At(r).Do(http.MethodDelete, "/events", servicetest.Params{"queue_id": q.ID}).OK()
			}
		}
		p.sides[i] = newSide(t, r, p.people)
	}
}

// poll is a request, whose query has placeholders for a queue and a number.
type poll struct {
	who, query, field string
	of                string // whose queue
	from              int64  // the last event, or that many behind it
	waits             bool   // there is no answer until something happens
}

func (p *polling) send(s *side, r poll) error {
	who := p.people[r.who]
	query := strings.NewReplacer("QUEUE", s.queues[r.of].ID, "LAST", strconv.FormatInt(s.last+r.from, 10)).Replace(r.query)
	_, err := io.WriteString(s.conn, "GET /api/v1/events?"+query+" HTTP/1.1\r\nHost: "+servicetest.Host+"\r\nAuthorization: Basic "+
		base64.StdEncoding.EncodeToString([]byte(who.RealEmail+":"+who.Key))+"\r\n"+r.field+"\r\n")
	return err
}

// compare sends a poll over both connections, calls happens if the poll waits, and returns both answers.
func (p *polling) compare(r poll, happens func(s *side)) (known, read string, err error) {
	answers := [2]string{}
	for _, s := range p.sides {
		if err := p.send(s, r); err != nil {
			return "", "", err
		}
	}
	for by := time.Now().Add(time.Minute); r.waits && p.waiting() < len(p.sides); time.Sleep(time.Millisecond) {
		if time.Now().After(by) {
			return "", "", fmt.Errorf("%d polls wait", p.waiting())
		}
	}
	if r.waits {
		happens(nil)
	}
	for i, s := range p.sides {
		if r.waits {
			happens(s)
		}
		if answers[i], err = s.read(); err != nil {
			return "", "", err
		}
	}
	return answers[0], answers[1], nil
}

func (p *polling) waiting() (count int) {
	for _, s := range p.sides {
		count += s.replica.Events.Waiting()
	}
	return count
}

// The cached state of a connection changes no answer: all answers on a connection are the same, including headers, as
// if each poll was read in full, however the polls differ, and whatever happened to the account, its key and its queue
// meanwhile.
func TestKnownPolls(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	p := startPolling(t)
	ann := p.people["ann"]
	const usual = "queue_id=QUEUE&last_event_id=LAST"
	message := func(s *side) {
		if s == nil {
			ann.SendStream("boilers", "x", "it leaks")
		}
	}
	beat := func(s *side) {
		// A poll with a pending call of Redis gets no heartbeat.
		for s != nil && s.replica.Events.Beat(t.Context()) > 0 {
			time.Sleep(time.Millisecond)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		p.connect(t)
		query := usual
		for range rapid.IntRange(2, 6).Draw(r, "polls") {
			next, happens := poll{who: "ann", of: "ann", query: query, waits: true}, message
			switch rapid.IntRange(0, 14).Draw(r, "kind") {
			case 0:
				next.who, next.waits = "bob", false // another's queue
			case 1:
				next.who, next.of, next.query, next.waits = "bob", "bob", "queue_id=QUEUE&last_event_id=-1&dont_block=true", false
			case 2:
				next.from, next.waits = rapid.SampledFrom([]int64{-3000, -1000_000, 1, 5_000_000}).Draw(r, "from"), false
				if next.from == 1 { // as if it had got a heartbeat
					next.waits = true
				}
			case 3:
				next.query, next.waits = rapid.SampledFrom([]string{
					"queue_id=QUEUE", "last_event_id=LAST", "queue_id=QUEUE&last_event_id=x", "queue_id=nobodys&last_event_id=LAST", usual + "&dont_block=true",
					usual + "&last_event_id=-2", "queue_id=QUEUE&last_event_id=-2", usual + "&client=%ff", usual + "&dont_block=maybe",
				}).Draw(r, "query"), false
			case 4:
				next.field = rapid.SampledFrom([]string{"Origin: http://elsewhere.example\r\n", "X-Request-Id: mine\r\n", "Sec-Fetch-Site: cross-site\r\n", "User-Agent: ZulipMobile/1\r\n"}).Draw(r, "field")
			case 5:
				query = rapid.SampledFrom([]string{usual, "last_event_id=LAST&queue_id=QUEUE", usual + "&client=x"}).Draw(r, "usual query")
				next.query = query
			case 6, 7:
				happens = beat
			}
			known, read, err := p.compare(next, happens)
			if err != nil {
				r.Fatalf("%+v: %v", next, err)
			}
			if known != read {
				r.Fatalf("%+v: known from the one before\n%s\nread in full\n%s", next, known, read)
			}
		}
	})
	p.endings(t, poll{who: "ann", of: "ann", query: usual, waits: true})
}

// endings compares polls before and after an account's key or a queue ends.
func (p *polling) endings(t *testing.T, next poll) {
	t.Helper()
	nothing := func(*side) {}
	both := func(what, want string) {
		t.Helper()
		next := next
		next.waits = false
		known, read, err := p.compare(next, nothing)
		if err != nil || known != read || !strings.Contains(known, want) {
			t.Errorf("%s: %v, known from the one before\n%s\nread in full\n%s", what, err, known, read)
		}
	}
	usual := func() {
		t.Helper()
		for range 2 {
			known, read, err := p.compare(next, func(s *side) {
				if s == nil {
					p.people["ann"].SendStream("boilers", "x", "still")
				}
			})
			if err != nil || known != read || !strings.Contains(known, "still") {
				t.Errorf("a poll: %v\n%s\n%s", err, known, read)
			}
		}
	}
	usual()
	known, read, err := p.compare(next, func(s *side) {
		if s != nil {
			p.people["ann"].Do(http.MethodDelete, "/events", servicetest.Params{"queue_id": s.queues["ann"].ID}).OK()
		}
	})
	if err != nil || known != read {
		t.Errorf("a queue that is deleted: %v\n%s\n%s", err, known, read)
	}
	both("a queue that was deleted", "BAD_EVENT_QUEUE_ID")
	for _, s := range p.sides {
		s.queues["ann"], s.last = messagesOf(p.people["ann"].At(s.replica), nil), -1
	}
	usual()
	p.WatchAccounts()
	usual()
	err = p.DB.Write(t.Context(), p.people["ann"].Org.ID, func(tx *store.Tx) error {
		_, err := user.RevokeKeys(t.Context(), tx, p.people["ann"].ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	testbed.Until(t, "the key is refused", func() bool {
		return p.people["ann"].Do(http.MethodGet, "/users/me", nil).Status == http.StatusUnauthorized
	})
	both("a key that was revoked", "401 Unauthorized")
}
