package subscription_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// entries returns the entries of the log since the last call.
func (w *world) entries(t *testing.T) []store.LogEntry {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		entries, more, err := w.db.Log().Read(t.Context(), w.db.Shard(w.org.ID), w.at, 100_000)
		if err != nil {
			t.Fatal(err)
		}
		if more && time.Now().Before(deadline) {
			continue // a transaction in another test's database is still open
		}
		if len(entries) > 0 {
			w.at = entries[len(entries)-1].Position
		}
		return entries
	}
}

// events returns the events about streams since the last call, a line for each: its content -> its receivers; its
// changes of subscriptions.
func (w *world) events(t *testing.T) []string {
	t.Helper()
	lines := []string{}
	for _, entry := range expanded(t, w.entries(t)) {
		e := recorded{}
		if err := json.Unmarshal([]byte(entry.Payload), &e); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains([]string{"stream", "subscription", "default_streams"}, e.Type) {
			continue
		}
		words := []string{e.Type + "/" + e.Op}
		for _, s := range slices.Concat(e.Streams, e.Subscriptions, e.DefaultStreams) {
			word := s.Name
			if s.Subscribers != nil {
				word += fmt.Sprint(w.names(*s.Subscribers))
			}
			words = append(words, word)
		}
		if e.User != 0 {
			words = append(words, fmt.Sprint(e.Stream), w.name(e.User))
		}
		words = append(words, "->", w.audience(entry.Audience)+w.change(entry.Change))
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

// expanded splits an event about several people into one for each.
func expanded(t *testing.T, entries []store.LogEntry) []store.LogEntry {
	t.Helper()
	all := []store.LogEntry{}
	for _, entry := range entries {
		if !strings.Contains(entry.Payload, `"personal":`) {
			all = append(all, entry)
			continue
		}
		for _, user := range entry.Audience.Users {
			body, err := event.Decode([]byte(entry.Payload)).Append(nil, event.Form{}, event.Copy{User: user})
			if err != nil {
				t.Fatal(err)
			}
			others := func(m event.Membership) bool { return m.User != user }
			one := entry
			one.Payload, one.Audience.Users = string(body), []id.User{user}
			one.Change = &event.Change{Subscribed: slices.DeleteFunc(slices.Clone(entry.Change.Subscribed), others)}
			all = append(all, one)
		}
	}
	return all
}

type recorded struct {
	Type           string           `json:"type"`
	Op             string           `json:"op"`
	Streams        []recordedStream `json:"streams"`
	Subscriptions  []recordedStream `json:"subscriptions"`
	DefaultStreams []recordedStream `json:"default_streams"`
	Stream         id.Stream        `json:"stream_id"`
	User           id.User          `json:"user_id"`
}

type recordedStream struct {
	Name        string     `json:"name"`
	Subscribers *[]id.User `json:"subscribers"`
}

func (w *world) name(u id.User) string {
	for name, found := range w.users {
		if found.ID == u {
			return name
		}
	}
	return fmt.Sprint(u)
}

func (w *world) names(users []id.User) []string {
	names := make([]string, len(users))
	for i, u := range users {
		names[i] = w.name(u)
	}
	return names
}

func (w *world) audience(a event.Audience) string {
	parts := []string{}
	for _, part := range []struct {
		set  bool
		text string
	}{
		{a.Everyone, "everyone"},
		{a.NonGuests, "non-guests"},
		{a.Admins, "admins"},
		{a.Subscribers != 0, fmt.Sprintf("subscribers of %d", a.Subscribers)},
		{len(a.Users) > 0, strings.Join(w.names(a.Users), " ")},
		{len(a.Except) > 0, "not " + strings.Join(w.names(a.Except), " ")},
	} {
		if part.set {
			parts = append(parts, part.text)
		}
	}
	return strings.Join(parts, ", ")
}

func (w *world) change(c *event.Change) string {
	if c == nil {
		return ""
	}
	words := []string{";"}
	for _, m := range c.Subscribed {
		words = append(words, fmt.Sprintf("+%s@%d", w.name(m.User), m.Stream))
	}
	for _, m := range c.Unsubscribed {
		words = append(words, fmt.Sprintf("-%s@%d", w.name(m.User), m.Stream))
	}
	return strings.Join(words, " ")
}
