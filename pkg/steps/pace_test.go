package steps_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/steps"
)

// Transactions become as large as the time allows, between the minimum and the maximum.
func TestPace(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		took time.Duration // for each row
		want []int
	}{
		"quick rows":    {0, []int{10, 20, 40, 80, 160, 200, 200}},
		"rows of 0.1ms": {100 * time.Microsecond, []int{10, 20, 40, 80, 80, 80, 80}},
		"rows of 0.5ms": {500 * time.Microsecond, []int{10, 16, 16, 16, 16, 16, 16}},
		"slow rows":     {10 * time.Millisecond, []int{10, 10, 10, 10, 10, 10, 10}},
		"very slow":     {time.Hour, []int{10, 10, 10, 10, 10, 10, 10}},
	} {
		now := time.Unix(0, 0)
		pace := steps.NewPace(10, 200, func() time.Time { return now })
		got := []int{}
		for range test.want {
			got = append(got, pace.Rows())
			pace.Begin(1) // a retry
			now = now.Add(time.Minute)
			pace.Begin(pace.Rows())
			now = now.Add(time.Duration(pace.Rows()) * test.took)
			pace.End()
			now = now.Add(time.Minute) // reading in between doesn't count
			pace.End()                 // nor does a transaction without writes
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: sizes of transactions (-want +got):\n%s", what, diff)
		}
	}
}

// After a transaction that happened to take long, the next ones grow again.
func TestPaceRecovers(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	pace := steps.NewPace(10, 200, func() time.Time { return now })
	got := []int{}
	for i := range 9 {
		pace.Begin(pace.Rows())
		now = now.Add(time.Duration(pace.Rows()) * 40 * time.Microsecond)
		if i == 4 {
			now = now.Add(time.Second)
		}
		pace.End()
		got = append(got, pace.Rows())
	}
	if diff := cmp.Diff([]int{20, 40, 80, 160, 10, 20, 40, 80, 160}, got); diff != "" {
		t.Errorf("sizes of transactions (-want +got):\n%s", diff)
	}
}
