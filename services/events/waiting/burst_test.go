package waiting_test

import (
	"testing"
	"time"

	"chatserver.dev/services/events/waiting"
)

func TestBurst(t *testing.T) {
	t.Parallel()
	burst := waiting.Burst{}
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		seconds int
		came    int64
		over    bool
	}{
		{1, 900, false},     // too few
		{2, 5000, false},    // still coming
		{3, 5050, true},     // over
		{4, 5060, false},    // done already
		{5, 9000, false},    // the next
		{6, 9000, false},    // over, but too soon
		{13, 9050, true},    // now
		{70, 9500, false},   // few
		{71, 10_500, false}, // coming
		{72, 10_500, true},
	} {
		if got := burst.IsOver(step.came, start.Add(time.Duration(step.seconds)*time.Second)); got != step.over {
			t.Errorf("after %d s with %d polls: %v", step.seconds, step.came, got)
		}
	}
}
