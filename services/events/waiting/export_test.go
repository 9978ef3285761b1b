package waiting

import "time"

// Tide lets tests say when there is something to tidy up.
type Tide struct{ tide }

// IsOut is tide.isOut.
func (t *Tide) IsOut(came int64, now time.Time) bool { return t.isOut(came, now) }

// Dismiss is what happens every second.
func (r *Room) Dismiss() { r.dismiss() }
