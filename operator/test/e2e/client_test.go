//go:build e2e

package e2e_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/adminclient"
)

// form are the parameters of a call.
type form map[string]string

func (f form) encode() string {
	values := url.Values{}
	for name, value := range f {
		values.Set(name, value)
	}
	return values.Encode()
}

// account is somebody who calls a server.
type account struct {
	site  string // the name in the header Host
	email string
	key   string
	// session is the cookie of a browser whose pages call, in place of a key.
	session string
}

// signs adds to a request who sends it.
func (a account) signs(request *http.Request) {
	switch {
	case a.email != "":
		request.SetBasicAuth(a.email, a.key)
	case a.session != "":
		request.Header.Set("Cookie", a.session)
		request.Header.Set("Sec-Fetch-Site", "same-origin")
	}
}

// accountIn reads an account from the Secret that the operator has written.
func accountIn(t testing.TB, namespace, name string) account {
	t.Helper()
	site, err := url.Parse(secret(t, namespace, name, "site"))
	if err != nil {
		t.Fatal(err)
	}
	return account{site: site.Host, email: secret(t, namespace, name, "email"), key: secret(t, namespace, name, "api-key")}
}

// address returns where a Service is: kube-proxy chooses a pod for each connection.
func address(t testing.TB, namespace, service string) string {
	t.Helper()
	return net.JoinHostPort(field(t, namespace, "service/"+service, ".spec.clusterIP"), field(t, namespace, "service/"+service, ".spec.ports[0].port"))
}

// adminOf is a client of the server's admin interface with a token. It trusts what the operator does.
func adminOf(t testing.TB, token string) *adminclient.Client {
	t.Helper()
	secured, err := adminclient.TLS([]byte(secret(t, chat, server+"-admin", "ca.crt")), server+"-admin."+chat+".svc")
	if err != nil {
		t.Fatal(err)
	}
	through := &http.Client{Timeout: adminclient.CallTime, Transport: &http.Transport{TLSClientConfig: secured, DisableKeepAlives: true}}
	admin, err := adminclient.New("https://"+address(t, chat, server+"-admin"), token, through)
	if err != nil {
		t.Fatal(err)
	}
	return admin
}

// connection is an HTTP client that does nothing by itself: it has one connection, keeps it until it is asked
// that it ends, and tries nothing twice. Everything that goes wrong is seen.
type connection struct {
	address string
	conn    net.Conn
	reader  *bufio.Reader
}

// patience is more than the longest poll.
const patience = 100 * time.Second

// send sends a request and returns the status and body of the response.
func (c *connection) send(request *http.Request) (int, []byte, error) {
	if c.conn == nil {
		conn, err := net.DialTimeout("tcp", c.address, 10*time.Second)
		if err != nil {
			return 0, nil, err
		}
		c.conn, c.reader = conn, bufio.NewReader(conn)
	}
	if err := errors.Join(c.conn.SetDeadline(time.Now().Add(patience)), request.Write(c.conn)); err != nil {
		return 0, nil, fmt.Errorf("write: %w", err)
	}
	response, err := http.ReadResponse(c.reader, request)
	if err != nil {
		return 0, nil, fmt.Errorf("read: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil, fmt.Errorf("read the body: %w", err)
	}
	if response.Close {
		c.close()
	}
	return response.StatusCode, body, nil
}

func (c *connection) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// call calls the interface as an account, and decodes the answer into an object. An answer that isn't 200 is an error.
func (c *connection) call(a account, method, path string, parameters form, into any) error {
	return c.post(a, method, "/api/v1"+path, "application/x-www-form-urlencoded", parameters.encode(), into)
}

// post sends any body.
func (c *connection) post(a account, method, path, kind, body string, into any) error {
	target := "http://" + a.site + path
	if method == http.MethodGet || method == http.MethodDelete {
		target, body = target+"?"+body, ""
	}
	request, err := http.NewRequest(method, target, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "ChatserverE2E/1.0")
	request.Header.Set("Content-Type", kind)
	a.signs(request)
	status, answer, err := c.send(request)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if status != http.StatusOK {
		return &refusal{method + " " + path, status, string(answer)}
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}

// refusal is an answer that isn't 200.
type refusal struct {
	what   string
	status int
	answer string
}

func (r *refusal) Error() string { return fmt.Sprintf("%s: %d: %s", r.what, r.status, r.answer) }

// call makes one call as an account; the test fails if it does.
func call(t testing.TB, address string, a account, method, path string, parameters form, into any) {
	t.Helper()
	c := &connection{address: address}
	defer c.close()
	if err := c.call(a, method, path, parameters, into); err != nil {
		t.Fatal(err)
	}
}

// statusFor returns the status of GET /users/me for an account.
func statusFor(t testing.TB, address string, a account) int {
	t.Helper()
	c := &connection{address: address}
	defer c.close()
	err := c.call(a, http.MethodGet, "/users/me", nil, nil)
	if no := (*refusal)(nil); errors.As(err, &no) {
		return no.status
	}
	if err != nil {
		t.Fatal(err)
	}
	return http.StatusOK
}

// message is what is looked at in a message.
type message struct {
	ID      int64  `json:"id"`
	Content string `json:"content"`
	Subject string `json:"subject"`
	Stream  any    `json:"display_recipient"`
	Sender  string `json:"sender_email"`
}

// queue is an event queue for messages.
type queue struct {
	connection

	account account
	id      string
	last    int64
}

// register makes a queue through the Service of events.
func register(address string, a account) (*queue, error) {
	q := &queue{connection: connection{address: address}, account: a}
	made := struct {
		QueueID     string `json:"queue_id"`
		LastEventID int64  `json:"last_event_id"`
	}{}
	err := q.call(a, http.MethodPost, "/register", form{"event_types": `["message"]`, "apply_markdown": "false"}, &made)
	q.id, q.last = made.QueueID, made.LastEventID
	return q, err
}

// poll waits for events, and returns the messages among them; there may be none.
func (q *queue) poll() ([]message, error) {
	answer := struct {
		Events []struct {
			ID      int64   `json:"id"`
			Type    string  `json:"type"`
			Message message `json:"message"`
		} `json:"events"`
	}{}
	err := q.call(q.account, http.MethodGet, "/events", form{"queue_id": q.id, "last_event_id": strconv.FormatInt(q.last, 10)}, &answer)
	if err != nil {
		return nil, err
	}
	messages := []message{}
	for _, event := range answer.Events {
		if event.ID <= q.last {
			return nil, fmt.Errorf("event %d came after event %d", event.ID, q.last)
		}
		q.last = event.ID
		if event.Type == "message" {
			messages = append(messages, event.Message)
		}
	}
	return messages, nil
}

// await polls until a message comes that has all of the words.
func (q *queue) await(t testing.TB, words ...string) message {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		messages, err := q.poll()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			if hasAll(m.Subject+"\n"+m.Content, words) {
				return m
			}
		}
	}
	t.Fatalf("no message with %q came", words)
	return message{}
}

func hasAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
