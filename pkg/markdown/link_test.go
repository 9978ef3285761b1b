package markdown_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/markdown"
)

func a(href, text string) string { return `<a href="` + href + `">` + text + `</a>` }

// The rows of rest-api.md, sections 7.4 and 7.7.
func TestLinks(t *testing.T) {
	t.Parallel()
	in := office()
	in.Previews = false
	const coin, long = "bitcoin:1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "bitcoin:bc1p5d7rjq7g6rdk2yhzks9smlaqtedr4dekq08ge8ztwac72sfr9rusxg3297"
	check(t, in, []golden{
		{"[te*x*t](http://a.com/b)", "<p>" + a("http://a.com/b", "te<em>x</em>t") + "</p>"},
		{"[](http://a.com)", "<p>" + a("http://a.com", "http://a.com") + "</p>"},
		{`[x](http://a.com "Ti<t>le")`, `<p><a href="http://a.com" title="Ti&lt;t&gt;le">x</a></p>`},
		{"[http://b.com b.com [y](http://c.com)](http://a.com)", "<p>" + a("http://a.com", "http://b.com b.com [y](http://c.com)") + "</p>"},
		{"[a [b] c](http://a.com/(x))", "<p>" + a("http://a.com/(x)", "a [b] c") + "</p>"},
		{"[x](<http://a.com/a b>)", "<p>" + a("http://a.com/a%20b", "x") + "</p>"},
		{"[x](/path) [x](#frag) [x](mailto:a@b.com) [x](ftp://a.com)", "<p>" + a("/path", "x") + " " + a("#frag", "x") + " " + a("mailto:a@b.com", "x") + " " + a("ftp://a.com", "x") + "</p>"},
		{"[x](example.com) [x](a@b.com)", "<p>" + a("http://example.com", "x") + " " + a("mailto:a@b.com", "x") + "</p>"},
		{"[x](javascript:alert(1)) [x](JaVaScRiPt:x) [x](data:text/html,x) [x](vbscript:x) [x](//evil.com)", "<p>[x](javascript:alert(1)) [x](JaVaScRiPt:x) [x](data:text/html,x) [x](vbscript:x) [x](//evil.com)</p>"},
		{"[x](java\tscript:x) [x]( <javascript:x>) [x](http:x) [x](&#106;avascript:x)", "<p>[x](java\tscript:x) [x]( &lt;javascript:x&gt;) [x](http:x) [x](&#106;avascript:x)</p>"},
		{"[x] (http://a.com) [x](", "<p>[x] (" + a("http://a.com", "http://a.com") + ") [x](</p>"},
		{"http://a.com https://a.com/?q=1&x=2#f HTTP://a.com", "<p>" + a("http://a.com", "http://a.com") + " " + a("https://a.com/?q=1&amp;x=2#f", "https://a.com/?q=1&amp;x=2#f") + " " + a("HTTP://a.com", "HTTP://a.com") + "</p>"},
		{"http://localhost:9991/x_*y*", "<p>" + a("http://localhost:9991/x_*y", "http://localhost:9991/x_*y") + "*</p>"},
		{"domain.com/path, sub.domain.co.uk. x.py y.md z.qqqq a..com", "<p>" + a("http://domain.com/path", "domain.com/path") + ", " + a("http://sub.domain.co.uk", "sub.domain.co.uk") + ". x.py y.md z.qqqq a..com</p>"},
		{"example.com:8080/x example.com:x", "<p>" + a("http://example.com:8080/x", "example.com:8080/x") + " " + a("http://example.com", "example.com") + ":x</p>"},
		{"ann@example.com ann.b+c@example.com.", "<p>" + a("mailto:ann@example.com", "ann@example.com") + " " + a("mailto:ann.b+c@example.com", "ann.b+c@example.com") + ".</p>"},
		{coin + ", (" + long + ").", "<p>" + a(coin, coin) + ", (" + a(long, long) + ").</p>"},
		{"[x](" + coin + "?amount=1) x" + coin + " bitcoin:1Bv " + coin + "-", "<p>" + a(coin+"?amount=1", "x") + " x" + coin + " bitcoin:1Bv " + coin + "-</p>"},
		{"bitcoin: [x](bitcoin:) " + coin + strings.Repeat("a", 90), "<p>bitcoin: [x](bitcoin:) " + coin + strings.Repeat("a", 90) + "</p>"},
		{"(http://a.com/x) http://a.com/x_(y) http://a.com!?", "<p>(" + a("http://a.com/x", "http://a.com/x") + ") " + a("http://a.com/x_(y)", "http://a.com/x_(y)") + " " + a("http://a.com", "http://a.com") + "!?</p>"},
		{`"http://a.com" 'a.com' x:http://a.com,b.com <http://a.com>`, `<p>"` + a("http://a.com", "http://a.com") + `" '` + a("http://a.com", "a.com") + `' x:` + a("http://a.com,b.com", "http://a.com,b.com") + ` &lt;` + a("http://a.com", "http://a.com") + `&gt;</p>`},
		{"x https://a.com/(we_like_((t(d(o(_(1(2)1)__)o)o))o_nest_)_nest)_nest a.com/((((((((1)))))))) y", "<p>x https://a.com/(we_like_((t(d(o(_(1(2)1)__)o)o))o_nest_)_nest)_nest a.com/((((((((1)))))))) y</p>"},
		{"xhttp://a.com /a.com ftp://a.com javascript://a.com", "<p>xhttp://a.com /a.com ftp://a.com javascript://a.com</p>"},
		{"**http://a.com** *a.com*", "<p><strong>" + a("http://a.com", "http://a.com") + "</strong> <em>" + a("http://a.com", "a.com") + "</em></p>"},
		{"`http://a.com`", "<p><code>http://a.com</code></p>"},
		{"https://chat.example.com/#narrow/x [f](https://chat.example.com/user_uploads/1/x.txt)", "<p>" + a("#narrow/x", "https://chat.example.com/#narrow/x") + " " + a("user_uploads/1/x.txt", "f") + "</p>"},
		{"https://chat.example.com/ https://chat.example.com/javascript:alert(1) https://chat.example.com//evil.com", "<p>" + a("https://chat.example.com/", "https://chat.example.com/") + " " + a("https://chat.example.com/javascript:alert(1)", "https://chat.example.com/javascript:alert(1)") + " " + a("https://chat.example.com//evil.com", "https://chat.example.com//evil.com") + "</p>"},
	})
}

func linkifiers(t *testing.T, pairs ...string) []*markdown.Linkifier {
	t.Helper()
	var all []*markdown.Linkifier
	for i := 0; i < len(pairs); i += 2 {
		l, err := markdown.NewLinkifier(pairs[i], pairs[i+1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

func TestLinkifiers(t *testing.T) {
	t.Parallel()
	in := office()
	in.Linkifiers = linkifiers(
		t,
		`#(?P<id>[0-9]+)`, "https://t.example.com/%(id)s",
		`#(?P<id>[0-9]+)x?`, "https://second.example.com/%(id)s",
		`(?P<org>[a-z]+)/(?P<repo>[a-z]+)#(?P<id>\d+)`, "https://g.example.com/%(org)s/%(repo)s/issues/%(id)s",
		`wiki:(?P<page>.+)!`, "https://w.example.com/%(page)s",
	)
	one := a("https://t.example.com/1", "#1")
	check(t, in, []golden{
		{"#1 #2, (#1) **#1**", "<p>" + one + " " + a("https://t.example.com/2", "#2") + ", (" + one + ") <strong>" + one + "</strong></p>"},
		{"#1#2 x#1 #1a #1_ ##1", "<p>" + one + "#2 x#1 #1a #1_ ##1</p>"},
		{"ab/cd#7", "<p>" + a("https://g.example.com/ab/cd/issues/7", "ab/cd#7") + "</p>"},
		{"`#1` [#1](/x) http://a.com/#1", "<p><code>#1</code> " + a("/x", "#1") + " " + a("http://a.com/#1", "http://a.com/#1") + "</p>"},
		{`wiki:a "b!`, "<p>" + a("https://w.example.com/a%20%22b", `wiki:a "b!`) + "</p>"},
		{"#1\n#1", "<p>" + one + "<br>\n" + one + "</p>"},
	})
	links := markdown.NewTopics(in.Linkifiers).Links(`#1 (see www.example.com/x), "http://a.com/(y)" ab/cd#7 x.py`)
	want := []string{"https://t.example.com/1", "https://g.example.com/ab/cd/issues/7", "https://www.example.com/x", "http://a.com/(y)"}
	if diff := cmp.Diff(want, links); diff != "" {
		t.Error(diff)
	}
}

// What searching costs is limited, whatever the patterns are: the rest stays text. Many matches of usual ones are links.
func TestExpensiveLinkifiers(t *testing.T) {
	t.Parallel()
	in := office()
	expensive := `(?P<a>%s[0-9])` + strings.Repeat(`(.*)`, 90) + `!`
	in.Linkifiers = linkifiers(t, fmt.Sprintf(expensive, "first"), "https://first.example.com/%(a)s", fmt.Sprintf(expensive, "second"), "https://second.example.com/%(a)s")
	for filler, want := range map[int]int{0: 2, 2000: 2, 9900: 1} {
		more := strings.Repeat("x", filler)
		result, err := renderer().Render(t.Context(), "first1! "+more+"\n\nsecond1! "+more, in)
		if got := strings.Count(result.HTML, "<a href"); err != nil || got != want {
			t.Errorf("%d links between %d more bytes, want %d; %v", got, filler, want, err)
		}
	}
	in.Linkifiers = linkifiers(t, `#(?P<id>[0-9]+)`, "https://t.example.com/%(id)s")
	result, err := renderer().Render(t.Context(), strings.Repeat("#1 and so ", 1000), in)
	if got := strings.Count(result.HTML, "<a href"); err != nil || got != 1000 {
		t.Errorf("%d links of a usual pattern; %v", got, err)
	}
}

func TestBadLinkifiers(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{`#(?P<id>[0-9]+`, "https://a.com/%(id)s"},
		{`a)(b`, "https://a.com/"},
		{`#(?P<id>[0-9]+)`, "https://a.com/%(other)s"},
		{`#(?P<id>.+)`, "%(id)s"},
		{`#(?P<id>.+)`, "https://%(id)s"},
		{`#(?P<id>.+)`, "javascript:%(id)s"},
	} {
		if _, err := markdown.NewLinkifier(c[0], c[1]); !errors.Is(err, markdown.ErrLinkifier) {
			t.Errorf("%q: %v", c, err)
		}
	}
}

// thumbnail returns the preview of an uploaded image. name is its name in the form for a query string.
func thumbnail(url, name string) string {
	at := "/thumbnail?url=user_uploads%2F1%2Fab%2Fcd%2F" + name + "&amp;size="
	return `<div class="message_inline_image">` + a(url, `<img data-src-fullsize="`+at+`full" src="`+at+`thumbnail">`) + `</div>`
}

func image(url string) string {
	src := "/image?of=" + url
	if strings.HasPrefix(url, "/") {
		src = url
	}
	return `<div class="message_inline_image">` + a(url, `<img src="`+src+`">`) + `</div>`
}

// The rows of rest-api.md, section 7.9.
func TestPreviews(t *testing.T) {
	t.Parallel()
	png := "http://a.com/x.PNG?y"
	link := a(png, png)
	tube := "https://www.youtube.com/watch?v=abcDEF_1-23"
	video := `<div class="youtube-video message_inline_image"><a data-id="abcDEF_1-23" href="` + tube + `"><img src="/image?of=https://i.ytimg.com/vi/abcDEF_1-23/default.jpg"></a></div>`
	many := func(n int) (source, html string) {
		var urls, images []string
		for i := range n {
			url := "http://a.com/" + string(rune('a'+i)) + ".png"
			urls = append(urls, url)
			images = append(images, image(url))
		}
		return strings.Join(urls, "\n\n"), strings.Join(images, "\n")
	}
	five, fiveImages := many(5)
	six, _ := many(6)
	check(t, office(), []golden{
		{png, image(png)},
		{"see " + png + " " + png, "<p>see " + link + " " + link + "</p>\n" + image(png)},
		{"[na\"me](" + png + ")", "<p>" + a(png, `na"me`) + "</p>\n" + `<div class="message_inline_image"><a href="` + png + `" title="na&quot;me"><img src="/image?of=` + png + `"></a></div>`},
		{"* " + png, "<ul>\n<li>" + link + image(png) + "</li>\n</ul>"},
		{"[](/user_uploads/1/ab/x.jpg)", image("/user_uploads/1/ab/x.jpg")},
		{"[](/user_uploads/1/ab/cd/x.jpg)", thumbnail("/user_uploads/1/ab/cd/x.jpg", "x.jpg")},
		{"[](/user_uploads/1/ab/cd/ü%26.png?a=1&b#c)", thumbnail("/user_uploads/1/ab/cd/ü%26.png?a=1&amp;b#c", "%C3%BC%2526.png")},
		{"> " + png, "<blockquote>\n<p>" + link + "</p>\n</blockquote>"},
		{"```quote\n" + png + "\n```", "<blockquote>\n<p>" + link + "</p>\n</blockquote>"},
		{tube, "<p>" + a(tube, tube) + "</p>\n" + video},
		{"http://a.com/png [x](mailto:a@b.png)", "<p>" + a("http://a.com/png", "http://a.com/png") + " " + a("mailto:a@b.png", "x") + "</p>"},
		{five, fiveImages},
	})
	result, err := renderer().Render(t.Context(), six, office())
	if err != nil || strings.Contains(result.HTML, "<img") || strings.Count(result.HTML, "<p>") != 6 || !result.HasImage {
		t.Errorf("six images: %+v, %v", result, err)
	}
	off := office()
	off.Previews = false
	check(t, off, []golden{{png, "<p>" + link + "</p>"}})
}

// If this server can't serve images of other servers, they are links.
func TestImagesOfOtherServers(t *testing.T) {
	t.Parallel()
	source := "HTTP://a.com/x.png\n\nhttps://youtu.be/abcDEF_1-23 [x](https://a.com/\"y.jpg)\n\n[](/user_uploads/1/ab/x.jpg)"
	result, err := markdown.New(markdown.Config{}).Render(t.Context(), source, office())
	if err != nil {
		t.Fatal(err)
	}
	if !result.HasImage || strings.Count(result.HTML, "<img") != 1 || !strings.Contains(result.HTML, `<img src="/user_uploads/1/ab/x.jpg">`) {
		t.Errorf("%+v", result)
	}
}

// Images that this server doesn't fetch are links. Others are shown only under this server's address.
func TestImageSource(t *testing.T) {
	t.Parallel()
	asked := []string(nil)
	r := markdown.New(markdown.Config{ImageSource: func(address string) string {
		asked = append(asked, address)
		if strings.Contains(address, "no.com") {
			return ""
		}
		return "/external_content/" + strconv.Itoa(len(asked)) + "/\""
	}})
	result, err := r.Render(t.Context(), "http://a.com/x.png\n\nhttps://no.com/y.png\n\nhttps://youtu.be/abcDEF_1-23", office())
	if err != nil {
		t.Fatal(err)
	}
	const want = `<div class="message_inline_image"><a href="http://a.com/x.png"><img src="/external_content/1/&quot;"></a></div>` + "\n" +
		`<p><a href="https://no.com/y.png">https://no.com/y.png</a></p>` + "\n" +
		`<p><a href="https://youtu.be/abcDEF_1-23">https://youtu.be/abcDEF_1-23</a></p>` + "\n" +
		`<div class="youtube-video message_inline_image"><a data-id="abcDEF_1-23" href="https://youtu.be/abcDEF_1-23"><img src="/external_content/3/&quot;"></a></div>`
	if result.HTML != want || !result.HasImage {
		t.Errorf("%s", result.HTML)
	}
	if diff := cmp.Diff([]string{"http://a.com/x.png", "https://no.com/y.png", "https://i.ytimg.com/vi/abcDEF_1-23/default.jpg"}, asked); diff != "" {
		t.Error(diff)
	}
}

func TestWhatLinksAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source string
		want   markdown.Result
	}{
		{"text", markdown.Result{}},
		{"a.com", markdown.Result{HasLink: true}},
		{"`a.com` [x](javascript:x)", markdown.Result{}},
		{"> http://a.com/x.png", markdown.Result{HasLink: true, HasImage: true}},
		{"[f](/user_uploads/1/x/f.txt)", markdown.Result{HasLink: true, HasAttachment: true}},
		{"https://chat.example.com/user_uploads/1/x/f.png", markdown.Result{HasLink: true, HasImage: true, HasAttachment: true}},
	} {
		got, err := renderer().Render(t.Context(), c.source, office())
		if err != nil {
			t.Fatal(err)
		}
		got.HTML = ""
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.source, diff)
		}
	}
}
