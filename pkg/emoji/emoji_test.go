package emoji_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"chatserver.dev/pkg/emoji"
)

func TestFixedNames(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"smile": "1f642", "heart": "2764", "+1": "1f44d", "thumbs_up": "1f44d",
		"thumbs_down": "1f44e", "frown": "1f641", "neutral": "1f610", "confused": "1f615", "wink": "1f609",
		"grinning": "1f600", "open_mouth": "1f62e", "stuck_out_tongue": "1f61b", "gear": "2699",
		"rocket": "1f680", "alert": "1f6a8", "squared_ok": "1f197", "counterclockwise": "1f504",
		"tada": "1f389", "octopus": "1f419", "one": "0031-20e3", "cat": "1f408", "gold": "1f947",
		"check": "2705", "check_mark": "2714", "jack-o-lantern": "1f383",
	} {
		if got, ok := emoji.ByName(name); !ok || got != code {
			t.Errorf("ByName(%q) = %q, %v; want %q", name, got, ok, code)
		}
	}
	for code, name := range map[string]string{
		"1f642": "smile", "2764": "heart", "1f44d": "+1", "1f604": "big_smile", "2699": "gear",
	} {
		if got, ok := emoji.Canonical(code); !ok || got != name {
			t.Errorf("Canonical(%q) = %q, %v; want %q", code, got, ok, name)
		}
	}
	for _, unknown := range []string{"", "Smile", "thumbsup", "copyright", "no_such_emoji", "1f642"} {
		if code, ok := emoji.ByName(unknown); ok {
			t.Errorf("ByName(%q) = %q, want nothing", unknown, code)
		}
	}
	if name, ok := emoji.Canonical("41"); ok {
		t.Errorf("the letter A is the emoji %q", name)
	}
}

// Each name in a row of the table has the row's code, and the first name is canonical.
func TestTable(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("emoji.tsv")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`^[a-z0-9_+-]+$`)
	rows, names := 0, map[string]bool{}
	for line := range strings.SplitSeq(strings.TrimSpace(string(file)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			t.Fatalf("%q has %d fields", line, len(fields))
		}
		if got, ok := emoji.Canonical(fields[0]); !ok || got != fields[1] {
			t.Errorf("Canonical(%q) = %q, %v; want %q", fields[0], got, ok, fields[1])
		}
		for _, n := range append(strings.FieldsFunc(fields[2], func(r rune) bool { return r == ',' }), fields[1]) {
			if got, ok := emoji.ByName(n); !ok || got != fields[0] || names[n] || !name.MatchString(n) {
				t.Errorf("ByName(%q) = %q, %v; want %q, once", n, got, ok, fields[0])
			}
			names[n] = true
		}
	}
	if rows != 1036 || len(names) != 1553 {
		t.Errorf("%d emoji with %d names, want 1036 with 1553", rows, len(names))
	}
}

func TestByRune(t *testing.T) {
	t.Parallel()
	if code, name, ok := emoji.ByRune('🙂'); !ok || code != "1f642" || name != "smile" {
		t.Errorf("ByRune(🙂) = %q, %q, %v", code, name, ok)
	}
	for _, r := range "a1©—’あ€" {
		if code, _, ok := emoji.ByRune(r); ok {
			t.Errorf("ByRune(%c) = %q, want nothing", r, code)
		}
	}
}

func TestEmoticons(t *testing.T) {
	t.Parallel()
	want := map[string]string{":)": "1f642", "(:": "1f642", ":(": "1f641", "<3": "2764", ":|": "1f610", ":/": "1f615", ";)": "1f609", ":D": "1f600", ":o": "1f62e", ":O": "1f62e", ":p": "1f61b", ":P": "1f61b"}
	if n := len(emoji.Emoticons()); n != len(want) {
		t.Errorf("%d emoticons, want %d", n, len(want))
	}
	for text, code := range want {
		name, ok := emoji.ByEmoticon(text)
		if got, _ := emoji.ByName(name); !ok || got != code {
			t.Errorf("%s is %q (%s), want %s", text, name, got, code)
		}
	}
	if _, ok := emoji.ByEmoticon("8-)"); ok {
		t.Error("8-) is an emoticon")
	}
}
