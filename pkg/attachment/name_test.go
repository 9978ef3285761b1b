package attachment_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"chatserver.dev/pkg/attachment"
)

// Names are for people, slugs are for addresses (rest-api.md, section 5.10).
func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	for given, want := range map[string][2]string{
		"plan.png":                 {"plan.png", "plan.png"},
		"Plan of  the - site.png":  {"Plan of  the - site.png", "Plan-of-the-site.png"},
		"../../etc/passwd":         {"passwd", "passwd"},
		`C:\temp\a.txt`:            {"a.txt", "a.txt"},
		"a/":                       {"uploaded-file", "uploaded-file"},
		"":                         {"uploaded-file", "uploaded-file"},
		"..":                       {"uploaded-file", "uploaded-file"},
		"<b>\"&'?#%.txt":           {"<b>\"&'?#%.txt", "b.txt"},
		"a\u202egnp.exe":           {"agnp.exe", "agnp.exe"},
		"\x00a\x1f\x7f\nb":         {"a b", "a-b"},
		"u\u0308.txt":              {"ü.txt", "ü.txt"},
		"ﬁ①.txt":                   {"ﬁ①.txt", "fi1.txt"},
		"日本 語.txt":                 {"日本 語.txt", "日本-語.txt"},
		"\xff\xfe.txt":             {"\uFFFD.txt", ".txt"},
		"🎉":                        {"🎉", "uploaded-file"},
		long + ".png":              {long[:251] + ".png", long[:251] + ".png"},
		"a." + long:                {"a." + long[:253], "a." + long[:253]},
		strings.Repeat("ä", 200):   {strings.Repeat("ä", 127), strings.Repeat("ä", 127)},
		"-rf .txt":                 {"-rf .txt", "rf-.txt"},
		"a\u202e\u0308.txt":        {"ä.txt", "ä.txt"},
		"name\u200b\u2028tail.txt": {"name tail.txt", "name-tail.txt"},
	} {
		name := attachment.CleanName(given)
		if slug := attachment.SlugOf(name); name != want[0] || slug != want[1] {
			t.Errorf("%q: %q, %q, want %q", given, name, slug, want)
		}
	}
}

// Whatever name a client sends, its name and slug fit into the table, and only letters in a slug need escaping.
func TestAnyName(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("./\\ -_\u202e\u0308aﷺ日")), 0, 400, -1)).Draw(t, "name")
		name := attachment.CleanName(given)
		slug := attachment.SlugOf(name)
		for _, made := range []string{name, slug} {
			if len(made) < 1 || len(made) > 255 || !utf8.ValidString(made) || strings.ContainsAny(made, "/\\\x00\n") || strings.Trim(made, ".") == "" {
				t.Errorf("%q", made)
			}
		}
		if strings.ContainsFunc(slug, func(r rune) bool {
			return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("_.-", r)
		}) {
			t.Errorf("%q", slug)
		}
		if again := attachment.CleanName(name); again != name {
			t.Errorf("%q becomes %q", name, again)
		}
		if path, found, err := attachment.Split("1/ab/abcd/" + slug); err != nil || path != "1/ab/abcd" || found != slug {
			t.Errorf("%q is %q, %q: %v", slug, path, found, err)
		}
	})
}
