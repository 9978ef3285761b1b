package subscription_test

import (
	"errors"
	"testing"
	"time"

	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
)

func TestReceivedRanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "bob", wanted("beta", "other"))
	received := func() [][2]int64 {
		ranges := [][2]int64{}
		for _, r := range w.own(t, "ann", "beta").Received {
			upper := r.Upper.Int64
			if !r.Upper.Valid {
				upper = -1
			}
			ranges = append(ranges, [2]int64{r.Lower.Int64, upper})
		}
		return ranges
	}
	w.subscribe(t, "ann", wanted("beta")) // before the first message
	same(t, "from the first", [][2]int64{{1, -1}}, received())
	first := int64(w.send(t, "beta"))
	w.unsubscribe(t, "ann", "beta")
	same(t, "closed", [][2]int64{{1, first + 1}}, received())
	same(t, "read", first, w.own(t, "ann", "beta").ReadUpto)
	w.send(t, "beta")
	elsewhere := int64(w.send(t, "other"))
	w.subscribe(t, "ann", wanted("beta"))
	same(t, "a second one", [][2]int64{{1, first + 1}, {elsewhere + 1, -1}}, received())
	w.unsubscribe(t, "ann", "beta")
	same(t, "nothing was sent", [][2]int64{{1, first + 1}}, received())
}

// TestVersionGrows delays a message whose sender has read a stream before it changed.
func TestVersionGrows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", wanted("beta"))
	facts := func() stream.Facts {
		found := stream.Facts{}
		w.write(t, func(tx *store.Tx) (err error) {
			found, err = stream.FactsByID(t.Context(), tx, w.actor("robot"), 1)
			return err
		})
		return found
	}
	before := facts()
	if !before.Occupied || !before.OwnerSubscribed || before.SenderSubscribed || before.Deactivated || before.Version != 1 {
		t.Errorf("got the facts %+v", before)
	}
	if err := w.streams.Deactivate(t.Context(), w.actor("owner"), 1); err != nil {
		t.Fatal(err)
	}
	after := facts()
	if after.Version != 2 || !after.Deactivated || after.Occupied || after.OwnerSubscribed {
		t.Errorf("got the facts %+v", after)
	}
	if _, err := permit.Post(time.Now(), w.actor("ann"), after.PostTarget); !errors.Is(err, permit.ErrPost) {
		t.Errorf("sending to a deactivated stream returns %v", err)
	}
}
