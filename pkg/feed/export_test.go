package feed

// The parts of highlighting.
const (
	HitStart = hitStart
	HitEnd   = hitEnd
)

// What works on HTML alone.
var (
	Mark         = mark
	CollectWords = collectWords
	Escape       = escape
)
