package queue_test

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// Each pointer is parsed to the original, and is one line without commas.
func FuzzPointer(f *testing.F) {
	f.Add(uint64(1), int64(2), uint16(8), "17 & 3")
	f.Add(uint64(1<<63), int64(1<<62), uint16(65535), "\n,\x00\xff")
	f.Fuzz(func(t *testing.T, xid uint64, id int64, flags uint16, local string) {
		want := queue.Pointer{Event: store.Position{Xid: xid, ID: id}, Flags: event.Flags(flags), LocalID: local}
		text := queue.PointerText(want.Event, want.Flags, want.LocalID)
		if strings.ContainsAny(text, "\n,") {
			t.Errorf("%q isn't fit for a wake-up", text)
		}
		if got, err := queue.ParsePointer(text); err != nil || got != want {
			t.Errorf("%q was read as %v, %v", text, got, err)
		}
		_, _ = queue.ParsePointer(local) // any text, without a panic
	})
}

// A parsed cursor is formatted as it was, and contains each organization that is behind once, with a place before the
// shard's.
func FuzzCursor(f *testing.F) {
	f.Add("db.1 7 100 0")
	f.Add("db.1 7 100 3 3:7:99:0 19:7:100:8")
	f.Add("db.1 7 100 0 3:7:99:0 3:7:98:0")
	f.Add("db.1 18446744073709551615 9223372036854775807 0 9223372036854775807:0:0:9223372036854775807")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := queue.ParseCursor(text)
		if err != nil {
			return
		}
		if c.String() != text {
			t.Errorf("%q was read as %q", text, c)
		}
		last := id.Org(0)
		for _, b := range c.Behind {
			if b.Org <= last || c.Before(b.Position) || b.Through < 0 || b.ID < 0 {
				t.Errorf("%q was read as %v", text, c.Behind)
			}
			last = b.Org
		}
	})
}

// Parsing any publication neither panics nor returns queues without a name or a number.
func FuzzWake(f *testing.F) {
	f.Add("7.101 0\n3.A 0-2 3.B 0-2\n7.102 8 x\n3.A 0-3")
	f.Add("gone\n3.A 0-0")
	f.Add("moved one\n3.A 0-0")
	f.Add("7.1 0 \n 3.A 0-2 3.B 0-3 \n 7.2 0 \n 3.A 0-3 \n")
	f.Add("reset\n\n\n")
	f.Fuzz(func(t *testing.T, payload string) {
		e := make(recorder, strings.Count(payload, "\n")+strings.Count(payload, " ")+2)
		err := queue.Deliver(t.Context(), 1, payload, e)
		close(e)
		count := 0
		for range e {
			count++
		}
		if err == nil && payload != "" && count == 0 {
			t.Errorf("%q was read without an error and called nothing", payload)
		}
	})
}
