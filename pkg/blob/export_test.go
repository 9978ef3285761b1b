package blob

import "time"

// SetCallTime sets the timeout for opening and reading files.
func (b *Bucket) SetCallTime(limit time.Duration) { b.callTime = limit }
