package messages_test

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// eventJSON is an event in the form for clients, without its number in the queue.
type eventJSON = map[string]any

// watch is a client that gets the events of messages.
type watch struct {
	account servicetest.Account
	queue   *servicetest.Queue
}

func watching(a servicetest.Account, more params) watch {
	request := params{
		"event_types": []string{"message", "update_message", "delete_message", "reaction"}, "fetch_event_types": []string{},
		"client_capabilities": map[string]bool{"notification_settings_null": true, "bulk_message_deletion": true},
	}
	maps.Copy(request, more)
	return watch{a, a.Register(request)}
}

// crowd contains clients by name, all of them subscribed to their own stream.
type crowd struct {
	w       *world
	clients map[string]watch
	speaker servicetest.Account
}

// crowd registers clients for accounts. Those in slow don't support bulk deletion.
func (w *world) crowd(speaker servicetest.Account, accounts map[string]servicetest.Account) *crowd {
	w.T.Helper()
	everyone := []servicetest.Account{speaker}
	for _, a := range accounts {
		everyone = append(everyone, a)
	}
	w.stream(speaker, "everyone", params{"principals": ids(everyone...)})
	c := &crowd{w: w, clients: map[string]watch{}, speaker: speaker}
	for name, a := range accounts {
		c.clients[name] = watching(a, nil)
	}
	return c
}

// events returns the events of each client since the last call, without clients that got none.
func (c *crowd) events() map[string][]eventJSON {
	c.w.T.Helper()
	marker := float64(c.speaker.SendStream("everyone", "marker", "that's all"))
	all := map[string][]eventJSON{}
	for name, client := range c.clients {
		for done := false; !done; {
			reply := struct{ Events []eventJSON }{}
			client.account.Do(http.MethodGet, "/events", params{"queue_id": client.queue.ID, "last_event_id": client.queue.Last}).OK().Decode(&reply)
			for _, e := range reply.Events {
				client.queue.Last = int64(e["id"].(float64))
				delete(e, "id")
				if m, ok := e["message"].(eventJSON); ok {
					if m["id"] == marker {
						done = true
						break
					}
					e = eventJSON{"type": "message", "topic": m["subject"], "content": m["content"], "by": m["sender_full_name"], "in": m["display_recipient"]}
				}
				if e["type"] == "heartbeat" {
					continue
				}
				if at, ok := e["edit_timestamp"].(float64); ok {
					if age := time.Now().Unix() - int64(at); age < 0 || age > 60 {
						c.w.T.Errorf("edit_timestamp is %d seconds old", age)
					}
					delete(e, "edit_timestamp")
				}
				all[name] = append(all[name], e)
			}
		}
	}
	return all
}

// with returns an event with changed fields; nil removes a field.
func (c *crowd) with(e eventJSON, changes ...any) eventJSON {
	changed := maps.Clone(e)
	for i := 0; i < len(changes); i += 2 {
		if changes[i+1] == nil {
			delete(changed, changes[i].(string))
		} else {
			changed[changes[i].(string)] = changes[i+1]
		}
	}
	return changed
}

// list returns numbers in the types of decoded JSON.
func list(numbers ...int64) []any {
	all := make([]any, len(numbers))
	for i, n := range numbers {
		all[i] = float64(n)
	}
	return all
}

func flags(names ...string) []any {
	all := make([]any, len(names))
	for i, name := range names {
		all[i] = name
	}
	return all
}

func at(message int64) string { return "/messages/" + strconv.FormatInt(message, 10) }

func edit(a servicetest.Account, message int64, p params) servicetest.Answer {
	return a.Do(http.MethodPatch, at(message), p)
}

func leave(a servicetest.Account, stream string) {
	a.Do(http.MethodDelete, "/users/me/subscriptions", params{"subscriptions": []string{stream}}).OK()
}

// topic returns the ids of a topic's messages.
func (w *world) topic(stream int64, topic string) []int64 {
	w.T.Helper()
	return storetest.Values[int64](w.db, "select message_id from messages where stream_id = $1 and topic = $2 order by 1", stream, topic)
}

// flagged returns the rows of flags of a message, by user.
func (w *world) flagged(message int64) map[int64]int16 {
	w.T.Helper()
	rows := map[int64]int16{}
	for _, row := range storetest.Rows[struct {
		User  int64
		Flags int16
	}](w.db, "select user_id, flags from message_flags where message_id = $1", message) {
		rows[row.User] = row.Flags
	}
	return rows
}

// older sets the sending time of a message back.
func (w *world) older(message int64, by time.Duration) {
	w.T.Helper()
	w.db.Exec("update messages set sent_at = sent_at - $1::interval where message_id = $2", by, message)
}

// together runs calls that all wait for a place, in order, and returns their responses.
func (w *world) together(place int64, calls ...func() servicetest.Answer) []servicetest.Answer {
	w.T.Helper()
	return w.behind("select pg_advisory_xact_lock($1)", place, calls...)
}

// behind runs calls that all wait for a lock of a statement, in order, and returns their responses.
func (w *world) behind(lock string, number int64, calls ...func() servicetest.Answer) []servicetest.Answer {
	w.T.Helper()
	w.db.Exec("begin")
	w.db.Exec(lock, number)
	answers := make([]chan servicetest.Answer, len(calls))
	for i, call := range calls {
		answers[i] = make(chan servicetest.Answer, 1)
		go func() { answers[i] <- call() }()
		w.db.AwaitBlocked(i + 1)
	}
	w.db.Exec("commit")
	all := []servicetest.Answer{}
	for answer := range slices.Values(answers) {
		all = append(all, <-answer)
	}
	return all
}

func statuses(answers []servicetest.Answer) []int {
	all := []int{}
	for _, a := range answers {
		all = append(all, a.Status)
	}
	return all
}

// bare removes the event of a new stream's creation.
func (w *world) bare(streams ...int64) {
	w.T.Helper()
	w.db.Exec("delete from messages where stream_id = any ($1)", streams)
	w.db.Exec("update streams set first_message_id = null where stream_id = any ($1)", streams)
}
