package markdown_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/testbed"
)

// The cost of a text is linear in its size. A document of each shape is rendered in two sizes, and the costs per byte
// are compared. With quadratic cost, their quotient would be that of the sizes. There are enough repetitions of a
// pattern to notice if each of them copied the text: copying a byte takes a thousandth of the other cost of a byte.
// The cost is the processor time of the thread, which doesn't include waiting on a loaded machine. With
// MARKDOWN_LINEAR=1048576 each document has a mebibyte, and pairs of patterns of two bytes are mixed, too, which
// takes minutes.
func TestCostIsLinear(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	large, longest, markers := 4<<10, 64<<10, upTo(1, nasty())
	if text := os.Getenv("MARKDOWN_LINEAR"); text != "" {
		size, err := strconv.Atoi(text)
		if err != nil || size < 64<<10 {
			t.Fatalf("MARKDOWN_LINEAR=%q is not a number of bytes from 65536 on", text)
		}
		large, longest, markers = size, size, upTo(2, nasty())
	}
	documents := alone(nasty())
	for _, a := range markers {
		for _, b := range markers {
			if a != b {
				documents = append(documents, mixed(a, b)...)
			}
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	usual := 1e9
	for range 8 {
		usual = min(usual, usualText().cost(t, large))
	}
	var slowest float64
	name := ""
	for _, d := range documents {
		large, small, growth := large, large/8, maxGrowth
		if d.isLong {
			large, small, growth = longest, longest/16, maxLongGrowth
		}
		cost := d.cost(t, large)
		if cost > slowest {
			slowest, name = cost, d.name
		}
		if cost > maxCost*usual || cost > growth*max(d.cost(t, small), usual/4) {
			d.confirm(t, small, large, usual, growth)
		}
	}
	t.Logf("%d documents of %d bytes or more, usually %.0f ns a byte, at most %.0f in %s", len(documents), large, usual, slowest, name)
}

const (
	// maxGrowth is the maximum quotient of the costs per byte for documents of eight times the size, in which
	// lookahead reaches its limit. maxLongGrowth is the maximum for sixteen times the size after it has reached the
	// limit.
	maxGrowth, maxLongGrowth = 3.0, 2.0
	// maxCost is the maximum cost per byte relative to usual text.
	maxCost = 15
)

// shape is a kind of document.
type shape struct {
	name   string
	build  func(size int) string
	isLong bool
}

// cost returns the cost of rendering a byte of a document, in nanoseconds.
func (d shape) cost(t *testing.T, size int) float64 {
	t.Helper()
	source, in := d.build(size), office()
	in.TranslateEmoticons = true
	r, start := renderer(), threadTime(t)
	markdown.FindCandidates(source)
	_, err := r.Render(t.Context(), source, in)
	took := threadTime(t) - start
	if err != nil && !errors.Is(err, markdown.ErrTooLong) {
		t.Fatalf("%s: %v", d.name, err)
	}
	return float64(took) / float64(len(source))
}

// threadTime returns the processor time of this thread, in nanoseconds.
func threadTime(t *testing.T) int64 {
	t.Helper()
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at); err != nil {
		t.Fatal(err)
	}
	return at.Nano()
}

// confirm measures again and uses the minimum, because other work on the machine only adds to the measurements. If it adds to all
// measurements of large documents, which take more of the memory that it shares, usual text shows how much.
func (d shape) confirm(t *testing.T, small, large int, usual, growth float64) {
	t.Helper()
	least, text := [2]float64{1e9, 1e9}, [2]float64{1e9, 1e9}
	for range 8 {
		for i, size := range []int{small, large} {
			least[i] = min(least[i], d.cost(t, size))
			text[i] = min(text[i], usualText().cost(t, size))
		}
		if least[1] <= maxCost*usual && least[1] <= growth*max(1, text[1]/text[0])*max(least[0], usual/4) {
			return
		}
	}
	t.Errorf("%s: a byte costs %.0f ns in %d bytes, %.0f ns in %d, and in usual text %.0f and %.0f", d.name, least[0], small, least[1], large, text[0], text[1])
}

func usualText() shape {
	return shape{name: "text", build: func(size int) string { return repeated("Do *see* a.com, @**Ann**.\n\n", size) }}
}

// upTo returns the patterns of at most size bytes.
func upTo(size int, patterns []string) []string {
	return slices.DeleteFunc(slices.Clone(patterns), func(p string) bool { return len(p) > size })
}

func repeated(pattern string, size int) string {
	return strings.Repeat(pattern, max(1, size/len(pattern)))
}

// alone returns documents of each pattern: in one line, in separate lines, in a quotation, a list and a table, and
// opened in the first half and closed in the other.
func alone(patterns []string) []shape {
	var shapes []shape
	add := func(form, pattern string, build func(size int) string) {
		shapes = append(shapes, shape{name: fmt.Sprintf("%s of %q", form, pattern), build: build, isLong: form == "repetition"})
	}
	for _, p := range patterns {
		add("repetition", p, func(size int) string { return repeated(p, size) })
		add("lines", p, func(size int) string { return repeated(p+"\n", size) })
		add("words", p, func(size int) string { return repeated(p+" ", size) })
		add("quote", p, func(size int) string { return repeated("> "+p+"\n", size) })
		add("list", p, func(size int) string { return repeated("* "+p+"\n  * "+p+"\n", size) })
		add("table", p, func(size int) string { return "a|b\n-|-\n" + repeated(p+"|"+p+"\n", size) })
		add("halves", p, func(size int) string {
			return repeated(p, size/2) + repeated("a"+reversed(p), size/2)
		})
		add("line before words", p, func(size int) string { return repeated(p, size/2) + repeated("a ", size/2) + p })
	}
	return shapes
}

// mixed returns documents of two patterns: alternating, in sequence, and one around the other.
func mixed(a, b string) []shape {
	name := fmt.Sprintf("%q and %q", a, b)
	return []shape{
		{name: "turns of " + name, build: func(size int) string { return repeated(a+b, size) }},
		{name: "turns in lines of " + name, build: func(size int) string { return repeated(a+"\n"+b, size) }},
		{name: "halves of " + name, build: func(size int) string { return repeated(a, size/2) + repeated(b, size/2) }},
	}
}
