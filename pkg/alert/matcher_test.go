package alert_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/alert"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/testbed"
)

func TestFind(t *testing.T) {
	t.Parallel()
	words := map[id.User][]string{
		1: {"pump"},
		2: {"Pump", "on call"},
		3: {"on"},
		4: {"c:"},
		5: {":)"},
		6: {"ÄPFEL"},
		7: {"x.y, z", "x"},
		8: {"(very)"},
		9: nil,
	}
	m := alert.NewMatcher(words)
	for _, c := range []struct {
		text string
		want []id.User
	}{
		{"", nil},
		{"nothing", nil},
		{"pump", []id.User{1, 2}},
		{"PUMP", []id.User{1, 2}},
		{"pumps", nil},
		{"the pump", []id.User{1, 2}},
		{"a-pump", nil},
		{"pump-house", nil},
		{"pump 3 pump", []id.User{1, 2}},
		{"pumps pump", []id.User{1, 2}},
		{"on call", []id.User{2, 3}},
		{"On Call?", []id.User{2, 3}},
		{"on  call", []id.User{3}},
		{"on calls", []id.User{3}},
		{"on\ncall", []id.User{3}},
		{"c:", []id.User{4}},
		{"c: x", []id.User{4, 7}},
		{"c:x", nil},
		{":)", []id.User{5}},
		{":) pump", []id.User{1, 2, 5}},
		{"a :)", []id.User{5}},
		{":):)", []id.User{5}},
		{"y:)", nil},
		{"Äpfel", []id.User{6}},
		{"x.y, z", []id.User{7}},
		{"x.y, zz", []id.User{7}},
		{"(very)", []id.User{8}},
		{"((very))", []id.User{8}},
		{"pump\x00", nil},
		{"\xff pump", []id.User{1, 2}},
	} {
		if diff := cmp.Diff(c.want, list(m.Find(c.text))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

// Exactly the characters in events.md, section 4.3, may be next to a word.
func TestBoundaries(t *testing.T) {
	t.Parallel()
	m := alert.NewMatcher(map[id.User][]string{1: {"pump"}})
	for c := range rune(0x300) {
		text := string(c)
		if got, want := len(m.Find(text+"pump")) > 0, strings.ContainsRune(" \n(\".,';[*>`", c); got != want {
			t.Errorf("%q before: %v", text, got)
		}
		if got, want := len(m.Find("pump"+text)) > 0, strings.ContainsRune(" \n)?:.,';]!*`", c); got != want {
			t.Errorf("%q behind: %v", text, got)
		}
	}
}

func TestNobodysWords(t *testing.T) {
	t.Parallel()
	none := (*alert.Matcher)(nil)
	for _, m := range []*alert.Matcher{none, alert.NewMatcher(nil), alert.NewMatcher(map[id.User][]string{1: nil, 2: {""}})} {
		if got := m.Find("pump "); len(got) > 0 {
			t.Errorf("%v have no word", got)
		}
	}
}

// naive implements the rule, word by word.
func naive(words map[id.User][]string, text string) []id.User {
	text = strings.ToLower(text)
	found := []id.User(nil)
	for user, list := range words {
		if slices.ContainsFunc(list, func(word string) bool { return has(text, strings.ToLower(word)) }) {
			found = append(found, user)
		}
	}
	slices.Sort(found)
	return found
}

func has(text, word string) bool {
	for at := range len(text) {
		rest, ok := strings.CutPrefix(text[at:], word)
		if word != "" && ok && (at == 0 || strings.Contains(" \n(\".,';[*>`", text[at-1:at])) &&
			(rest == "" || strings.Contains(" \n)?:.,';]!*`", rest[:1])) {
			return true
		}
	}
	return false
}

func FuzzFind(f *testing.F) {
	f.Add("pump\x00on call\x00c:", "the pump, on call: c:")
	f.Add("a\x00a b\x00a b c\x00 \x00.", "a b. c (a)")
	f.Add("ſ\x00İ\x00K", "s i k ſ İ K")
	f.Fuzz(func(t *testing.T, joined, text string) {
		words := map[id.User][]string{}
		for i, word := range strings.Split(joined, "\x00") {
			user := id.User(i % 5)
			words[user] = append(words[user], word)
		}
		if diff := cmp.Diff(naive(words, text), list(alert.NewMatcher(words).Find(text))); diff != "" {
			t.Errorf("%q in %q (-want +got):\n%s", words, text, diff)
		}
	})
}

// Finding words is fast for all words and texts.
func TestFindIsQuick(t *testing.T) {
	t.Parallel()
	words := map[id.User][]string{}
	for user := range id.User(1000) {
		for i := range 20 {
			words[user] = append(words[user], fmt.Sprintf("word%d of %d", i, user))
		}
		words[user] = append(words[user], "x", strings.Repeat(". ", 50), strings.Repeat("(", 100), strings.Repeat("a ", 30)+"b")
	}
	m := alert.NewMatcher(words)
	for _, piece := range []string{". ", "(", "a ", "word3 of ", "x ", "xx", "((((((((.", "*"} {
		text := strings.Repeat(piece, 10_000/len(piece))
		if took := testbed.ProcessorTime(t, func() { m.Find(text) }); took > time.Second {
			t.Errorf("%q... took %v", piece, took)
		}
	}
	if got := m.Find("it is word7 of 77."); len(got) != 1 || got[0] != 77 {
		t.Errorf("found %v", got)
	}
}

// list returns nil for an empty list.
func list(users []id.User) []id.User {
	if len(users) == 0 {
		return nil
	}
	return users
}
