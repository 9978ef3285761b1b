package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
)

// The rows of rest-api.md, section 7.5.
func TestMentions(t *testing.T) {
	t.Parallel()
	user := func(id, shown string) string {
		return `<span class="user-mention" data-user-id="` + id + `">` + shown + `</span>`
	}
	silent := func(id, shown string) string {
		return `<span class="user-mention silent" data-user-id="` + id + `">` + shown + `</span>`
	}
	group := `<span class="user-group-mention" data-user-group-id="3">@group</span>`
	check(t, office(), []golden{
		{"@**FULL name** x", "<p>" + user("12", "@Full Name") + " x</p>"},
		{"@**full Name|13**", "<p>" + user("13", "@full name") + "</p>"},
		{"@**other|13** @**Full Name|99**", "<p>@<strong>other|13</strong> @<strong>Full Name|99</strong></p>"},
		{"@**ZOË <b>**", "<p>" + user("14", "@Zoë &lt;b&gt;") + "</p>"},
		{"@_**Full Name** @_**Full Name|12**", "<p>" + silent("12", "Full Name") + " " + silent("12", "Full Name") + "</p>"},
		{"@**all** @**everyone** @**stream** @**All**", "<p>" + user("*", "@all") + " " + user("*", "@everyone") + " " + user("*", "@stream") + " @<strong>All</strong></p>"},
		{"@_**all**", "<p>" + silent("*", "all") + "</p>"},
		{"@all @Full Name", "<p>@all @Full Name</p>"},
		{"@*group* @*Group* @_*group*", "<p>" + group + " @<em>Group</em> @_<em>group</em></p>"},
		{"> @**Full Name** @**all** @*group*", "<blockquote>\n<p>" + silent("12", "Full Name") + " " + silent("*", "all") + " " + group + "</p>\n</blockquote>"},
		{"x@**Full Name** '@**Full Name**' (@**Full Name**) x", "<p>x@<strong>Full Name</strong> '" + user("12", "@Full Name") + "' (" + user("12", "@Full Name") + ") x</p>"},
		{"a|b\n-|-\n@**Full Name\\|12**|x", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>" + user("12", "@Full Name") + "</td>\n<td>x</td>\n</tr>\n</tbody>\n</table>"},
		{"#**Stream**", `<p><a class="stream" data-stream-id="5" href="/#narrow/stream/5-Stream">#Stream</a></p>`},
		{"#**my stream.x**", `<p><a class="stream" data-stream-id="6" href="/#narrow/stream/6-my-stream.2Ex">#my stream.x</a></p>`},
		{"#**a>b**", `<p><a class="stream" data-stream-id="7" href="/#narrow/stream/7-a.3Eb">#a&gt;b</a></p>`},
		{"#**Zürich**", `<p><a class="stream" data-stream-id="8" href="/#narrow/stream/8-Z.C3.BCrich">#Zürich</a></p>`},
		{"#**Stream>my topic**", `<p><a class="stream-topic" data-stream-id="5" href="/#narrow/stream/5-Stream/topic/my.20topic">#Stream &gt; my topic</a></p>`},
		{"#**Stream>a.b#c/~-_**", `<p><a class="stream-topic" data-stream-id="5" href="/#narrow/stream/5-Stream/topic/a.2Eb.23c.2F~-_">#Stream &gt; a.b#c/~-_</a></p>`},
		{"#**stream** x#**Stream**", `<p>#<strong>stream</strong> x#<strong>Stream</strong></p>`},
		{"[#**Stream**](/x)", `<p><a href="/x">#<strong>Stream</strong></a></p>`},
		{"[@**Full Name** @*group*](/x)", `<p><a href="/x">@<strong>Full Name</strong> @<em>group</em></a></p>`},
	})
}

func TestMentionEffects(t *testing.T) {
	t.Parallel()
	r := renderer()
	for _, c := range []struct {
		source string
		want   markdown.Result
	}{
		{"@**Full Name** @**full name|13** @**Full Name**", markdown.Result{MentionedUsers: []id.User{12, 13}}},
		{"@_**Full Name**", markdown.Result{}},
		{"> @**Full Name**\n\n```quote\n@**Full Name** @**all**\n```", markdown.Result{}},
		{"> @*group*", markdown.Result{MentionedGroups: []id.Group{3}}},
		{"@*group* @*group*", markdown.Result{MentionedGroups: []id.Group{3}}},
		{"`@**Full Name**`\n```\n@**all** @*group*\n```", markdown.Result{}},
		{"@**everyone**", markdown.Result{Wildcard: true}},
		{"@_**all**", markdown.Result{}},
		{"@**Nobody**", markdown.Result{}},
		{"#**Stream**", markdown.Result{}},
		{"[@**Full Name**](http://a.com)", markdown.Result{HasLink: true}},
	} {
		got, err := r.Render(t.Context(), c.source, office())
		if err != nil {
			t.Fatal(err)
		}
		got.HTML = ""
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.source, diff)
		}
	}
}

func TestCandidates(t *testing.T) {
	t.Parallel()
	got := markdown.FindCandidates("@**Ann B** @_**ann b** x@**Bob|7** @**Bob|7** @*ops* @**all**\n#**S>t** #**S** :cat: `:dog:` @**open\n** :a b:")
	want := markdown.Candidates{
		Users: []string{"ann b", "bob|7"}, UserIDs: []id.User{7}, Groups: []string{"ops"},
		Streams: []string{"S>t", "S"}, Emoji: []string{"cat", "dog"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, source := range []string{"", "plain text, nothing *in* it", "a@b.com # : x", "@**all**"} {
		if c := markdown.FindCandidates(source); !c.Empty() {
			t.Errorf("%q: %+v", source, c)
		}
	}
}

// Rendering with only the names that FindCandidates returns has the same result as with all names.
func TestCandidatesAreEnough(t *testing.T) {
	t.Parallel()
	r := renderer()
	for _, source := range seeds() {
		checkCandidates(t, r, source)
	}
}

func checkCandidates(t *testing.T, r *markdown.Renderer, source string) {
	t.Helper()
	all := office()
	some := all
	c := markdown.FindCandidates(source)
	some.Users = only(all.Users, c.Users)
	some.UsersByID = only(all.UsersByID, c.UserIDs)
	some.Groups = only(all.Groups, c.Groups)
	some.Streams = only(all.Streams, c.Streams)
	some.Emoji = only(all.Emoji, c.Emoji)
	want, errAll := r.Render(t.Context(), source, all)
	got, errSome := r.Render(t.Context(), source, some)
	if diff := cmp.Diff(want, got); diff != "" || (errAll == nil) != (errSome == nil) {
		t.Errorf("%q: %s %v %v", source, diff, errAll, errSome)
	}
}

func only[K comparable, V any](all map[K]V, keys []K) map[K]V {
	some := map[K]V{}
	for _, key := range keys {
		if value, ok := all[key]; ok {
			some[key] = value
		}
	}
	return some
}

func TestDescription(t *testing.T) {
	t.Parallel()
	in := office()
	linkifier, err := markdown.NewLinkifier(`#(?P<id>[0-9]+)`, "https://t.example.com/%(id)s")
	if err != nil {
		t.Fatal(err)
	}
	source := "@**Full Name** @**all** @*group* #**Stream** :cat_a: :zulip: :smile: http://a.com/b.png"
	html, err := renderer().RenderDescription(t.Context(), source, in)
	if err != nil {
		t.Fatal(err)
	}
	want := `<p>@<strong>Full Name</strong> @<strong>all</strong> @<em>group</em> #<strong>Stream</strong> :cat_a: :zulip: ` +
		`<span aria-label="smile" class="emoji emoji-1f642" role="img" title="smile">:smile:</span> <a href="http://a.com/b.png">http://a.com/b.png</a></p>`
	if diff := cmp.Diff(want, html); diff != "" {
		t.Error(diff)
	}
	in.Linkifiers = []*markdown.Linkifier{linkifier}
	if html, err = renderer().RenderDescription(t.Context(), "#12", in); err != nil || !strings.Contains(html, "https://t.example.com/12") {
		t.Errorf("%s %v", html, err)
	}
}
