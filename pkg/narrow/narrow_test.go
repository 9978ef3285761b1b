package narrow_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/narrow"
)

func TestParse(t *testing.T) {
	t.Parallel()
	one := func(t narrow.Term) narrow.Narrow { return narrow.Narrow{t} }
	for text, want := range map[string]narrow.Narrow{
		`[]`:     {},
		` [ ]  `: {},
		`[["stream","Halls"],{"operator":"topic","operand":"Valve","negated":true}]`: {
			{Kind: narrow.Stream, Text: "Halls"}, {Kind: narrow.Topic, Text: "Valve", Negated: true},
		},
		`[{"operator":"stream","operand":7}]`:                        one(narrow.Term{Kind: narrow.Stream, Text: "7", ByID: true, IDs: []int64{7}}),
		`[{"operator":"stream","operand":"7"}]`:                      one(narrow.Term{Kind: narrow.Stream, Text: "7"}),
		`[{"operator":"sender","operand":99999999999999999999}]`:     one(narrow.Term{Kind: narrow.Sender, Text: "99999999999999999999", ByID: true, IDs: []int64{math.MaxInt64}}),
		`[{"operator":"sender","operand":-3}]`:                       one(narrow.Term{Kind: narrow.Sender, Text: "-3", ByID: true, IDs: []int64{-3}}),
		`[["sender","a@x"]]`:                                         one(narrow.Term{Kind: narrow.Sender, Text: "a@x"}),
		`[["streams","public"]]`:                                     one(narrow.Term{Kind: narrow.PublicStreams, Text: "public"}),
		`[["pm-with","a@x,b@x"]]`:                                    one(narrow.Term{Kind: narrow.With, Text: "a@x,b@x"}),
		`[["pm_with","a@x"]]`:                                        one(narrow.Term{Kind: narrow.With, Text: "a@x"}),
		`[{"operator":"pm-with","operand":[3, 4]}]`:                  one(narrow.Term{Kind: narrow.With, Text: "3, 4", ByID: true, IDs: []int64{3, 4}}),
		`[{"operator":"pm-with","operand":[]}]`:                      one(narrow.Term{Kind: narrow.With, ByID: true}),
		`[{"operator":"group-pm-with","operand":3,"negated":false}]`: one(narrow.Term{Kind: narrow.GroupWith, Text: "3", ByID: true, IDs: []int64{3}}),
		`[["group_pm_with","a@x"]]`:                                  one(narrow.Term{Kind: narrow.GroupWith, Text: "a@x"}),
		`[["is","private"]]`:                                         one(narrow.Term{Kind: narrow.Private, Text: "private"}),
		`[["is","starred"]]`:                                         one(narrow.Term{Kind: narrow.Starred, Text: "starred"}),
		`[["is","unread"]]`:                                          one(narrow.Term{Kind: narrow.Unread, Text: "unread"}),
		`[["is","mentioned"]]`:                                       one(narrow.Term{Kind: narrow.Mentioned, Text: "mentioned"}),
		`[["is","alerted"]]`:                                         one(narrow.Term{Kind: narrow.Alerted, Text: "alerted"}),
		`[["has","attachment"]]`:                                     one(narrow.Term{Kind: narrow.HasAttachment, Text: "attachment"}),
		`[["has","image"]]`:                                          one(narrow.Term{Kind: narrow.HasImage, Text: "image"}),
		`[["has","link"]]`:                                           one(narrow.Term{Kind: narrow.HasLink, Text: "link"}),
		`[{"operator":"in","operand":"home","negated":true}]`:        one(narrow.Term{Kind: narrow.Home, Text: "home"}),
		`[["in","all"],["near","12"],["near","soon"]]`:               {},
		`[["id","12"]]`:                                              one(narrow.Term{Kind: narrow.Message, Text: "12", ByID: true, IDs: []int64{12}}),
		`[["id","99999999999999999999"]]`:                            one(narrow.Term{Kind: narrow.Message, Text: "99999999999999999999", ByID: true, IDs: []int64{math.MaxInt64}}),
		`[["search","wet valve"]]`:                                   one(narrow.Term{Kind: narrow.Search, Text: "wet valve"}),
		`[["is","unread"],["is","unread"],{"operator":"is","operand":"unread"}]`: one(narrow.Term{Kind: narrow.Unread, Text: "unread"}),
		`[["stream","7"],{"operator":"stream","operand":7},{"operator":"stream","operand":7,"negated":true},["stream","7"]]`: {
			{Kind: narrow.Stream, Text: "7"},
			{Kind: narrow.Stream, Text: "7", ByID: true, IDs: []int64{7}},
			{Kind: narrow.Stream, Text: "7", ByID: true, IDs: []int64{7}, Negated: true},
		},
		`[["topic",""]]`: one(narrow.Term{Kind: narrow.Topic}),
		`[{"operator":"topic","operand":"x","more":1,"negated":false}]`:          one(narrow.Term{Kind: narrow.Topic, Text: "x"}),
		`[{"operator":"topic","operand":"lone \ud800 half"}]`:                    one(narrow.Term{Kind: narrow.Topic, Text: "lone \uFFFD half"}),
		`[{"operator":"is","operand":"unread","negated":true}]`:                  one(narrow.Term{Kind: narrow.Unread, Text: "unread", Negated: true}),
		`[{"operator":"topic","operand":"` + strings.Repeat("ä", 10_000) + `"}]`: one(narrow.Term{Kind: narrow.Topic, Text: strings.Repeat("ä", 10_000)}),
	} {
		got, err := narrow.Parse(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%.100s: %v (-want +got)\n%s", text, err, diff)
		}
	}
}

func TestParseFaults(t *testing.T) {
	t.Parallel()
	bad := func(text string) string { return "Bad value for 'narrow': " + text }
	for text, want := range map[string]struct{ code, msg string }{
		"":                                       {"REQUEST_VARIABLE_INVALID", bad("")},
		`[`:                                      {"REQUEST_VARIABLE_INVALID", bad(`[`)},
		`[] []`:                                  {"REQUEST_VARIABLE_INVALID", bad(`[] []`)},
		`null`:                                   {"REQUEST_VARIABLE_INVALID", bad(`null`)},
		`{}`:                                     {"REQUEST_VARIABLE_INVALID", bad(`{}`)},
		`"x"`:                                    {"REQUEST_VARIABLE_INVALID", bad(`"x"`)},
		`[3]`:                                    {"REQUEST_VARIABLE_INVALID", bad(`[3]`)},
		`[null]`:                                 {"REQUEST_VARIABLE_INVALID", bad(`[null]`)},
		`[["stream"]]`:                           {"REQUEST_VARIABLE_INVALID", bad(`[["stream"]]`)},
		`[["a","b","c"]]`:                        {"REQUEST_VARIABLE_INVALID", bad(`[["a","b","c"]]`)},
		`[["stream",7]]`:                         {"REQUEST_VARIABLE_INVALID", bad(`[["stream",7]]`)},
		`[["stream",null]]`:                      {"REQUEST_VARIABLE_INVALID", bad(`[["stream",null]]`)},
		`[{}]`:                                   {"BAD_REQUEST", `operator key is missing from elem`},
		`[{"operand":"x"}]`:                      {"BAD_REQUEST", `operator key is missing from elem`},
		`[{"operator":"is"}]`:                    {"BAD_REQUEST", `operand key is missing from elem`},
		`[{"operator":3,"operand":"x"}]`:         {"BAD_REQUEST", `elem["operator"] is not a string`},
		`[{"operator":null,"operand":"x"}]`:      {"BAD_REQUEST", `elem["operator"] is not a string`},
		`[{"operator":3}]`:                       {"BAD_REQUEST", `elem["operator"] is not a string`},
		`[{"operator":"is","operand":3}]`:        {"BAD_REQUEST", `elem["operand"] is not a string`},
		`[{"operator":"id","operand":3}]`:        {"BAD_REQUEST", `elem["operand"] is not a string`},
		`[{"operator":"topic","operand":null}]`:  {"BAD_REQUEST", `elem["operand"] is not a string`},
		`[{"operator":"search","operand":3}]`:    {"BAD_REQUEST", `elem["operand"] is not a string`},
		`[{"operator":"stream","operand":true}]`: {"BAD_REQUEST", `elem["operand"] is not a string or integer`},
		`[{"operator":"stream","operand":1.5}]`:  {"BAD_REQUEST", `elem["operand"] is not a string or integer`},
		`[{"operator":"sender","operand":[1]}]`:  {"BAD_REQUEST", `elem["operand"] is not a string or integer`},
		`[{"operator":"group-pm-with","operand":{}}]`:                {"BAD_REQUEST", `elem["operand"] is not a string or integer`},
		`[{"operator":"group_pm_with","operand":3}]`:                 {"BAD_REQUEST", `elem["operand"] is not a string`},
		`[{"operator":"pm-with","operand":3}]`:                       {"BAD_REQUEST", `elem["operand"] is not a string or an integer list`},
		`[{"operator":"pm-with","operand":null}]`:                    {"BAD_REQUEST", `elem["operand"] is not a string or an integer list`},
		`[{"operator":"pm-with","operand":["a@x"]}]`:                 {"BAD_REQUEST", `elem["operand"] is not a string or an integer list`},
		`[{"operator":"pm_with","operand":[3]}]`:                     {"BAD_REQUEST", `elem["operand"] is not a string`},
		`[{"operator":"is","operand":"private","negated":"yes"}]`:    {"BAD_REQUEST", `elem["negated"] is not a boolean`},
		`[{"operator":"is","operand":"private","negated":1}]`:        {"BAD_REQUEST", `elem["negated"] is not a boolean`},
		`[{"operator":"search","operand":" "}]`:                      {"BAD_REQUEST", `elem["operand"] cannot be blank.`},
		`[["search",""]]`:                                            {"BAD_REQUEST", `elem["operand"] cannot be blank.`},
		`[["topic","a\u0000"]]`:                                      {"BAD_REQUEST", `elem["operand"] contains NULL (0x00) characters`},
		`[["\u0000","a"]]`:                                           {"BAD_REQUEST", `elem["operator"] contains NULL (0x00) characters`},
		`[["topic","` + strings.Repeat("x", 10_001) + `"]]`:          {"BAD_REQUEST", `elem["operand"] is too long (limit: 10000 characters)`},
		`[` + strings.Repeat(`["in","all"],`, 100) + `["in","all"]]`: {"BAD_REQUEST", `narrow is too long (limit: 100 terms)`},
		`[["streams","all"]]`:                                        {"BAD_NARROW", `Invalid narrow operator: unknown streams operand all`},
		`[["is","Private"]]`:                                         {"BAD_NARROW", `Invalid narrow operator: unknown 'is' operand Private`},
		`[["has","wheels"]]`:                                         {"BAD_NARROW", `Invalid narrow operator: unknown 'has' operand wheels`},
		`[["in","bed"]]`:                                             {"BAD_NARROW", `Invalid narrow operator: unknown 'in' operand bed`},
		`[["id","-3"]]`:                                              {"BAD_NARROW", `Invalid narrow operator: Invalid message ID`},
		`[["id",""]]`:                                                {"BAD_NARROW", `Invalid narrow operator: Invalid message ID`},
		`[["made_up","x"]]`:                                          {"BAD_NARROW", `Invalid narrow operator: unknown operator made_up`},
		`[["","x"]]`:                                                 {"BAD_NARROW", `Invalid narrow operator: unknown operator `},
		// The form of all elements is checked before the meaning of any.
		`[["made_up","x"],[]]`: {"REQUEST_VARIABLE_INVALID", bad(`[["made_up","x"],[]]`)},
	} {
		_, err := narrow.Parse(text)
		f := fault.Of(err)
		if f == nil || f.Kind != fault.Invalid || f.Code != want.code || f.Msg != want.msg {
			t.Errorf("%.100s: %v, want %s %s", text, err, want.code, want.msg)
			continue
		}
		if desc, isTerm := strings.CutPrefix(want.msg, "Invalid narrow operator: "); isTerm && f.Data["desc"] != desc {
			t.Errorf("%s: desc %v", text, f.Data["desc"])
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	parsed, err := narrow.Parse(`[["search","wet valve"],["topic","x"],{"operator":"search","operand":"dry","negated":true},["search","leak"]]`)
	if err != nil || parsed.Words() != "wet valve leak" {
		t.Errorf("%q, %v", parsed.Words(), err)
	}
	if !parsed.Has(narrow.Stream, narrow.Topic) || parsed.Has(narrow.Stream) {
		t.Error("it has a topic and no stream")
	}
}

func TestSearched(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		words     string
		literally []string
	}{
		`plain`:                  {words: `plain`},
		`"a b" c "d"`:            {`"a b" c "d"`, []string{"a b", "d"}},
		`"open`:                  {words: `"open`},
		`"a" "open`:              {`"a" "open`, []string{"a"}},
		`"" " " x`:               {words: `"" " " x`},
		`one"two"three"four"  "`: {`one"two"three"four"  "`, []string{"two", "four"}},
		`List<Valve>`:            {words: `List Valve `},
		`https://docs.harbour.example/guide, (yes/no) ann@corp.example.`: {
			` docs harbour example guide, (yes no) ann corp example `, []string{"docs.harbour.example/guide", "yes/no", "ann@corp.example"},
		},
		`v1.2.3 3.14 24/7 10.0.0.1:80`:              {`v 1.2.3 3.14 24/7 10.0.0.1:80`, []string{"v1.2.3"}},
		`ABC-123 go1.26-rc1 a-b -5 10-20 node-18.2`: {`ABC 123 go 1.26-rc1 a-b -5 10-20 node 18.2`, []string{"ABC-123", "go1.26-rc1", "node-18.2"}},
		`水 の`: {words: ` 水   の `},
		`満潮、API仕様「水門」 ระดับ x`: {
			` 満  潮 、API 仕  様 「 水  門 」  ร  ะ  ด  ั  บ  x`, []string{"満潮", "API仕様", "水門", "ระดับ"},
		},
		`part2.go 2.x ..1.2..`:                   {`part2 go 2 x   1.2  `, []string{"part2.go", "2.x"}},
		`/guide/ @ann ... Naïve/Cafe` + "\u0301": {` guide   ann     Naive Cafe`, []string{"Naïve/Café"}},
		`Thé À Œuvre Ёлка Мой 한국 Straße`:         {words: `Thé À OEuvre Елка Мой 한국 Strasse`},
	} {
		words, literally := narrow.Searched(text)
		if diff := cmp.Diff(want.words, words); diff != "" {
			t.Errorf("words of %s:\n%s", text, diff)
		}
		if diff := cmp.Diff(want.literally, literally); diff != "" {
			t.Errorf("literally in %s:\n%s", text, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`[]`, `[["stream","x"]]`, `[{"operator":"pm-with","operand":[1,2],"negated":true}]`, `[["search","\"a b\" c"]]`, `[null]`, `[["id","7"]]`,
		`[{"operator":"is","operand":"unread"}]`, `[["in","home"],["near","4"],["has","link"]]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := narrow.Parse(text)
		if err != nil {
			if fault.Of(err) == nil {
				t.Fatalf("%q: an error that isn't for clients: %v", text, err)
			}
			return
		}
		for _, term := range parsed {
			if term.Kind < narrow.Stream || term.Kind > narrow.Search || strings.ContainsRune(term.Text, 0) {
				t.Fatalf("%q: %+v", text, term)
			}
			if term.Kind == narrow.Message && len(term.IDs) != 1 {
				t.Fatalf("%q: a message without id: %+v", text, term)
			}
		}
	})
}
