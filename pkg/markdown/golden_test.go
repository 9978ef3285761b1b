package markdown_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
)

type golden struct{ source, html string }

func renderer() *markdown.Renderer {
	return markdown.New(markdown.Config{ImageSource: func(address string) string { return "/image?of=" + address }})
}

// office returns the context of most tests.
func office() markdown.Context {
	full := markdown.User{ID: 12, Name: "Full Name"}
	twin := markdown.User{ID: 13, Name: "full name"}
	return markdown.Context{
		Users:     map[string]markdown.User{"full name": full, "zoë <b>": {ID: 14, Name: "Zoë <b>"}},
		UsersByID: map[id.User]markdown.User{12: full, 13: twin},
		Groups:    map[string]id.Group{"group": 3},
		Streams:   map[string]id.Stream{"Stream": 5, "my stream.x": 6, "a>b": 7, "Zürich": 8},
		Emoji:     map[string]string{"cat_a": `/user_avatars/1/emoji/images/2.png?"x"`, "wink": "/w.png"},
		OrgURL:    "https://chat.example.com",
		Previews:  true,
	}
}

func check(t *testing.T, in markdown.Context, cases []golden) {
	t.Helper()
	r := renderer()
	for _, c := range cases {
		t.Run(c.source, func(t *testing.T) {
			t.Parallel()
			result, err := r.Render(t.Context(), c.source, in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.html, result.HTML); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The rows of rest-api.md, section 7.2.
func TestBlocks(t *testing.T) {
	t.Parallel()
	check(t, office(), []golden{
		{"", ""},
		{" \n\n", ""},
		{"text", "<p>text</p>"},
		{"a\n\nb", "<p>a</p>\n<p>b</p>"},
		{"a\nb  \n c\\\nd", "<p>a<br>\nb<br>\nc\\<br>\nd</p>"},
		{"a\r\nb\rc\x00d", "<p>a<br>\nb<br>\ncd</p>"},
		{"# H\ntext", "<h1>H</h1>\n<p>text</p>"},
		{"text\n# H", "<p>text</p>\n<h1>H</h1>"},
		{"## H *x* ##", "<h2>H <em>x</em></h2>"},
		{"###### H", "<h6>H</h6>"},
		{"####### H", "<p>####### H</p>"},
		{"#H", "<p>#H</p>"},
		{"#", "<p>#</p>"},
		{"H\n===", "<p>H<br>\n===</p>"},
		{"H\n---", "<p>H</p>\n<hr>"},
		{"***", "<hr>"},
		{"___", "<hr>"},
		{"--", "<p>--</p>"},
		{"* a\n- b\n+ c", "<ul>\n<li>a</li>\n<li>b</li>\n<li>c</li>\n</ul>"},
		{"text\n* a", "<p>text</p>\n<ul>\n<li>a</li>\n</ul>"},
		{"* a\n  * b\n* c", "<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ul>"},
		{"* a\n\n* b", "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>"},
		{"1. a\n7. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"3. a\n1. b", "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"1) a", "<p>1) a</p>"},
		{"* a\n1. b", "<ul>\n<li>a</li>\n</ul>\n<ol>\n<li>b</li>\n</ol>"},
		{"> q", "<blockquote>\n<p>q</p>\n</blockquote>"},
		{"> a\n> > b", "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n</blockquote>"},
		{">", "<p>&gt;</p>"},
		{">\n> q", "<blockquote>\n<p>q</p>\n</blockquote>"},
		{">\n>\ntext\nmore", "<blockquote>\n<p>text<br>\nmore</p>\n</blockquote>"},
		{">\n>\n\ntext", "<p>&gt;<br>\n&gt;</p>\n<p>text</p>"},
		{">>>>>", "<p>&gt;&gt;&gt;&gt;&gt;</p>"},
		{">\n```\ncode\n```", "<p>&gt;</p>\n<div class=\"codehilite\"><pre><span></span><code>code\n</code></pre></div>"},
		{">\n* a", "<p>&gt;</p>\n<ul>\n<li>a</li>\n</ul>"},
		{"1. A\n2. B\n  3. C", "<ol>\n<li>A</li>\n<li>B<ol start=\"3\">\n<li>C</li>\n</ol>\n</li>\n</ol>"},
		{"1. A\n1. B\n  1. C\n1. D", "<ol>\n<li>A</li>\n<li>B<ol>\n<li>C</li>\n</ol>\n</li>\n<li>D</li>\n</ol>"},
		{"1. A\n3. B\n  2. C\n1. D", "<ol>\n<li>A</li>\n<li>B<ol start=\"2\">\n<li>C</li>\n</ol>\n</li>\n<li>D</li>\n</ol>"},
		{
			"This is a heavily nested OL\n1. level-1\n  2. level-2\n    3. level-3\n    3. level-3a\n  2. level-2a\n2. level-1a\n",
			"<p>This is a heavily nested OL</p>\n<ol>\n<li>level-1<ol start=\"2\">\n<li>level-2<ol start=\"3\">\n<li>level-3</li>\n<li>level-3a</li>\n</ol>\n</li>\n<li>level-2a</li>\n</ol>\n</li>\n<li>level-1a</li>\n</ol>",
		},
		{"1. A\n  * B\n  * C\n2. D", "<ol>\n<li>A<ul>\n<li>B</li>\n<li>C</li>\n</ul>\n</li>\n<li>D</li>\n</ol>"},
		{"1. A\n\n  B\n2. C", "<ol>\n<li>\n<p>A</p>\n<p>B</p>\n</li>\n<li>\n<p>C</p>\n</li>\n</ol>"},
		{"10. A\n   B\n    * C\n11. D", "<ol start=\"10\">\n<li>A<br>\nB<ul>\n<li>C</li>\n</ul>\n</li>\n<li>D</li>\n</ol>"},
		{"  * a\n  * b\n*   c\n  * d", "<ul>\n<li>a</li>\n<li>b</li>\n<li>c<ul>\n<li>d</li>\n</ul>\n</li>\n</ul>"},
		{"10 people\n20. of them", "<p>10 people<br>\n20. of them</p>"},
		{"> a\n> *b\n> c*", "<blockquote>\n<p>a<br>\n*b<br>\nc*</p>\n</blockquote>"},
		{"    code\n\tb\n\nx", "<div class=\"codehilite\"><pre><span></span><code>code\nb\n</code></pre></div>\n\n\n<p>x</p>"},
		{
			"a | b\n---|:--:\n1 | `2\\|3`",
			"<table>\n<thead>\n<tr>\n<th>a</th>\n<th align=\"center\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align=\"center\"><code>2|3</code></td>\n</tr>\n</tbody>\n</table>",
		},
		{
			"|a|b|\n|:-|-:|\n|*x*|",
			"<table>\n<thead>\n<tr>\n<th align=\"left\">a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"left\"><em>x</em></td>\n<td></td>\n</tr>\n</tbody>\n</table>",
		},
		{"<b onclick=x>hi</b>", "<p>&lt;b onclick=x&gt;hi&lt;/b&gt;</p>"},
		{"&copy; &#169; &#xA9; & &x", "<p>&copy; &#169; &#xA9; &amp; &amp;x</p>"},
		{"`&copy;`", "<p><code>&amp;copy;</code></p>"},
		{"[x]: http://a.com\n[x]", "<p>[x]: <a href=\"http://a.com\">http://a.com</a><br>\n[x]</p>"},
		{"![alt](http://a.com/b)", "<p>!<a href=\"http://a.com/b\">alt</a></p>"},
		{"/me waves", "<p>/me waves</p>"},
	})
	mail := office()
	mail.NoIndentedCode = true
	check(t, mail, []golden{{"    text", "<p>text</p>"}})
}

// The rows of rest-api.md, section 7.3.
func TestFences(t *testing.T) {
	t.Parallel()
	plain := func(code string) string {
		return "<div class=\"codehilite\"><pre><span></span><code>" + code + "</code></pre></div>"
	}
	check(t, office(), []golden{
		{"```\n<a> &amp; *b*\n```", plain("&lt;a&gt; &amp;amp; *b*\n")},
		{"```\nopen", plain("open\n")},
		{"text\n```\na\n\n  b\n``` \nafter", "<p>text</p>\n" + plain("a\n\n  b\n") + "\n\n\n<p>after</p>"},
		{"~~~~\n```\n~~~\n~~~~", plain("```\n~~~\n")},
		{"``` not `a` fence", "<p>``` not <code>a</code> fence</p>"},
		{"```nonsense\nx\n```", plain("x\n")},
		{"```py\ndef f(): pass\n```", plain(`<span class="k">def</span> <span class="nf">f</span><span class="p">():</span> <span class="k">pass</span>` + "\n")},
		{"``` {.Python}\npass\n```", plain("<span class=\"k\">pass</span>\n")},
		{"```quote\n**hi** @**Full Name**\n\n```py\npass\n```\nx\n```\nafter", "<blockquote>\n<p><strong>hi</strong> <span class=\"user-mention silent\" data-user-id=\"12\">Full Name</span></p>\n" + plain("<span class=\"k\">pass</span>\n") + "\n\n\n<p>x</p>\n</blockquote>\n<p>after</p>"},
		{"~~~ quoted\n> x\n~~~", "<blockquote>\n<blockquote>\n<p>x</p>\n</blockquote>\n</blockquote>"},
		{"```quote\n```quote\na\n```\nb\n```", "<blockquote>\n<blockquote>\n<p>a</p>\n</blockquote>\n<p>b</p>\n</blockquote>"},
		{"```quote\n> ```\n> a\n```\nb", "<blockquote>\n<blockquote>\n" + plain("a\n") + "\n</blockquote>\n</blockquote>\n<p>b</p>"},
		{"```quote\n* a\n  ```x\n  b\n  ```\n```\nc", "<blockquote>\n<ul>\n<li>a" + plain("b\n") + "\n</li>\n</ul>\n</blockquote>\n<p>c</p>"},
		{"```math\na<b\n\nc\n```", `<p><span class="katex-display">` + tex("a&lt;b") + "</span>\n\n" + `<span class="katex-display">` + tex("c") + "</span></p>"},
		{
			"```spoiler Header *text*\ncontent\n```",
			"<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n\n<p>Header <em>text</em></p>\n</div><div class=\"spoiler-content\" aria-hidden=\"true\">\n\n<p>content</p>\n</div></div>",
		},
		{
			"```spoiler\n* a\n\nb\n```\nafter",
			"<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n</div><div class=\"spoiler-content\" aria-hidden=\"true\">\n\n<ul>\n<li>a</li>\n</ul>\n<p>b</p>\n</div></div>\n<p>after</p>",
		},
		{"a\n```spoiler Header\n\n```\nb", "<p>a</p>\n<p>b</p>"},
	})
	python, quote := office(), office()
	python.CodeLanguage = "Python"
	quote.CodeLanguage = "quote"
	check(t, python, []golden{
		{"```\npass\n```", plain("<span class=\"k\">pass</span>\n")},
		{"```text\npass\n```", plain("pass\n")},
		{"> ```\n> pass", "<blockquote>\n" + plain("<span class=\"k\">pass</span>\n") + "\n</blockquote>"},
		{"```spoiler\n~~~\npass\n~~~\n```", "<div class=\"spoiler-block\"><div class=\"spoiler-header\">\n</div><div class=\"spoiler-content\" aria-hidden=\"true\">\n\n" + plain("pass\n") + "\n</div></div>"},
	})
	check(t, quote, []golden{{"```\na\n```", "<blockquote>\n<p>a</p>\n</blockquote>"}})
}

func tex(source string) string {
	return `<span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><annotation encoding="application/x-tex">` + source +
		`</annotation></semantics></math></span><span aria-hidden="true" class="katex-html">` + source + `</span></span>`
}

// The rows of rest-api.md, section 7.4.
func TestInline(t *testing.T) {
	t.Parallel()
	check(t, office(), []golden{
		{"*em* a*b*c", "<p><em>em</em> a<em>b</em>c</p>"},
		{"* em*", "<ul>\n<li>em*</li>\n</ul>"},
		{"a * b * c", "<p>a * b * c</p>"},
		{"a *b\nc*", "<p>a *b<br>\nc*</p>"},
		{"_x_ __x__", "<p>_x_ __x__</p>"},
		{"**b** **c\nd**", "<p><strong>b</strong> **c<br>\nd**</p>"},
		{"***x***", "<p><strong><em>x</em></strong></p>"},
		{"**a *b***", "<p><strong>a <em>b</em></strong></p>"},
		{"*a **b** c*", "<p><em>a <strong>b</strong> c</em></p>"},
		{"**a `**` b**", "<p><strong>a <code>**</code> b</strong></p>"},
		{"~~x~~ ~y~ ~~~z~~~", "<p><del>x</del> ~y~ ~~~z~~~</p>"},
		{"**~~x~~**", "<p><strong><del>x</del></strong></p>"},
		{"`code` ``a ` b`` ` x", "<p><code>code</code> <code>a ` b</code> ` x</p>"},
		{"` a `", "<p><code> a </code></p>"},
		{"`*x* @**Full Name** :smile: http://a.com`", "<p><code>*x* @**Full Name** :smile: http://a.com</code></p>"},
		{"$$x<y$$", "<p>" + tex("x&lt;y") + "</p>"},
		{"$$_x$$ $$$x$$$ $5 $$a\nb$$", "<p>$$_x$$ $$$x$$$ $5 $$a<br>\nb$$</p>"},
		{`\*a\* \@**Full Name** C:\dir ¯\_(ツ)_/¯`, `<p>\<em>a\</em> \@<strong>Full Name</strong> C:\dir ¯\_(ツ)_/¯</p>`},
		{`C:\*.txt and \#general`, `<p>C:\*.txt and \#general</p>`},
		{`regex \[a-z\] \(x\) \| \$ \<b\> \~ \\`, `<p>regex \[a-z\] \(x\) \| \$ \&lt;b\&gt; \~ \\</p>`},
		{`[\]](/x) \[y](/y)`, `<p>[\]](/x) \<a href="/y">y</a></p>`},
	})
}

func TestTimes(t *testing.T) {
	t.Parallel()
	var cases []golden
	for _, typed := range []string{
		"2017-06-05T22:30:00", "2017-06-05T22:30:00Z", "2017-06-05T22:30:00.25Z", "2017-06-05 22:30", "2017-06-06T00:30:00+02:00",
		"2017-06-06T00:30+0200", "1496701800", "Mon, 05 Jun 2017 22:30:00 GMT", "Mon, 05 Jun 2017 15:30:00 -0700", "05 Jun 2017 18:30:00 EDT",
		"Jun 5 2017, 10:30 PM", "June 5, 2017 10:30PM", "5 June 2017 22:30", "Monday, 05-Jun-17 22:30:00 UTC", "Mon Jun  5 22:30:00 2017",
		"Jun 5th 2017, 10:30PM", "5th june 2017 10:30 p.m.", "06/05/2017 22:30", "6 Jun 2017 4:00 am IST", "2017-06-06T00:30+02", "Jun 6 2017, 12:30am CEST",
		"2017-6-5 10:30:00 pm", "2017-06-05 23:30 CET", "Mon Jun 5 22:30:00 UTC 2017", "Mon Jun 05 15:30:00 -0700 2017", "2017-06-06 08:30 UTC+10:00",
	} {
		cases = append(cases, golden{"<time:" + typed + ">", `<p><time datetime="2017-06-05T22:30:00Z">` + typed + `</time></p>`})
	}
	check(t, office(), append(
		cases,
		golden{"<time:2017-06-05>", `<p><time datetime="2017-06-05T00:00:00Z">2017-06-05</time></p>`},
		golden{`<time:no"pe&>`, `<p><span class="timestamp-error">Invalid time format: no"pe&amp;</span></p>`},
		golden{"<time:1 Aug 2020, 10pm>", `<p><time datetime="2020-08-01T22:00:00Z">1 Aug 2020, 10pm</time></p>`},
		golden{"<time:31 Dec 2017 5:30 am IST>", `<p><time datetime="2017-12-31T00:00:00Z">31 Dec 2017 5:30 am IST</time></p>`},
		golden{"<time:08/01/2020 10:00>", `<p><time datetime="2020-08-01T10:00:00Z">08/01/2020 10:00</time></p>`},
		golden{"<time:Jun 31 2020 25:00>", `<p><span class="timestamp-error">Invalid time format: Jun 31 2020 25:00</span></p>`},
		golden{"<time:99999999999999>", `<p><span class="timestamp-error">Invalid time format: 99999999999999</span></p>`},
		golden{"<time:> <time:a", `<p>&lt;time:&gt; &lt;time:a</p>`},
	))
}

// The rows of rest-api.md, section 7.6.
func TestEmoji(t *testing.T) {
	t.Parallel()
	span := func(name, title, code string) string {
		return `<span aria-label="` + title + `" class="emoji emoji-` + code + `" role="img" title="` + title + `">:` + name + `:</span>`
	}
	cases := []golden{
		{":smile: x:heart:y", "<p>" + span("smile", "smile", "1f642") + " x" + span("heart", "heart", "2764") + "y</p>"},
		{":+1: :thumbs_up:", "<p>" + span("+1", "+1", "1f44d") + " " + span("thumbs_up", "thumbs up", "1f44d") + "</p>"},
		{"a🙂b 👍", "<p>a" + span("smile", "smile", "1f642") + "b " + span("+1", "+1", "1f44d") + "</p>"},
		{"❤️ ❤︎ ’ あ", "<p>" + span("heart", "heart", "2764") + " ❤︎ ’ あ</p>"},
		{"👍🏽 👨‍👩‍👧 🇩🇪 © 1", "<p>👍🏽 👨‍👩‍👧 🇩🇪 © 1</p>"},
		{":cat_a:", `<p><img alt=":cat_a:" class="emoji" src="/user_avatars/1/emoji/images/2.png?&quot;x&quot;" title="cat a"></p>`},
		{":wink:", `<p><img alt=":wink:" class="emoji" src="/w.png" title="wink"></p>`},
		{":zulip:", `<p><img alt=":zulip:" class="emoji" src="/static/generated/emoji/images/emoji/unicode/zulip.png" title="zulip"></p>`},
		{":no_such_emoji: 12:30:45 ::", "<p>:no_such_emoji: 12:30:45 ::</p>"},
	}
	check(t, office(), append(cases, golden{":) <3", "<p>:) &lt;3</p>"}))
	in := office()
	in.TranslateEmoticons = true
	delete(in.Emoji, "wink")
	for typed, want := range map[string]string{
		":)": span("smile", "smile", "1f642"), "(:": span("smile", "smile", "1f642"), ":(": span("frown", "frown", "1f641"),
		"<3": span("heart", "heart", "2764"), ":|": span("neutral", "neutral", "1f610"), ":/": span("confused", "confused", "1f615"),
		";)": span("wink", "wink", "1f609"), ":D": span("grinning", "grinning", "1f600"), ":o": span("open_mouth", "open mouth", "1f62e"),
		":O": span("open_mouth", "open mouth", "1f62e"), ":p": span("stuck_out_tongue", "stuck out tongue", "1f61b"), ":P": span("stuck_out_tongue", "stuck out tongue", "1f61b"),
	} {
		check(t, in, []golden{{typed, "<p>" + want + "</p>"}, {"a " + typed + ".\n", "<p>a " + want + ".</p>"}})
	}
	check(t, in, []golden{{"a:) :)a http://a.com:/x", `<p>a:) :)a <a href="http://a.com:/x">http://a.com:/x</a></p>`}})
}
