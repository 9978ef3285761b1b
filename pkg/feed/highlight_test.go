package feed_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"chatserver.dev/pkg/feed"
)

func TestMark(t *testing.T) {
	t.Parallel()
	hits := feed.HitsOf([]string{"valve", "amp", "grosse", "class", "x", "42"}, []string{"水", "水門", "の"})
	for html, want := range map[string]string{
		``:                     ``,
		`<p>a valve</p>`:       `<p>a [valve]</p>`,
		`<p>valves valve.</p>`: `<p>valves [valve].</p>`,
		`<a class="valve" title="valve > valve">valve</a>`: `<a class="valve" title="valve > valve">[valve]</a>`,
		`a &amp; amp &lt;valve&gt;`:                        `a &amp; [amp] &lt;[valve]&gt;`,
		`a & valve; b`:                                     `a & [valve]; b`,
		`&#x27;x&#x27;`:                                    `&#x27;[x]&#x27;`,
		`die größe, 42`:                                    `die [größe], [42]`,
		`valve_valve-valve`:                                `[valve]_[valve]-[valve]`,
		`<img alt='a valve'>valve`:                         `<img alt='a valve'>[valve]`,
		`<unfinished valve`:                                `<unfinished valve`,
		`<b>北水門</b>のvalve、水位`:                              `<b>北[水門]</b>[の][valve]、[水]位`,
	} {
		got := strings.NewReplacer(feed.HitStart, "[", feed.HitEnd, "]").Replace(feed.Mark(html, hits))
		if got != want {
			t.Errorf("%s: %s, want %s", html, got, want)
		}
	}
}

var tags = regexp.MustCompile(`<[^>]*>|&[#a-zA-Z0-9]+;`)

// Mark adds nothing but highlights, and none inside a tag or an entity.
func FuzzMark(f *testing.F) {
	for _, seed := range []string{`<p>a &amp; b</p>`, `<a href="x>y">z</a>`, "\xff<", `&`, `&;`, `<"`, "ä\u0301 x", "<a>北水門</a>の"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, html string) {
		if strings.Contains(html, "highlight") {
			return
		}
		words := map[string]bool{}
		feed.CollectWords(html, words)
		hits := feed.HitsOf(slices.Collect(maps.Keys(words)), []string{"水", "水門"})
		got := feed.Mark(html, hits)
		if without := strings.ReplaceAll(strings.ReplaceAll(got, feed.HitStart, ""), feed.HitEnd, ""); without != strings.ReplaceAll(html, feed.HitEnd, "") {
			t.Fatalf("%q became %q", html, got)
		}
		if escaped := feed.Escape(html); strings.ContainsAny(tags.ReplaceAllString(feed.Mark(escaped, hits), ""), `<>"'`) {
			t.Fatalf("%q: a highlight inside an entity of %q", html, feed.Mark(escaped, hits))
		}
	})
}
