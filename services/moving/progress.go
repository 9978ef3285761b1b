package moving

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	// barWidth is the width of a full bar, in characters.
	barWidth = 30
	// barPeriod and linePeriod are how often progress is shown on a terminal, and elsewhere.
	barPeriod  = 100 * time.Millisecond
	linePeriod = 10 * time.Second
)

// progress shows the progress of a command: as a bar on a terminal, and as lines elsewhere. It is safe for concurrent
// use.
type progress struct {
	out      io.Writer
	terminal bool
	now      func() time.Time

	mu    sync.Mutex
	what  string
	shown time.Time
}

func newProgress(to IO) *progress {
	return &progress{out: to.Log, terminal: to.terminal(), now: to.Now}
}

// show shows the number of items that are done. of is their total number; 0: it isn't known.
func (p *progress) show(what string, done, of int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	period := linePeriod
	if p.terminal {
		period = barPeriod
	}
	now := p.now()
	if what == p.what && now.Sub(p.shown) < period && (done < of || of == 0) {
		return
	}
	if p.terminal && what != p.what && p.what != "" {
		_, _ = fmt.Fprintln(p.out) // errors of the output are ignored
	}
	p.what, p.shown = what, now
	_, _ = io.WriteString(p.out, p.line(done, of))
}

// line returns the text to show.
func (p *progress) line(done, of int) string {
	text := p.what
	switch {
	case of > 0:
		text += fmt.Sprintf(" %d of %d", done, of)
	case done > 0:
		text += fmt.Sprintf(" %d", done)
	}
	if !p.terminal {
		return text + "\n"
	}
	bar := ""
	if of > 0 {
		full := barWidth * min(done, of) / of
		bar = "[" + strings.Repeat("#", full) + strings.Repeat(" ", barWidth-full) + "] "
	}
	return "\r\x1b[K" + bar + text
}

// end ends the bar.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal && p.what != "" {
		_, _ = fmt.Fprintln(p.out)
	}
}
