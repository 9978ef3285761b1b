package feed

import "time"

// SetTimes sets the time in which the database has to find messages, and the first unread one.
func (s *Service) SetTimes(search, unread time.Duration) { s.searchTime, s.unreadTime = search, unread }

// Texts of highlighting.
const (
	HitStart = hitStart
	HitEnd   = hitEnd
)

// Functions of HTML alone.
var (
	Mark         = mark
	HitsOf       = hitsOf
	CollectWords = collectWords
	Escape       = escape
)
