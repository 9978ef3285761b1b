package events_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

func number(n float64) string { return strconv.FormatInt(int64(n), 10) }

// history does things at random. Some fail: those change nothing.
type history struct {
	*rand.Rand
	people   []servicetest.Account
	admin    servicetest.Account
	streams  []string // ids
	messages []int64
}

func (h *history) anybody() servicetest.Account { return h.people[h.IntN(len(h.people))] }

func (h *history) stream() string { return h.streams[h.IntN(len(h.streams))] }

func (h *history) some() []int64 {
	some := []int64{}
	for range 1 + h.IntN(3) {
		some = append(some, h.messages[h.IntN(len(h.messages))])
	}
	return some
}

// step does one thing and says which.
func (h *history) step(names map[string]string) string {
	who, stream := h.anybody(), h.stream()
	do := func(who servicetest.Account, method, path string, p servicetest.Params) servicetest.Answer {
		return who.Do(method, path, p)
	}
	send := func(p servicetest.Params) {
		reply := struct{ ID int64 }{}
		if got := do(who, http.MethodPost, "/messages", p); got.Status == http.StatusOK {
			got.Decode(&reply)
			h.messages = append(h.messages, reply.ID)
		}
	}
	op, topic := []string{"add", "remove"}[h.IntN(2)], fmt.Sprint("topic ", h.IntN(3))
	steps := []struct {
		name string
		do   func()
	}{
		{"send", func() {
			send(servicetest.Params{"type": "stream", "to": stream, "topic": topic, "content": "@**all** x", "client": []string{"website", "script"}[h.IntN(2)]})
		}},
		{"tell", func() {
			send(servicetest.Params{"type": "private", "to": []int64{int64(h.anybody().ID), int64(h.anybody().ID)}, "content": "x"})
		}},
		{"star", func() {
			do(who, http.MethodPost, "/messages/flags", servicetest.Params{"messages": h.some()[:1], "op": op, "flag": "starred"})
		}},
		{"read", func() {
			do(who, http.MethodPost, "/messages/flags", servicetest.Params{"messages": h.some(), "op": "add", "flag": "read"})
		}},
		{"read all", func() { do(who, http.MethodPost, "/mark_all_as_read", nil) }},
		{"read stream", func() { do(who, http.MethodPost, "/mark_stream_as_read", servicetest.Params{"stream_id": stream}) }},
		{"read topic", func() {
			do(who, http.MethodPost, "/mark_topic_as_read", servicetest.Params{"stream_id": stream, "topic_name": topic})
		}},
		{"mute", func() {
			do(who, http.MethodPatch, "/users/me/subscriptions/muted_topics", servicetest.Params{"stream_id": stream, "topic": topic, "op": op})
		}},
		{"words", func() {
			method := map[string]string{"add": http.MethodPost, "remove": http.MethodDelete}[op]
			do(who, method, "/users/me/alert_words", servicetest.Params{"alert_words": []string{topic}})
		}},
		{"subscribe", func() {
			do(h.admin, http.MethodPost, "/users/me/subscriptions", servicetest.Params{
				"subscriptions": []map[string]string{{"name": names[stream]}}, "principals": []int64{int64(who.ID)},
			})
		}},
		{"unsubscribe", func() {
			do(who, http.MethodDelete, "/users/me/subscriptions", servicetest.Params{"subscriptions": []string{names[stream]}})
		}},
		{"property", func() {
			property := []string{"is_muted", "pin_to_top", "desktop_notifications"}[h.IntN(3)]
			do(who, http.MethodPatch, "/users/me/subscriptions/"+stream, servicetest.Params{"property": property, "value": op == "add"})
		}},
		{"rename", func() {
			name := fmt.Sprint("name ", h.IntN(1000))
			if do(h.admin, http.MethodPatch, "/streams/"+stream, servicetest.Params{"new_name": strconv.Quote(name)}).Status == http.StatusOK {
				names[stream] = name
			}
		}},
		{"describe", func() {
			do(h.admin, http.MethodPatch, "/streams/"+stream, servicetest.Params{"description": strconv.Quote(topic), "stream_post_policy": 1 + h.IntN(2)})
		}},
		{"privacy", func() {
			do(h.admin, http.MethodPatch, "/streams/"+stream, servicetest.Params{"is_private": op == "add"})
		}},
		{"default", func() {
			method := map[string]string{"add": http.MethodPost, "remove": http.MethodDelete}[op]
			do(h.admin, method, "/default_streams", servicetest.Params{"stream_id": stream})
		}},
		{"status", func() {
			do(who, http.MethodPost, "/users/me/status", servicetest.Params{"away": op == "add", "status_text": []string{"", "lunch"}[h.IntN(2)]})
		}},
		{"settings", func() {
			do(who, http.MethodPatch, "/settings/display", servicetest.Params{"twenty_four_hour_time": op == "add"})
			do(who, http.MethodPatch, "/settings/notifications", servicetest.Params{"enable_sounds": op == "add"})
		}},
		{"delete", func() {
			do(h.admin, http.MethodDelete, fmt.Sprint("/messages/", h.some()[0]), nil)
		}},
		{"move", func() {
			do(who, http.MethodPatch, fmt.Sprint("/messages/", h.some()[0]), servicetest.Params{"topic": topic, "propagate_mode": "change_all"})
		}},
	}
	chosen := steps[h.IntN(len(steps))]
	chosen.do()
	return fmt.Sprintf("%s by %s in %s (%s, %s)", chosen.name, who.FullName, stream, op, topic)
}

// Whatever happens, a client that does what the events say has what a client gets that registers again: the
// second invariant of the event path.
func TestStateAndEventsAreTheTruth(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := servicetest.New(t)
	h := &history{admin: w.Person("Ada", actor.Owner)}
	h.people = []servicetest.Account{h.admin, w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Gus", actor.Guest)}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	h.Rand = rand.New(rand.NewPCG(seed, 1))
	all := []int64{}
	for _, a := range h.people {
		all = append(all, int64(a.ID))
	}
	names := map[string]string{}
	for i := range 4 {
		name := fmt.Sprint("stream ", i)
		h.admin.Do(http.MethodPost, "/users/me/subscriptions", servicetest.Params{
			"subscriptions": []map[string]string{{"name": name}}, "principals": all, "invite_only": i == 3,
		}).OK()
		h.messages = append(h.messages, h.admin.SendStream(name, "topic 0", "x"))
	}
	first, _ := register(h.admin)
	for id, s := range first.subscriptions {
		h.streams = append(h.streams, number(id))
		names[number(id)], _ = s["name"].(string)
	}
	models, queues := map[string]*model{}, map[string]*servicetest.Queue{}
	for _, a := range h.people {
		models[a.FullName], queues[a.FullName] = register(a)
	}
	steps := []string{}
	for range 12 {
		for range 15 {
			steps = append(steps, h.step(names))
		}
		for name, events := range w.Heard(queues) {
			for _, e := range events {
				models[name].apply(e)
			}
		}
		for _, a := range h.people {
			again, _ := register(a)
			if diff := cmp.Diff(again.shown(), models[a.FullName].shown(), cmp.AllowUnexported(model{}), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s, after\n%q\n(-registered again +by events):\n%s", a.FullName, steps, diff)
			}
		}
		steps = nil
	}
}
