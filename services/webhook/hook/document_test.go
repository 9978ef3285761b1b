package hook_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"chatserver.dev/services/webhook/hook"
)

func document(t *testing.T, payload string) hook.Document {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(payload))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return hook.NewDocument(value)
}

// What is absent, null or of another type is the zero value.
func TestDocument(t *testing.T) {
	t.Parallel()
	d := document(t, `{"a":{"b":"text","n":12345678901234567890,"i":7,"s":"8","yes":true,"null":null,"list":[{"x":1},"y",null],"":"e"},"z":1}`)
	for path, want := range map[string]string{
		"a.b": "text", "a.n": "12345678901234567890", "a.i": "7", "a.yes": "true", "a.null": "", "a.list": "", "a": "", "a.b.c": "", "no.such": "", "a.": "e", "": "",
	} {
		if got := d.Text(path); got != want {
			t.Errorf("%q is %q", path, got)
		}
	}
	for path, want := range map[string]int64{"a.i": 7, "a.s": 8, "a.n": 0, "a.b": 0, "a": 0, "no": 0} {
		if got := d.Number(path); got != want {
			t.Errorf("%q is %d", path, got)
		}
	}
	if !d.Has("a.list") || d.Has("a.null") || d.Has("a.no") || !d.True("a.yes") || d.True("a.b") || d.True("a.no") {
		t.Error("what is there or true")
	}
	if got := d.Or("a.null", "no", "a.b", "z"); got != "text" {
		t.Errorf("the first is %q", got)
	}
	items := d.At("a").List("list")
	if len(items) != 3 || items[0].Text("x") != "1" || items[1].Text("") != "y" || items[2].Has("") || len(d.List("a")) != 0 || len(hook.Document{}.List("")) != 0 {
		t.Errorf("items are %v", items)
	}
	if got := d.Names(""); !slices.Equal(got, []string{"a", "z"}) || len(d.Names("z")) != 0 {
		t.Errorf("names are %v", got)
	}
}

func TestMember(t *testing.T) {
	t.Parallel()
	d := document(t, `{"a.b":"x","a":{"b":"y"}}`)
	for name, want := range map[string]string{"a.b": "x", "a": "", "c": ""} {
		if got := d.Member(name); got != want {
			t.Errorf("%q is %q", name, got)
		}
	}
	if got := d.At("c").Member("a"); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
