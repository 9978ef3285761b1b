package subscription

import (
	"testing"
	"time"

	"chatserver.dev/pkg/id"
)

func TestTrafficCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := newTrafficCache()
	for org := id.Org(1); org <= 11; org++ {
		counts := make(map[id.Stream]int64, maxTraffic/10)
		for stream := range id.Stream(maxTraffic / 10) {
			counts[stream] = 1
		}
		c.put(org, counts, time.Time{})
		if len(c.counts) > maxTraffic {
			t.Fatalf("%d streams are cached after organization %d, want at most %d", len(c.counts), org, maxTraffic)
		}
	}
	if len(c.counts) != maxTraffic/10 {
		t.Errorf("%d streams are cached, want those of the newest organization", len(c.counts))
	}
}
