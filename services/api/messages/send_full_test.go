package messages_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
)

// While the database's disk is full, senders get an error, nothing is stored, and calls that need no space work.
func TestSendOnFullDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.Person("Ada", actor.Member)
	w.stream(ada, "general", nil)
	message := params{"type": "stream", "to": "general", "topic": "t", "content": "hello"}
	ada.Do(http.MethodPost, "/messages", message).OK()
	w.db.Exec("create function no_room() returns trigger language plpgsql as $$ begin raise sqlstate '53100'; end $$")
	w.db.Exec("create trigger no_room before insert on messages for each row execute function no_room()")
	before := w.counts()
	ada.Do(http.MethodPost, "/messages", message).Fails(http.StatusServiceUnavailable, "", "The server can't store this, as its disk is full: try again later, or tell its administrator")
	if after := w.counts(); after["messages"] != before["messages"] || after["event_log"] != before["event_log"] {
		t.Errorf("rows before %v, after %v", before, after)
	}
	ada.Do(http.MethodGet, "/messages", params{"anchor": "newest", "num_before": 5, "num_after": 0}).OK()

	w.db.Exec("drop trigger no_room on messages")
	ada.Do(http.MethodPost, "/messages", message).OK()
}
