//go:build e2e

package e2e_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// stream reads events over one connection, as they come, until the server ends it or use wants no more messages; over says that it
// doesn't. Whatever a client would notice is an error, but not the end of a whole answer: the client comes back, and so
// acknowledges what it has.
func (q *queue) stream(use func(message) (more bool)) (over bool, err error) {
	q.close()
	if q.conn, err = net.DialTimeout("tcp", q.address, 10*time.Second); err != nil {
		return false, err
	}
	defer q.close()
	parameters := form{"queue_id": q.id, "last_event_id": strconv.FormatInt(q.last, 10)}
	request, err := http.NewRequest(http.MethodGet, "http://"+q.account.site+"/api/v1/events?"+parameters.encode(), http.NoBody)
	if err != nil {
		return false, err
	}
	request.Header.Set("User-Agent", "ChatserverE2E/1.0")
	request.Header.Set("Accept", "text/event-stream")
	q.account.signs(request)
	if err := errors.Join(q.conn.SetDeadline(time.Now().Add(patience)), request.Write(q.conn)); err != nil {
		return false, fmt.Errorf("write: %w", err)
	}
	response, err := http.ReadResponse(bufio.NewReader(q.conn), request)
	if err != nil {
		return false, fmt.Errorf("read: %w", err)
	}
	defer response.Body.Close() // it reads to the end
	defer q.close()             // so this comes before
	if response.StatusCode != http.StatusOK {
		return false, &refusal{"GET /events as a stream", response.StatusCode, response.Status}
	}
	if kind := response.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		return false, fmt.Errorf("a stream begins with %s, %s", response.Status, kind)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	id := int64(0)
	for lines.Scan() {
		if err := q.conn.SetDeadline(time.Now().Add(patience)); err != nil {
			return false, err
		}
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			if id, err = strconv.ParseInt(value, 10, 64); err != nil {
				return false, err
			}
			if id <= q.last {
				return false, fmt.Errorf("event %d came after event %d", id, q.last)
			}
		case "data":
			event := struct {
				Type    string  `json:"type"`
				Message message `json:"message"`
			}{}
			if err := json.Unmarshal([]byte(value), &event); err != nil {
				return false, err
			}
			if q.last = id; event.Type == "message" && !use(event.Message) {
				return true, nil
			}
		}
	}
	return false, lines.Err()
}
