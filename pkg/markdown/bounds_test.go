package markdown_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/testbed"
)

// nasty returns patterns that make careless renderers slow, repeated up to the size of a message.
func nasty() []string {
	return []string{
		">", "> ", "* ", "- ", "1. ", "*", "**", "* a *", "*a ", "*a **b ", "**a *b", "`", "` ``", "~~", "~~a", "$$", "$$a", "$a",
		"[", "[a", "[a](", "[](", "[`", "](", "![", "[a](b", "[](<", "(", ")", "<", "<time:", "&", "&#", "@**", "@**a", "@*a", "#**", "#**a>",
		":", ":a", ":)", "a.", "a.b.", "a.b@", "http://", "http://a.com/(", "http://a.com/((((((", "a.com ", "\\", "\n", " \n", "\t", "a\n", "# ",
		"```\n", "```quote\n", "```spoiler a\n", "~~~quote\n> ", "> ```quote\n", "* a\n", "  * a\n", "|", "a|", "a|b\n-|-\n", "-|", "|-", "---\n", "    a\n", "🙂", "👍🏽", "\u200d", "#1 ", "#1a",
	}
}

func TestTimeIsBounded(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	r := renderer()
	in := office()
	in.TranslateEmoticons = true
	in.Linkifiers = linkifiers(t, `#(?P<id>[0-9]+)`, "https://t.example.com/%(id)s", `(?P<x>[a-z .*]+)#`, "https://t.example.com/%(x)s")
	for _, pattern := range nasty() {
		for _, source := range []string{
			strings.Repeat(pattern, 10_000/len(pattern)),
			"a|b\n" + strings.Repeat("-|", 2500) + "\n" + strings.Repeat(pattern, 4900/len(pattern)),
			strings.Repeat(pattern, 5000/len(pattern)) + strings.Repeat("a", 2000) + strings.Repeat(reversed(pattern), 3000/len(pattern)),
			"```py\n" + strings.Repeat(pattern, 9_900/len(pattern)),
		} {
			took := testbed.ProcessorTime(t, func() {
				_, err := r.Render(t.Context(), source, in)
				if err != nil && !errors.Is(err, markdown.ErrTooLong) {
					t.Fatal(err)
				}
				markdown.FindCandidates(source)
			})
			if took > time.Second {
				t.Errorf("%q: %v", pattern, took)
			} else if took > 50*time.Millisecond {
				t.Logf("%q in %.10q: %v", pattern, source, took)
			}
		}
	}
}

// Code on which lexers could be slow is shown without highlighting. A test that also runs on busy machines can't
// determine their worst case.
func TestUnusualCodeIsPlain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code        string
		highlighted bool
	}{
		"usual":          {"pass\n" + strings.Repeat("\n", 50) + "pass # " + strings.Repeat("x", 300), true},
		"long line":      {"pass # " + strings.Repeat("x", 600), false},
		"blank lines":    {"pass\n" + strings.Repeat("\n", 150) + "pass", false},
		"indented":       {"pass\n" + strings.Repeat(" ", 150) + "pass", false},
		"too much of it": {strings.Repeat("pass\n", 700), false},
	} {
		result, err := renderer().Render(t.Context(), "```py\n"+c.code+"\n```", office())
		if err != nil || strings.Contains(result.HTML, "<span class=") != c.highlighted || !strings.Contains(result.HTML, "pass") {
			t.Errorf("%s: %s %v", name, result.HTML, err)
		}
	}
}

func TestLatexIsTeX(t *testing.T) {
	t.Parallel()
	var html []string
	for _, language := range []string{"tex", "latex"} {
		result, err := renderer().Render(t.Context(), "```"+language+"\n\\pi\n```", office())
		if err != nil {
			t.Fatal(err)
		}
		html = append(html, result.HTML)
	}
	if html[0] != html[1] || !strings.Contains(html[0], "<span class=") {
		t.Errorf("%q", html)
	}
}

// Several small blocks count together, and code that is too large is still shown.
func TestLargeCodeIsPlain(t *testing.T) {
	t.Parallel()
	block := "```py\n" + strings.Repeat("pass\n", 300) + "```\n"
	result, err := renderer().Render(t.Context(), block+block+block, office())
	if err != nil || strings.Count(result.HTML, `<span class="k">pass</span>`) != 600 || strings.Count(result.HTML, "pass") != 900 {
		t.Errorf("%d highlighted of %d, %v", strings.Count(result.HTML, `<span class="k">`), strings.Count(result.HTML, "pass"), err)
	}
}

func reversed(s string) string {
	var b strings.Builder
	for i := len(s) - 1; i >= 0; i-- {
		b.WriteByte(s[i])
	}
	return strings.ToValidUTF8(b.String(), "")
}

// Tables that browsers take long for are text.
func TestColumns(t *testing.T) {
	t.Parallel()
	for columns, want := range map[int]bool{2: true, 98: true, 99: false, 1000: false} {
		row := func(cell string) string { return "|" + strings.Repeat(cell+"|", columns) }
		result, err := markdown.New(markdown.Config{}).Render(t.Context(), row("a")+"\n"+row("-")+"\n"+row("b"), markdown.Context{})
		if got := strings.Contains(result.HTML, "<table>"); err != nil || got != want {
			t.Errorf("%d columns: a table is %t, %v", columns, got, err)
		}
	}
}

// A text can't cause a table with millions of cells.
func TestLargestTable(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("a|", 1000) + "a\n" + strings.Repeat("-|", 1000) + "-\n" + strings.Repeat("a\n", 2000)
	result, err := renderer().Render(t.Context(), wide, office())
	if err != nil || strings.Contains(result.HTML, "<table>") {
		t.Errorf("%d bytes with a table, %v", len(result.HTML), err)
	}
	small := strings.Repeat("a|", 30) + "a\n" + strings.Repeat("-|", 30) + "-\n" + strings.Repeat("a\n", 100)
	result, err = renderer().Render(t.Context(), small, office())
	if err != nil || strings.Count(result.HTML, "</td>") != 31*100 {
		t.Errorf("%d cells in the small one, %v", strings.Count(result.HTML, "</td>"), err)
	}
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	_, err := renderer().Render(t.Context(), strings.Repeat(":+1:", 2500), office())
	if !errors.Is(err, markdown.ErrTooLong) {
		t.Errorf("error %v", err)
	}
	text := strings.Repeat("é", markdown.MaxHTML-len("<p></p>"))
	if _, err := renderer().Render(t.Context(), text, office()); err != nil {
		t.Errorf("the longest text: %v", err)
	}
	if _, err := renderer().Render(t.Context(), text+"é", office()); !errors.Is(err, markdown.ErrTooLong) {
		t.Errorf("one more: %v", err)
	}
}

// Nesting deeper than the limit isn't lost. It is shown as text.
func TestDeepNesting(t *testing.T) {
	t.Parallel()
	containers := regexp.MustCompile("<(blockquote|ul|ol|em|strong|a)[ >]")
	for _, pattern := range []string{"> ", "* ", "```quote\n", "*", "1. "} {
		result, err := renderer().Render(t.Context(), strings.Repeat(pattern, 500)+"end", office())
		if err != nil || !strings.Contains(result.HTML, "end") || len(containers.FindAllString(result.HTML, -1)) > 30 {
			t.Errorf("%q: %s %v", pattern, result.HTML, err)
		}
	}
}

const plain = `The deployment went through without problems this morning, thanks to everybody who stayed late.
I have put the numbers into the usual place; have a look when you find the time, and tell me (or Ann) if anything looks odd. Lunch at noon as always?`

func BenchmarkPlain(b *testing.B) {
	r, in := renderer(), office()
	b.ReportAllocs()
	for b.Loop() {
		if markdown.FindCandidates(plain).Empty() {
			if _, err := r.Render(b.Context(), plain, in); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkRich(b *testing.B) {
	r, in := renderer(), office()
	source := "**Hi** @**Full Name**, see #**Stream>topic** and http://a.com/x.png :smile:\n\n* one\n* two `code`\n\n> quoted"
	b.ReportAllocs()
	for b.Loop() {
		markdown.FindCandidates(source)
		if _, err := r.Render(b.Context(), source, in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCode(b *testing.B) {
	r, in := renderer(), office()
	source := fmt.Sprintf("```go\n%s```", strings.Repeat("func f(a int) string { return \"x\" } // text\n", 10))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Render(b.Context(), source, in); err != nil {
			b.Fatal(err)
		}
	}
}

// Rendering that takes long ends soon after its context.
func TestRenderingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	r := renderer()
	for name, source := range map[string]string{
		"lines":   strings.Repeat("> * a *b* http://a.com/(x) @**a**\n", 300_000),
		"one row": strings.Repeat("[a](b *c* ", 1_000_000),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		result, err := r.Render(ctx, source, office())
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || result.HTML != "" {
			t.Errorf("%s: %d bytes of HTML, %v", name, len(result.HTML), err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Render(ctx, strings.Repeat("*a* ", 600), office()); !errors.Is(err, context.Canceled) {
		t.Errorf("of a request that has ended: %v", err)
	}
	if result, err := r.Render(t.Context(), "text", office()); err != nil || result.HTML != "<p>text</p>" {
		t.Errorf("the next text: %s, %v", result.HTML, err)
	}
}

// However many expensive texts of an organization are rendered, those of others don't wait, and its own can be tried again.
func TestOrganizationsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := renderer()
		const busy, other = id.Org(1), id.Org(2)
		release := r.Occupy(busy)
		expensive := linkifiers(t, `(?P<a>`+strings.Repeat(`(.*)`, 97)+`!)`, "https://t.example.com/%(a)s")
		render := func(ctx context.Context, of id.Org, size int, by []*markdown.Linkifier) error {
			in := office()
			in.Org, in.Linkifiers = of, by
			_, err := r.Render(ctx, strings.Repeat("a", size), in)
			return err
		}
		ctx := t.Context()
		long, costly := render(ctx, busy, 3000, nil), render(ctx, busy, 2000, slices.Repeat(expensive, 2))
		if !errors.Is(long, markdown.ErrBusy) || !errors.Is(costly, markdown.ErrBusy) {
			t.Errorf("an organization has more than half of the turns: %v, %v", long, costly)
		}
		brief, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if err := render(brief, busy, 3000, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a request that ends while it waits: %v", err)
		}
		if err := errors.Join(render(ctx, other, 3000, nil), render(ctx, other, 2000, slices.Repeat(expensive, 2))); err != nil {
			t.Errorf("another organization: %v", err)
		}
		if err := render(ctx, 0, 3000, nil); err != nil {
			t.Errorf("without an organization: %v", err)
		}
		// A text that gets its turn in time is rendered.
		time.AfterFunc(4900*time.Millisecond, release)
		if err := render(ctx, busy, 3000, nil); err != nil {
			t.Errorf("after it has waited: %v", err)
		}
	})
}

// The cost of blocks that stay open for many short lines is a bounded multiple of the text's size.
//
//nolint:paralleltest // it measures what the process allocates
func TestMemoryIsBounded(t *testing.T) {
	var list strings.Builder
	for i := range 12 {
		list.WriteString(strings.Repeat("  ", i) + "* a\n")
	}
	for name, source := range map[string]string{
		"fences":            strings.Repeat("```quote\n", 24) + strings.Repeat("a\n", 30_000),
		"fences and blanks": strings.Repeat("```quote\n", 24) + strings.Repeat("a\n\n", 20_000),
		"blanks in a list":  list.String() + strings.Repeat("\n", 60_000) + strings.Repeat(" ", 24) + "x",
	} {
		r := renderer()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := r.Render(t.Context(), source, office())
		runtime.ReadMemStats(&after)
		if err != nil && !errors.Is(err, markdown.ErrTooLong) {
			t.Fatal(err)
		}
		if each := (after.TotalAlloc - before.TotalAlloc) / uint64(len(source)); each > 1500 {
			t.Errorf("%s: %d bytes for each of the text", name, each)
		}
	}
}

// All blank lines in code are significant.
func TestBlankLines(t *testing.T) {
	t.Parallel()
	check(t, office(), []golden{
		{"a\n\n\n\n\n\nb", "<p>a</p>\n<p>b</p>"},
		{"* a\n\n\n \n\n* b", "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>"},
		{"* a\n\n\n\n\n  b", "<ul>\n<li>\n<p>a</p>\n<p>b</p>\n</li>\n</ul>"},
		{"```\na\n\n\n\n\nb\n```", "<div class=\"codehilite\"><pre><span></span><code>a\n\n\n\n\nb\n</code></pre></div>"},
		{"    a\n\n\n\n\n    b", "<div class=\"codehilite\"><pre><span></span><code>a\n\n\n\n\nb\n</code></pre></div>"},
		{"```quote\n\n\n\n\n```\nb", "<blockquote>\n</blockquote>\n<p>b</p>"},
	})
}
