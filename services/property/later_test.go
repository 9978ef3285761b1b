package property_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/scheduled"
	"chatserver.dev/services/servicetest"
)

// scheduledText is the beginning of scheduled messages. Each has a different text.
const scheduledText = "later "

// laterAct generates an action with scheduled messages: scheduling one, cancelling one, or sending those that wait.
func (f *following) laterAct(p *person, which int) func() {
	f.texts++
	text := fmt.Sprintf("%s%d", scheduledText, f.texts)
	switch draw(f.history, "later", []string{"schedule", "schedule", "schedule", "cancel", "send"}) {
	case "schedule":
		params := servicetest.Params{
			"type": "private", "to": []int64{p.id}, "content": text, "delivery_type": "send_later",
			"deliver_at": time.Now().Add(time.Hour).UTC().Format(time.RFC3339),
		}
		return func() {
			if f.try(p, http.MethodPost, "/messages", params).Status == http.StatusOK {
				f.came(p, text)
			}
		}
	case "cancel":
		return func() {
			waiting := waitingOf(p)
			if len(waiting) == 0 {
				return
			}
			one := waiting[which%len(waiting)]
			content, _ := one["content"].(string)
			if f.try(p, http.MethodDelete, fmt.Sprintf("/scheduled_messages/%d", whole(one["scheduled_message_id"])), nil).Status == http.StatusOK {
				f.came(p, content)
			}
		}
	default:
		return func() {
			f.note("scheduled messages are sent")
			later := func() time.Time { return time.Now().Add(2 * time.Hour) }
			w := f.world
			s := scheduled.New(scheduled.Deps{DB: w.DB, Orgs: w.Orgs, Messages: w.Messages, Now: later, Logger: w.Logger})
			for more := true; more; {
				var err error
				if more, err = s.Send(f.Context()); err != nil {
					f.Errorf("send scheduled messages: %v", err)
				}
			}
		}
	}
}

// came records that a message was scheduled, and later that it was cancelled.
func (f *following) came(p *person, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.later[p.id] == nil {
		f.later[p.id] = map[string]int{}
	}
	f.later[p.id][text]++
}

// waitingOf returns an account's scheduled messages.
func waitingOf(p *person) []object {
	reply := struct {
		Waiting []object `json:"scheduled_messages"`
	}{}
	p.Do(http.MethodGet, "/scheduled_messages", nil).OK().Decode(&reply)
	return reply.Waiting
}

// compareScheduled checks that each scheduled message is in exactly one state: waiting, sent, or cancelled.
func (f *following) compareScheduled(p *person, messages []object) {
	f.Helper()
	want, got := map[string]int{}, map[string]int{}
	for text, came := range f.later[p.id] {
		want[text] = 1
		if came > 1 {
			got[text] = came - 1
		}
	}
	for _, one := range waitingOf(p) {
		text, _ := one["content"].(string)
		got[text]++
	}
	for _, message := range messages {
		text, _ := message["content"].(string)
		text = strings.TrimSuffix(strings.TrimPrefix(text, "<p>"), "</p>")
		if whole(message["sender_id"]) == p.id && strings.HasPrefix(text, scheduledText) {
			got[text]++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		f.Fatalf("scheduled messages of %s (-want +got):\n%s", p.name, diff)
	}
}
