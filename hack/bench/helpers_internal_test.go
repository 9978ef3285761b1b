//go:build linux

package main

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/queue"
)

func TestQuantile(t *testing.T) {
	t.Parallel()
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = 100 - i
	}
	for _, c := range []struct {
		values []int
		q      float64
		want   int
	}{
		{hundred, 0.5, 50},
		{hundred, 0.99, 99},
		{hundred, 1, 100},
		{hundred, 0, 1},
		{[]int{7}, 0.99, 7},
		{[]int{3, 1, 2}, 0.5, 2},
		{nil, 0.5, 0},
	} {
		if got := quantile(c.values, c.q); got != c.want {
			t.Errorf("quantile %g of %d values: %d, want %d", c.q, len(c.values), got, c.want)
		}
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	if got := median([]float64{9, 1, 2}); got != 2 {
		t.Errorf("odd: %g", got)
	}
	if got := median([]float64{4, 1, 2, 9}); got != 3 {
		t.Errorf("even: %g", got)
	}
	if got := median(nil); !math.IsNaN(got) {
		t.Errorf("none: %g", got)
	}
}

func TestParseTransaction(t *testing.T) {
	t.Parallel()
	latency, ended, err := parseTransaction("3 199 2241 0 1175850568 995598")
	if err != nil || latency != 2241*time.Microsecond || !ended.Equal(time.Unix(1175850568, 995598000)) {
		t.Errorf("%v, %v, %v", latency, ended, err)
	}
	for _, line := range []string{"", "3 199 failed 0 1175850568 995598", "3 199 2241 0"} {
		if _, _, err := parseTransaction(line); err == nil {
			t.Errorf("%q is accepted", line)
		}
	}
}

func TestParseAnswer(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\ncontent-length:  4\r\nX: y\r\n\r\n"
	for cut := range len(head) + 4 {
		_, _, complete, err := parseAnswer([]byte((head + "body")[:cut]))
		if complete || err != nil {
			t.Fatalf("the first %d bytes: complete %t, %v", cut, complete, err)
		}
	}
	status, body, complete, err := parseAnswer([]byte(head + "body"))
	if status != 400 || string(body) != "body" || !complete || err != nil {
		t.Errorf("%d, %q, %t, %v", status, body, complete, err)
	}
	for _, bad := range []string{head + "body2", "HTTP/1.1 200 OK\r\nX: y\r\n\r\n", "HTTP\r\n\r\n"} {
		if _, _, _, err := parseAnswer([]byte(bad)); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestEventsOf(t *testing.T) {
	t.Parallel()
	type found struct {
		Number    int64
		Heartbeat bool
	}
	for body, want := range map[string][]found{
		`{"result":"success","queue_id":"q","events":[]}`:                                     nil,
		`{"events":[{"id":7,"flags":[],"type":"message","message":{"id":99,"timestamp":1}}]}`: {{7, false}},
		`{"events":[{"id":7,"flags":[],"type":"message","message":{"id":99}},{"id":8,"type":"heartbeat"},` +
			`{"id":9,"flags":["read"],"type":"message","message":{"id":100}}]}`: {{7, false}, {8, true}, {9, false}},
		`{"events":[{"id":3,"type":"message","message":{"id":4,"display_recipient":[{"id":1,"email":"a"},{"id":2,"email":"b"}]}},` +
			`{"id":4,"type":"heartbeat"}]}`: {{3, false}, {4, true}},
	} {
		var got []found
		for number, heartbeat := range eventsOf([]byte(body)) {
			got = append(got, found{number, heartbeat})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", body, diff)
		}
	}
}

func TestReached(t *testing.T) {
	t.Parallel()
	for cursor, want := range map[string]bool{
		"pg 100 5 0":           true,
		"pg 100 6 0":           true,
		"pg 101 1 0":           true,
		"pg 100 4 0":           false,
		"pg 99 9 0":            false,
		"pg 100 5 7":           false, // partial
		"pg 100 5 0 3:100:4:0": false,
	} {
		if got, err := reached(cursor, 100, 5); got != want || err != nil {
			t.Errorf("%q: %t, %v", cursor, got, err)
		}
	}
	if _, err := reached("nonsense", 1, 1); err == nil {
		t.Error("nonsense is accepted")
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	results := table{
		{Goal: "A", What: "speed", Unit: "1/s", Ours: []float64{60, 40, 50}, Floor: []float64{100, 100, 100}, Reach: reach{Min: 0.5}},
		{Goal: "B", What: "cost", Ours: []float64{2.5}, Reach: reach{Max: 2}},
		{Goal: "C", What: "never measured"},
		{Goal: "D", What: "same", Ours: []float64{10}, Floor: []float64{10.8}, Reach: reach{Min: 0.95, Max: 1.05}, Note: "odd"},
	}
	results.print(&out, 0.5)
	for _, want := range []string{
		"| A | speed, 1/s | 50.0 (3) | 100 (3) | 0.500 × | ≥ 0.5 × | yes |\n",
		"| B | cost | 2.50 (1) | – | – | ≤ 2 | **no** |\n",
		"| D | same | 10.0 (1) | 10.8 (1) | 0.926 × | 0.95 to 1.05 × | **no** |\n",
		"D, same: odd\n", "50 % of the machine",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "never") {
		t.Errorf("the table has values that weren't measured:\n%s", out.String())
	}
}

// The crowd against the floor: each client receives each message once.
func TestCrowd(t *testing.T) {
	t.Parallel()
	answer := []byte(`{"queue_id":"q","events":[{"id":12,"flags":[],"type":"message","message":{"id":1}}]}`)
	floor, err := newFloorServer(answer)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(floor.handler())
	defer server.Close()
	addr := server.Listener.Addr().String()

	const clients, waves = 50, 4
	queues := freshQueues(clients, "q")
	c, err := newCrowd(t.Context(), addr, queues)
	if err != nil {
		t.Fatal(err)
	}
	send := []byte("POST /api/v1/messages HTTP/1.1\r\nHost: floor\r\nContent-Length: 0\r\n\r\n")
	for range waves {
		if _, err := c.send(t.Context(), addr, send); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
	if got := c.messages.Load(); got != clients*waves {
		t.Errorf("%d deliveries, want %d", got, clients*waves)
	}
	for _, q := range queues {
		if q.Last != waves*queue.Step {
			t.Errorf("a queue is read up to %d, want %d", q.Last, waves*queue.Step)
		}
	}
	want := strings.Replace(string(answer), `"id":12`, `"id":1000`, 1)
	if diff := cmp.Diff(want, string(c.answer)); diff != "" {
		t.Errorf("answer (-want +got)\n%s", diff)
	}
}

// A server that repeats or refuses messages is detected.
func TestCrowdComplains(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"gap": func(w http.ResponseWriter, _ *http.Request) {
			answer(w, []byte(`{"events":[{"id":2000,"type":"message","message":{"id":1}}]}`))
		},
		"heartbeat with an event's id": func(w http.ResponseWriter, _ *http.Request) {
			answer(w, []byte(`{"events":[{"id":1000,"type":"heartbeat"}]}`))
		},
		"refusal": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(handler)
			defer server.Close()
			c, err := newCrowd(t.Context(), server.Listener.Addr().String(), freshQueues(1, "q"))
			if err != nil {
				t.Fatal(err)
			}
			for limit := time.Now().Add(5 * time.Second); c.failure() == nil && time.Now().Before(limit); {
				time.Sleep(time.Millisecond)
			}
			if c.failure() == nil {
				t.Error("no error was reported")
			}
			if err := c.close(); err != nil {
				t.Error(fmt.Errorf("close: %w", err))
			}
		})
	}
}
