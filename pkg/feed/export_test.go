package feed

// Texts of highlighting.
const (
	HitStart = hitStart
	HitEnd   = hitEnd
)

// Functions of HTML alone.
var (
	Mark         = mark
	CollectWords = collectWords
	Escape       = escape
)
