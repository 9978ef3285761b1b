package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

// prose contains the comments of the sample as [ReadComments] returns them.
func prose() Comments {
	const pkg = "chatserver.dev/hack/openapi"
	return Comments{
		pkg:                           "Package main has what the samples are about (rest-api.md, section 9). More.\n",
		pkg + ".sampleMute":           "sampleMute mutes a topic. It\nis quiet.\n\nMore.",
		pkg + ".sampleParams.Topic":   "Topic to mute; it need\nnot exist.",
		pkg + ".sampleStream.Name":    "Name of the stream.",
		pkg + ".sampleItem.At":        "When it was.",
		pkg + ".samplePolled.QueueID": "QueueID is the queue's.",
		pkg + ".sampleLazy.Lazy":      "Lazy as ever.",
	}
}

func TestGenerateReturnsValidOpenAPI(t *testing.T) {
	t.Parallel()
	text, err := Generate(sample(), sampleRaw(), nil, prose())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.IsOpenAPI31OrLater()); err != nil {
		t.Error(err)
	}
	if got := doc.Paths.Len(); got != len(sample()) {
		t.Errorf("%d paths", got)
	}
}

func TestGenerateIsDeterministic(t *testing.T) {
	t.Parallel()
	first, err := Generate(sample(), sampleRaw(), nil, prose())
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		next, err := Generate(sample(), sampleRaw(), nil, prose())
		if err != nil || !bytes.Equal(first, next) {
			t.Fatalf("%v: %s", err, cmp.Diff(string(first), string(next)))
		}
	}
}

// at returns the value in the document at a path of keys.
func at(t *testing.T, doc any, keys ...string) any {
	t.Helper()
	for _, key := range keys {
		if list, ok := doc.([]any); ok {
			n, err := strconv.Atoi(key)
			if err != nil || n >= len(list) {
				t.Fatalf("nothing at %v, stopped at %q in %v", keys, key, doc)
			}
			doc = list[n]
			continue
		}
		o, ok := doc.(map[string]any)
		if !ok || o[key] == nil {
			t.Fatalf("nothing at %v, stopped at %q in %v", keys, key, doc)
		}
		doc = o[key]
	}
	return doc
}

func TestGenerated(t *testing.T) {
	t.Parallel()
	text, err := Generate(sample(), sampleRaw(), nil, prose())
	if err != nil {
		t.Fatal(err)
	}
	doc := any(nil)
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	mute := at(t, doc, "paths", "/api/v1/streams/{stream_id}", "patch")
	form := at(t, mute, "requestBody", "content", "application/x-www-form-urlencoded", "schema")
	reply := at(t, mute, "responses", "200", "content", "application/json", "schema")
	polled := at(t, doc, "paths", "/api/v1/events", "get", "responses", "200", "content", "application/json", "schema")
	for _, c := range []struct {
		what string
		got  any
		want string
	}{
		{"summary", at(t, mute, "summary"), `"Mutes a topic."`},
		{"description", at(t, mute, "description"), `"It is quiet.\n\nMore.\n\nWho may call: people who aren't guests."`},
		{"callers", at(t, mute, "x-callers"), `"member"`},
		{"as a command", at(t, mute, "x-codeSamples", "0", "source"), `"curl -u $EMAIL:$API_KEY \\\n  $SERVER/api/v1/streams/7 \\\n  -X PATCH \\\n  ` +
			`--data-urlencode topic=tides \\\n  --data-urlencode op=add"`},
		{
			"as a command, a query", at(t, doc, "paths", "/api/v1/events", "get", "x-codeSamples", "0", "source"),
			`"curl -u $EMAIL:$API_KEY \\\n  $SERVER/api/v1/events \\\n  -G \\\n  --data-urlencode queue_id=1.444RMFNNRSD5RX2DKNDNI45APU"`,
		},
		{
			"as a command, a webhook", at(t, doc, "paths", "/api/v1/external/hello", "post", "x-codeSamples", "0", "source"),
			`"curl \"$SERVER/api/v1/external/hello?api_key=$API_KEY\" \\\n  -H 'Content-Type: application/json' \\\n  -d @payload.json"`,
		},
		{"as a command, public", at(t, doc, "paths", "/api/v1/server_settings", "get", "x-codeSamples", "0", "source"), `"curl $SERVER/api/v1/server_settings"`},
		{"security", at(t, mute, "security"), `[{"basic":[]}]`},
		{"path parameter", at(t, mute, "parameters"), `[{"in":"path","name":"stream_id","required":true,"schema":{"type":"integer"}}]`},
		{"required", at(t, form, "required"), `["topic","op"]`},
		{"text", at(t, form, "properties", "topic"), `{"description":"Topic to mute; it need not exist.","examples":["tides"],"maxLength":60,"type":"string"}`},
		{"alias", at(t, form, "properties", "subject"), `{"deprecated":true,"description":"Older name of topic.","maxLength":60,"type":"string"}`},
		{"enum", at(t, form, "properties", "op"), `{"enum":["add","remove"],"type":"string"}`},
		{"enum of integers", at(t, form, "properties", "policy"), `{"default":1,"enum":[1,2],"type":"integer"}`},
		{"JSON string", at(t, form, "properties", "name"), `{"description":"Sent as JSON, with its quotes.","type":"string","format":"json-text","contentMediaType":"application/json",
			"contentSchema":{"maxLength":9,"type":"string"}}`},
		{"list of objects", at(t, form, "properties", "streams"), `{"type":"string","format":"json-text","contentMediaType":"application/json",
			"description":"JSON: ` + "`{ name: string; color?: string }[]`" + `\n- ` + "`name`" + `: Name of the stream.","contentSchema":{"default":[],"items":{
			"additionalProperties":false,"properties":{"color":{"pattern":"^#[a-fA-F0-9]{3,6}$","type":"string"},
			"name":{"description":"Name of the stream.","maxLength":60,"type":"string"}},"required":["name"],"type":"object"},"type":"array"}}`},
		{"either", at(t, form, "properties", "users"), `{"description":"JSON: ` + "`string[] | integer[]`" + `","type":"string","format":"json-text","contentMediaType":"application/json",
			"contentSchema":{"anyOf":[{"items":{"type":"string"},"type":"array"},{"items":{"type":"integer"},"type":"array"}]}}`},
		{"nnint", at(t, form, "properties", "before"), `{"maximum":4294967295,"minimum":0,"type":"integer"}`},
		{"boolean", at(t, form, "properties", "silent"), `{"default":false,"type":"boolean"}`},
		{"pair", at(t, form, "properties", "pair"), `{"description":"JSON: ` + "`string[]`" + `","type":"string","format":"json-text","contentMediaType":"application/json","contentSchema":{"items":{"type":"string"},"type":"array"}}`},
		{"reply's envelope", at(t, reply, "properties", "result"), `{"const":"success","type":"string"}`},
		{"reply's keys", at(t, reply, "required"), `["result","msg","id","small","items"]`},
		{"small number", at(t, reply, "properties", "small"), `{"type":"integer"}`},
		{"reply's comment", at(t, reply, "properties", "items", "items", "properties", "at", "description"), `"When it was."`},
		{"faults", at(t, mute, "responses", "400", "description"), `"A parameter is missing or wrong, or one of these:\n\n- Stream '…' does not exist (` + "`STREAM_DOES_NOT_EXIST`" + `)\n- Topic already muted"`},
		{
			"fault's example", at(t, mute, "responses", "400", "content", "application/json", "examples", "fault1"),
			`{"summary":"Stream '…' does not exist","value":{"code":"STREAM_DOES_NOT_EXIST","msg":"Stream '…' does not exist","result":"error","stream":"x"}}`,
		},
		{"other fault", at(t, mute, "responses", "403", "description"), `"- No"`},
		{"429", at(t, mute, "responses", "429"), `{"$ref":"#/components/responses/TooMany"}`},
		{"what can't be absent", at(t, polled, "required"), `["result","msg","queue_id","eager","since","lists"]`},
		{"named by its key", at(t, polled, "properties", "queue_id"), `{"description":"queue_id is the queue's.","type":"string"}`},
		{"below a pointer", at(t, polled, "properties", "lazy"), `{"description":"Lazy as ever.","items":{"type":"integer"},"type":"array"}`},
		{"null", at(t, polled, "properties", "eager"), `{"type":["null","integer"]}`},
		{"absent, not null", at(t, polled, "properties", "absent"), `{"type":"integer"}`},
		{"list or null", at(t, polled, "properties", "lists"), `{"items":{"type":"string"},"type":["null","array"]}`},
		{"time", at(t, polled, "properties", "since"), `{"format":"date-time","type":"string"}`},
		{"list of objects in a reply", at(t, reply, "properties", "items", "type"), `"array"`},
		{"a reply's object", at(t, reply, "additionalProperties"), `false`},
		{"nothing to say", at(t, polled, "properties", "msg"), `{"const":"","type":"string"}`},
		{"tags", at(t, doc, "tags"), `[{"name":"Incoming webhooks"},{"description":"What the samples are about.","name":"Openapi"}]`},
		{"servers", at(t, doc, "servers", "0", "url"), `"/"`},
		{"JSON in the query", at(t, doc, "paths", "/api/v1/events", "get", "parameters", "2"), `{"in":"query","name":"types","description":"JSON: ` + "`string[]`" + `",
			"schema":{"type":"string","format":"json-text","contentMediaType":"application/json","contentSchema":{"items":{"type":"string"},"type":"array"}}}`},
		{"example", at(t, doc, "paths", "/api/v1/events", "get", "parameters", "0", "schema", "examples"), `["1.444RMFNNRSD5RX2DKNDNI45APU"]`},
		{"public", at(t, doc, "paths", "/api/v1/server_settings", "get", "security"), `[]`},
		{"webhook's login", at(t, doc, "paths", "/api/v1/external/hello", "post", "security"), `[{"key":[]},{"basic":[]}]`},
		{"webhook's body", at(t, doc, "paths", "/api/v1/external/hello", "post", "requestBody", "content", "application/json", "schema", "required"), `["title"]`},
		{"webhook's query", at(t, doc, "paths", "/api/v1/external/hello", "post", "parameters"), `[{"in":"query","name":"stream","schema":{"examples":["general"],"type":"string"}}]`},
	} {
		want := any(nil)
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if diff := cmp.Diff(want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}

func TestUndocumented(t *testing.T) {
	t.Parallel()
	got := Undocumented(sample()[:1], nil, prose())
	if len(got) != 16 || slices.ContainsFunc(got, func(s string) bool { return strings.HasSuffix(s, ".Topic") }) ||
		!slices.Contains(got, "chatserver.dev/hack/openapi.sampleMute: main.sampleParams.Op") || !slices.Contains(got, "main.sampleItem.Name") {
		t.Errorf("%q", got)
	}
	if got := Undocumented(sample()[1:2], nil, Comments{}); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// TestCommentsForReaders shows the handling of comments that are meant for readers of the source.
func TestCommentsForReaders(t *testing.T) {
	t.Parallel()
	c := Comments{"a/pipes": "Package pipes is where\nwater runs. More.", "a/odd": "Package odd knows.", "a/pipes.Open": "Open opens a pipe (rest-api.md, section 2)."}
	if got := c.Package("a/pipes"); got != "Where water runs." {
		t.Errorf("package: %q", got)
	}
	if got := c.Package("a/odd") + c.Package("a/none"); got != "" {
		t.Errorf("no such words: %q", got)
	}
	if got, _ := c.Maker("a/pipes.Open"); got != "Opens a pipe." {
		t.Errorf("function: %q", got)
	}
}

func TestReadComments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file("topics/mute.go", `package topics

type muteParams struct {
	// Topic to
	// mute.
	Topic string
	Op, Other string // what to do
	Bare int
}

// Mute mutes.
//
// More.
func Mute() {}

// Method isn't a maker.
func (muteParams) Method() {}
`)
	file("topics/mute_test.go", "package topics\n\n// Test isn't read.\nfunc Test() {}\n")
	file("root.go", "// Package root is the top.\npackage root\n\n// Root is at the top.\nfunc Root() {}\n")
	file("testdata/x.go", "broken")
	got, err := ReadComments([]Source{{Module: "example.test/api", Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	want := Comments{
		"example.test/api":                         "Package root is the top.\n",
		"example.test/api/topics.muteParams.Topic": "Topic to\nmute.",
		"example.test/api/topics.muteParams.Op":    "what to do",
		"example.test/api/topics.muteParams.Other": "what to do",
		"example.test/api/topics.Mute":             "Mute mutes.\n\nMore.",
		"example.test/api.Root":                    "Root is at the top.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	file("bad/bad.go", "broken")
	if _, err := ReadComments([]Source{{Module: "example.test/api", Dir: dir}}); err == nil {
		t.Error("broken source was read")
	}
}

// Everything in the product's document has a description.
func TestProductIsDocumented(t *testing.T) {
	t.Parallel()
	comments, err := ReadComments(sources("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if missing := Undocumented(endpoints(), raw(), comments); len(missing) > 0 {
		t.Errorf("no comments:\n%s", strings.Join(missing, "\n"))
	}
	text, err := Generate(endpoints(), raw(), occurring(), comments)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{"nil": true}
	for name := range comments {
		if name = name[strings.LastIndexByte(name, '.')+1:]; severalWords.MatchString(name) {
			names[name] = true
		}
	}
	for line := range strings.Lines(string(text)) {
		_, description, _ := strings.Cut(line, `"description": `)
		for word := range strings.FieldsFuncSeq(description, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if names[word] {
				t.Errorf("%s is a name of the source: %s", word, description)
			}
		}
	}
}
