package htmldiff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/htmldiff"
)

// in and del return inserted and deleted text.
func in(text string) string  { return `<span class="highlight_text_inserted">` + text + `</span>` }
func del(text string) string { return `<span class="highlight_text_deleted">` + text + `</span>` }

func TestDiff(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, before, after, want string }{
		{
			"a word", "<p>content before edit</p>", "<p>content after edit</p>",
			"<p>content " + in("after") + " " + del("before") + " edit</p>",
		},
		{"nothing", "<p>same\ntext</p>", "<p>same\ntext</p>", "<p>same text</p>"},
		{"all of it", "<p>before</p>", "<p>after</p>", "<p>" + in("after") + " " + del("before") + "</p>"},
		{"several words", "<p>a b c</p>", "<p>x y z</p>", "<p>" + in("x y z") + " " + del("a b c") + "</p>"},
		{"more", "<p>a</p>", "<p>a b</p>", "<p>a " + in("b") + "</p>"},
		{"less", "<p>a b</p>", "<p>a</p>", "<p>a " + del("b") + "</p>"},
		{"in front", "<p>b</p>", "<p>a b</p>", "<p>" + in("a") + " b</p>"},
		{"another paragraph", "<p>a</p>", "<p>a</p>\n<p>b c</p>", "<div><p>a</p> <p>" + in("b c") + "</p></div>"},
		{"a paragraph less", "<p>a</p>\n<p>b</p>", "<p>b</p>", "<p>" + del("a") + " b</p>"},
		{
			"bold", "<p>a b c</p>", "<p>a <strong>b</strong> c</p>",
			"<p>a <strong>" + in("b") + "</strong> " + del("b") + " c</p>",
		},
		{
			"a link's address", `<p><a href="http://a.com">x</a></p>`, `<p><a href="http://b.com">x</a></p>`,
			`<p><a href="http://b.com">` + in("x") + `</a> <a href="http://a.com">` + del("x") + `</a></p>`,
		},
		{
			"an image", `<p><img src="a" alt="&quot;"> x</p>`, `<p><img src="b"> x</p>`,
			`<p>` + in(`<img src="b">`) + " " + del(`<img src="a" alt="&#34;">`) + ` x</p>`,
		},
		{"line breaks", "<p>a<br>\nb</p>", "<p>a<br>\nc</p>", "<p>a<br> " + in("c") + " " + del("b") + "</p>"},
		{
			"code keeps its lines", "<pre><code>  if x\n    y\n</code></pre>", "<pre><code>  if z\n    y\n</code></pre>",
			"<pre><code>  if " + in("z") + "\n    " + del("x") + "\n    y</code></pre>",
		},
		{
			"a list", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>", "<ul>\n<li>a</li>\n<li>c</li>\n<li>b</li>\n</ul>",
			"<ul><li>a</li> <li>" + in("c") + "</li> <li>b</li></ul>",
		},
		{
			"a table's row", "<table><tbody><tr><td>a</td><td></td></tr></tbody></table>",
			"<table><tbody><tr><td>a</td><td></td></tr><tr><td></td><td>b</td></tr></tbody></table>",
			"<table><tbody><tr><td>a</td><td></td></tr><tr><td></td><td>" + in("b") + "</td></tr></tbody></table>",
		},
		{
			"a formula", `<p><span class="katex"><math><mi>x</mi></math></span></p>`, `<p><span class="katex"><math><mi>y</mi></math></span></p>`,
			`<p>` + in(`<span class="katex"><math><mi>y</mi></math></span>`) + " " + del(`<span class="katex"><math><mi>x</mi></math></span>`) + `</p>`,
		},
		{"what looks like HTML", "<p>&lt;b&gt; &amp;</p>", "<p>&lt;i&gt; &amp;</p>", "<p>" + in("&lt;i&gt;") + " " + del("&lt;b&gt;") + " &amp;</p>"},
		{"to nothing", "<p>a</p>", "", "<p>" + del("a") + "</p>"},
		{"from nothing", "", "<p>a</p>", "<p>" + in("a") + "</p>"},
		{"bare texts", "a", "b", in("b") + " " + del("a")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := htmldiff.Diff(test.before, test.after)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			checkMerged(t, test.before, test.after, got)
		})
	}
}

// Texts that differ everywhere are also compared in bounded time.
func TestDiffOfLargeTexts(t *testing.T) {
	t.Parallel()
	text := func(word string) string {
		out := strings.Builder{}
		for i := range 20_000 {
			fmt.Fprintf(&out, "%s%d ", word, i)
		}
		return "<p>" + out.String() + "</p>"
	}
	before, after := text("a"), text("b")
	got, err := htmldiff.Diff(before, after)
	if err != nil {
		t.Fatal(err)
	}
	checkMerged(t, before, after, got)
}
