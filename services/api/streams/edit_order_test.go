package streams_test

import (
	"encoding/json"
	"net/http"
	"testing"
)

// For a client that processes events in order, each message is in the stream under its name at that time.
func TestEditBesideSenders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watch := w.ann.Watch("stream", "message")
	const renames, sends = 8, 40
	// Sending fails if the stream changes during each of five attempts, so renames must not queue up.
	next, done := make(chan int), make(chan struct{})
	go func() {
		defer close(done)
		for i := range next {
			if answer := edit(w.admin, w.hall, params{"new_name": at(`"Hall %d"`, i)}); answer.Status != http.StatusOK {
				t.Errorf("rename: %s", answer.Body)
			}
		}
	}()
	for i := range sends {
		if i%(sends/renames) == 0 {
			next <- i
		}
		w.gus.Do(http.MethodPost, "/messages", params{"type": "stream", "to": w.hall, "topic": "t", "content": "c"}).OK()
	}
	close(next)
	<-done
	name, named, sent := "Hall", 0, 0
	for _, raw := range watch.Events() {
		e := struct {
			Property string `json:"property"`
			Value    string `json:"value"`
			Message  struct {
				Stream string `json:"display_recipient"`
			} `json:"message"`
		}{}
		if err := json.Unmarshal([]byte(raw), &e); err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Property == "name":
			name = e.Value
			named++
		case e.Message.Stream != "":
			if sent++; e.Message.Stream != name {
				t.Errorf("a message to %q where the stream is %q", e.Message.Stream, name)
			}
		}
	}
	if named != renames || sent != sends+renames {
		t.Errorf("%d names and %d messages, want %d and %d", named, sent, renames, sends+renames)
	}
}
