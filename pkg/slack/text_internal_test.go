package slack

import (
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/testbed"
)

// directory resolves ids in the tests' messages.
type directory struct{}

func (directory) mention(account string) string {
	if account == "U1" {
		return "@**Ann|1**"
	}
	return ""
}

func (directory) person(account string) string {
	return map[string]string{"U1": "Ann", "U2": "Dora"}[account]
}

func (directory) link(channel string) string {
	if channel == "C1" {
		return "#**general**"
	}
	return ""
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                      "",
		"plain":                                 "plain",
		"*bold* _it_ ~gone~":                    "**bold** *it* ~~gone~~",
		"*_both_* and _*both*_":                 "***both*** and ***both***",
		"snake_case_name 2*3*4 a~b~c":           "snake_case_name 2*3*4 a~b~c",
		"* no bold * *open":                     "* no bold * *open",
		"*two* *words*":                         "**two** **words**",
		"*over\nlines*":                         "*over\nlines*",
		"**what people type**":                  "**what people type**",
		"(*in brackets*), _so_.":                "(**in brackets**), *so*.",
		"&lt;b&gt; &amp;amp; &copy; &":          "<b> &amp; &copy; &",
		"`*code* &lt;` and `x":                  "`*code* <` and `x",
		"`` empty":                              "`` empty",
		"<@U1> <@U2> <@U3|zoe> <@U4>":           "@**Ann|1** @Dora @zoe @U4",
		"hi/<@U1>":                              "hi/ @**Ann|1**",
		"*<@U1> is bold*":                       "@**Ann|1** is bold",
		"<#C1|general> <#C2|old> <#C3>":         "#**general** #old #C3",
		"<!here> <!channel> <!everyone>":        "@**all** @**all** @**all**",
		"<!here|@here>":                         "@**all**",
		"<!subteam^S1|@crew> <!subteam^S1>":     "@crew @subteam",
		"<!date^1392734382^{date}|Feb 18>":      "Feb 18",
		"<https://a.example>":                   "https://a.example",
		"<https://a.example|https://a.example>": "https://a.example",
		"<http://a.example|a.example>":          "http://a.example",
		"<https://a.example/x_(y)?a=1&amp;b=2|the [site]>": "[the (site)](https://a.example/x_%28y%29?a=1&b=2)",
		"<mailto:a@b.example|a@b.example>":                 "a@b.example",
		"<mailto:a@b.example>":                             "a@b.example",
		"<tel:+123|+123>":                                  "+123",
		"<javascript:alert(1)|click>":                      "click",
		"<https://a.example/\" onclick=|click>":            "click",

		"<":    "<",
		"<>":   "<>",
		"<@U1": "<@U1",
		":smile: :thumbsup: :+1::skin-tone-2: :us: :flag-de:": ":big_smile: :+1: :+1: 🇺🇸 🇩🇪",
		":wave::skin-tone-6:!":                                ":wave:!",
		"at 10:30:45 :unheard_of: ::":                         "at 10:30:45 :unheard_of: ::",
		"&gt; quoted\nnot":                                    "> quoted\n\nnot",
		"&gt;one\n&gt; two":                                   "> one\n> two",
		"&gt; quoted\n\nnot":                                  "> quoted\n\nnot",
		"before\n&gt;&gt;&gt; all\nthe rest":                  "before\n> all\n> the rest",
		"a &gt; b":                                            "a > b",
		"• one\n    ◦ two\n• three":                           "* one\n  * two\n* three",
		"```a &lt; b\n*c*``` after":                           "```\na < b\n*c*\n```\nafter",
		"x ```\ncode\n```\ny":                                 "x \n```\ncode\n```\ny",
		"```<https://a.example|a.example> <@U1>```":           "```\na.example @Ann\n```",
		"``` open": "``` open",
	} {
		if got := markdown(text, directory{}); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// Converting any text takes time proportional to its length, and the result isn't much longer.
func TestMarkdownLinear(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	for _, part := range []string{"*a ", "_*~x", "<", "<@", "<http://a|", "`", "```", ":a", "&gt;", "&", "\n&gt;&gt;&gt;", "*_~*_~x~_*", "•", "> ", "<@U1>", "```x```"} {
		text := strings.Repeat(part, maxText/4/len(part))
		start := time.Now()
		got := markdown(text, directory{})
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q takes %v", part, took)
		}
		if len(got) > 10*maxText {
			t.Errorf("%q becomes %d bytes", part, len(got))
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("*a* <@U1> `b` ```c``` :smile: &gt; <https://a.example|b>\n• x")
	f.Fuzz(func(t *testing.T, text string) {
		if got := markdown(text, directory{}); len(got) > 20*len(text)+20 {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}

func TestTitles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", " \n ": "", "*Deploy*  `api`\nfailed": "Deploy api", "> quoted": "quoted", "\n\nsecond": "second", "nul\x00": "nul",
		strings.Repeat("é", 61): strings.Repeat("é", 59) + "…", strings.Repeat("é", 60): strings.Repeat("é", 60),
	} {
		if got := title(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	all := newTopics()
	for i, want := range []string{"Deploy", "DEPLOY (2)", "Deploy (3)", "imported from Slack (2)"} {
		m := messageRow{Text: []string{"Deploy", "DEPLOY", "Deploy", "imported from Slack"}[i], TS: stamp(i + 1), ThreadTS: stamp(i + 1)}
		if got := all.of(1, &m, directory{}); got != want {
			t.Errorf("%q becomes %q, want %q", m.Text, got, want)
		}
	}
	if got := all.of(2, &messageRow{Text: "Deploy", TS: 1, ThreadTS: 1}, directory{}); got != "Deploy" {
		t.Errorf("in another channel it becomes %q", got)
	}
	if got := all.of(1, &messageRow{Text: "reply", TS: 9, ThreadTS: 2}, directory{}); got != "DEPLOY (2)" {
		t.Errorf("a reply is in %q", got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Ann": "Ann", " Bob *B* ": "Bob B", "a|1": "a 1", "x\u200by\x00": "xy", "@here": "here", strings.Repeat("é", 200): strings.Repeat("é", 100), "***": "",
	} {
		if got := cleanName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

func TestEmoji(t *testing.T) {
	t.Parallel()
	for slack, want := range map[string]string{"thumbsup": "1f44d +1", "smile": "1f604 big_smile", "heart": "2764 heart", "cat": "1f431 kitten", "wave::skin-tone-4": "1f44b wave"} {
		code, name, ok := emojiOf(slack)
		if got := code + " " + name; !ok || got != want {
			t.Errorf("%q becomes %q, want %q", slack, got, want)
		}
	}
	for slack, want := range map[string]string{"wave::skin-tone-4": "1f44b wave", "man-shrugging::skin-tone-2": "1f937 shrug", "woman-facepalming": "1f926 face_palm"} {
		code, name, ok := reactionOf(slack)
		if got := code + " " + name; !ok || got != want {
			t.Errorf("reaction %q becomes %q, want %q", slack, got, want)
		}
	}
	if code, _, ok := reactionOf("flag-us"); ok {
		t.Errorf("a reaction that isn't there becomes %q", code)
	}
	for _, unknown := range []string{"", "partyparrot", "::", "flag-us"} {
		if code, _, ok := emojiOf(unknown); ok {
			t.Errorf("%q becomes %q", unknown, code)
		}
	}
	known := 0
	for name := range emojiCodes() {
		if text, ok := emojiText(name); !ok || text == "" {
			t.Errorf("%q isn't in the table", name)
		}
		if _, _, ok := emojiOf(name); ok {
			known++
		}
	}
	if len(emojiCodes()) != 1972 || known != 1075 {
		t.Errorf("%d names, of which %d have an emoji here", len(emojiCodes()), known)
	}
}
