package catalogue_test

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/user"
)

// said contains the texts of a language by place, such as Mail.Missed.Subject. For a function, it contains the result
// for the arguments below.
type said map[string][]string

// read adds the texts of a value.
func (s said) read(t *testing.T, at string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		s[at] = append(s[at], v.String())
	case reflect.Slice:
		for i := range v.Len() {
			s.read(t, at, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			s.read(t, at+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Func:
		if v.IsNil() {
			s[at] = nil
			return
		}
		s.read(t, at, v.Call(arguments(v.Type()))[0])
	case reflect.Bool, reflect.Map:
	default:
		t.Fatalf("%s is of kind %s", at, v.Kind())
	}
}

// moment is 23:57 on 29 August 2031.
func moment() time.Time { return time.Date(2031, time.August, 29, 23, 57, 0, 0, time.UTC) }

// arguments returns arguments that can be recognized in the result of a function. They are hostile, because names
// that people choose may be.
func arguments(of reflect.Type) []reflect.Value {
	values := make([]reflect.Value, of.NumIn())
	for i := range values {
		name := fmt.Sprintf("%%s<%d>&\r\n", i)
		switch in := of.In(i); in {
		case reflect.TypeFor[string]():
			values[i] = reflect.ValueOf(name)
		case reflect.TypeFor[[]string]():
			values[i] = reflect.ValueOf([]string{name + "a", name + "b"})
		case reflect.TypeFor[int]():
			values[i] = reflect.ValueOf(7001 + i)
		case reflect.TypeFor[time.Time]():
			values[i] = reflect.ValueOf(moment())
		default:
			values[i] = reflect.Zero(in)
		}
	}
	return values
}

// parts returns the arguments that occur in a text.
func parts(texts []string) (found []string) {
	all := strings.Join(texts, "\n")
	for i := range 9 {
		name := fmt.Sprintf("%%s<%d>&\r\n", i)
		for _, part := range []string{name, name + "a", name + "b", strconv.Itoa(7001 + i)} {
			if strings.Contains(all, part) {
				found = append(found, part)
			}
		}
	}
	for _, part := range []string{"29", "57"} {
		if strings.Contains(all, part) {
			found = append(found, part)
		}
	}
	return found
}

// Each language has every text that English has, with the same arguments.
func TestLanguagesAreComplete(t *testing.T) {
	t.Parallel()
	english := said{}
	english.read(t, "", reflect.ValueOf(catalogue.In("en")))
	for _, one := range catalogue.All() {
		own := said{}
		own.read(t, "", reflect.ValueOf(one))
		t.Logf("%s: %d texts", one.Code, len(own))
		for at, want := range english {
			got := own[at]
			// A mail may have more paragraphs in another language.
			if len(got) == 0 && len(want) > 0 || slices.Contains(got, "") && !slices.Contains(want, "") {
				t.Errorf("%s lacks %s", one.Code, at)
			}
			if !slices.Equal(parts(got), parts(want)) {
				t.Errorf("%s: %s has %q, and %q in English", one.Code, at, parts(got), parts(want))
			}
			for _, text := range got {
				if text != strings.TrimSpace(text) && !strings.Contains(text, "\r\n") || strings.Contains(text, "%!") {
					t.Errorf("%s: %s is %q", one.Code, at, text)
				}
			}
		}
		if _, known := user.Languages()[one.Code]; !known || language.Make(one.Code).String() != one.Code {
			t.Errorf("%q can't be the language of an account", one.Code)
		}
	}
}

// Counts have plural forms, and days have names.
func TestForms(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"There is a message that you haven't read at x.":      catalogue.In("en").Mail.Missed.Unread(1, "x"),
		"There are 1000 messages that you haven't read at x.": catalogue.In("en").Mail.Missed.Unread(1000, "x"),
		"Auf x wartet eine ungelesene Nachricht.":             catalogue.In("de").Mail.Missed.Unread(1, "x"),
		"Auf x warten 2 ungelesene Nachrichten.":              catalogue.In("de").Mail.Missed.Unread(2, "x"),
		"23:57 on 29 August":                                  catalogue.In("en").Mail.Said(moment(), true),
		"11:57 PM on 29 August":                               catalogue.In("en").Mail.Said(moment(), false),
		"29. August, 23:57 Uhr":                               catalogue.In("de").Mail.Said(moment(), true),
		"29. August, 11:57 PM":                                catalogue.In("de").Mail.Said(moment(), false),
		"1. März, 00:00 Uhr":                                  catalogue.In("de").Mail.Said(time.Date(2031, time.March, 1, 0, 0, 0, 0, time.UTC), true),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The first supported language of a header is used, whatever is sent.
func TestBest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want   string
		wanted []string
	}{
		{"en", nil},
		{"en", []string{"", ""}},
		{"de", []string{"de"}},
		{"de", []string{"de-at"}},
		{"de", []string{"", "de-CH,de;q=0.9,en;q=0.8"}},
		{"en", []string{"", "en-GB,de;q=0.9", "de"}},
		{"de", []string{"fr", "fr,de;q=0.3,en;q=0.2"}},
		{"de", []string{"ja", "ja, fr;q=0.5", "de"}},
		{"en", []string{"zh-hans", "*"}},
		{"de", []string{"<script>", "de;q=x", "\x00\xff", "de"}},
		{"en", []string{"en;q=0.1,de;q=0", "de"}},
		{"de", []string{strings.Repeat("en,", 1<<19), "de"}},
		{"en", []string{strings.Repeat("-", 900), strings.Repeat("a-", 400), strings.Repeat(",;q=", 200)}},
	} {
		if got := catalogue.Best(c.wanted...).Code; got != c.want {
			t.Errorf("%.80q: %s, want %s", c.wanted, got, c.want)
		}
	}
	if catalogue.In("de").Direction() != "ltr" || (catalogue.Texts{RightToLeft: true}).Direction() != "rtl" || catalogue.In("tlh").Code != "en" {
		t.Error("wrong direction or code of a language")
	}
}
