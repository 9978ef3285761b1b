package markdown

import (
	"strings"
	"time"

	"chatserver.dev/pkg/timeparse"
)

// maxTime is the longest text of a time, in bytes.
const maxTime = 100

// timeTag reads `<time:TEXT>` (rest-api.md, section 7.4).
func (s *scanner) timeTag(i int) int {
	const open = "<time:"
	if !strings.HasPrefix(s.text[i:s.end], open) {
		return 0
	}
	start := i + len(open)
	rest := s.text[start:min(s.end, start+maxTime)]
	n := strings.IndexAny(rest, ">\n")
	if n <= 0 || rest[n] != '>' {
		return 0
	}
	next := start + n + 1
	at, ok := timeparse.Parse(rest[:n], time.UTC)
	if !ok {
		return s.element(i, next, `<span class="timestamp-error">Invalid time format: `, rest[:n], "</span>")
	}
	return s.element(i, next, `<time datetime="`+at.UTC().Format("2006-01-02T15:04:05Z")+`">`, rest[:n], "</time>")
}
