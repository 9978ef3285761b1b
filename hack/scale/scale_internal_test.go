package main

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/testbed"
)

// The cost of an event for each queue is about the same with eight times as many clients, and the event is appended
// to all queues.
func TestSlope(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	const events = 2_000
	costs := map[int]float64{}
	for _, clients := range []int{1_000, 8_000} {
		o, err := simulate(t.Context(), clients, events)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(o)
		if o.queues != clients || o.appends != events*subscribers {
			t.Errorf("%d events entered %d queues, want %d", events, o.appends, events*subscribers)
		}
		costs[clients] = float64(o.perAppend(o.dispatcher + o.redis))
	}
	// The model says 1. With a cost proportional to the clients it would be 8. On a busy machine processor times
	// vary.
	if ratio := costs[8_000] / costs[1_000]; ratio > 4 {
		t.Errorf("with eight times as many clients an append costs %.2f times as much", ratio)
	}
}

// More accounts need proportionally more of everything, except of the work that all processes do for each
// notification.
func TestModel(t *testing.T) {
	t.Parallel()
	small, large := model(measured(), usual(), 100_000), model(measured(), usual(), 1_000_000)
	for what, ratio := range map[string]float64{
		"api": large.api / small.api, "redis": large.redis / small.redis, "postgres": large.postgres / small.postgres, "disk": large.diskMonth / small.diskMonth,
	} {
		if ratio < 9.9 || ratio > 10.1 {
			t.Errorf("%s: ten times as many accounts need %.2f times as much", what, ratio)
		}
	}
	if ratio := large.events / small.events; ratio <= 10 {
		t.Errorf("events: ten times as many accounts need %.2f times as much", ratio)
	}
	if _, one := small.firstLimit(); one <= 0 {
		t.Errorf("the first limit is at %v accounts", one)
	}
	out := &strings.Builder{}
	printNeeds(out, []need{small, large})
	if text := out.String(); !strings.Contains(text, "| accounts | 100000 | 1 million |") || strings.Contains(text, "NaN") {
		t.Error(text)
	}
}
