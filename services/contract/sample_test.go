package contract_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
)

// there has the numbers of existing objects for requests.
type there struct {
	user    id.User
	stream  id.Stream
	message id.Message
	// hints are valid texts for parameters whose declaration isn't enough, by the parameter's name: the first for the
	// first attempt, and so on. A parameter without a hint is tried, too, but its handler gets otherwise valid requests
	// less often.
	hints map[string][]string
}

// hinted returns h with the hints for a caller, who has an event queue.
func (h there) hinted(queue string) there {
	h.hints = map[string][]string{
		"type": {"stream", "private"}, "to": {"hall", "[" + h.user.String() + "]"}, "topic": {"x"}, "topic_name": {"x"},
		"stream": {"hall"}, "queue_id": {queue}, "last_event_id": {"-1"}, "dont_block": {"true"}, "local_id": {"1.0"},
		"narrow": {`[{"operator":"stream","operand":"hall"}]`, `[["stream","hall"]]`}, "anchor": {"newest"}, "num_before": {"2"}, "num_after": {"2"},
		"messages": {"[" + written(h.message, true) + "]"}, "msg_ids": {"[" + written(h.message, true) + "]"},
		"op": {"add", "remove", "start"}, "flag": {"starred", "read"}, "emoji_name": {"wave"}, "content": {"hello"}, "status": {"active"},
		"propagate_mode": {"change_all"}, "email": {"nobody@chat.example"}, "password": {"correct horse battery"}, "full_name": {"Nobody"}, "role": {"400"}, "username": {"nobody@chat.example"}, "invitee_emails": {"nobody@chat.example"}, "invite_as": {"400"}, "stream_ids": {"[" + written(h.stream, true) + "]"},
	}
	return h
}

// sample returns a JSON value that fits a parameter's type; it need not make sense.
func (h there) sample(t reflect.Type) any {
	switch t {
	case reflect.TypeFor[id.User]():
		return h.user
	case reflect.TypeFor[id.Stream]():
		return h.stream
	case reflect.TypeFor[id.Message]():
		return h.message
	}
	if first, _, ok := endpoint.Alternatives(t); ok {
		return h.sample(first)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return h.sample(t.Elem())
	case reflect.Bool:
		return true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64:
		return 1
	case reflect.Slice, reflect.Array:
		return []any{h.sample(t.Elem())}
	case reflect.Map:
		return map[string]any{"1": h.sample(t.Elem())}
	case reflect.Struct:
		object := map[string]any{}
		for _, f := range reflect.VisibleFields(t) {
			if key := member(f); key != "" {
				object[key] = h.sample(f.Type)
				if text, ok := checked(f.Tag.Get("check"), strings.Split(f.Tag.Get("enum"), ",")); ok {
					object[key] = text
				}
			}
		}
		return object
	default:
		return "x"
	}
}

// checked returns a text that satisfies a rule in a field's tags, or false if there is no rule.
func checked(check string, enum []string) (string, bool) {
	switch check {
	case "color":
		return "#abc", true
	case "date":
		return "2026-03-01", true
	case "url":
		return "https://tides.example/", true
	}
	return enum[0], enum[0] != ""
}

// member returns the name of a struct's field in JSON, or an empty text if it has none.
func member(f reflect.StructField) string {
	if f.Anonymous || !f.IsExported() {
		return ""
	}
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key
}

// text returns a text that matches a parameter's declaration. attempt selects the hint.
func (h there) text(p endpoint.Param, attempt int) string {
	if hints := h.hints[p.Name]; len(hints) > 0 && p.In == endpoint.InForm {
		return hints[min(attempt, len(hints)-1)]
	}
	if text, ok := checked(p.Check, append(p.Enum, "")); ok {
		return text
	}
	return written(h.sample(p.Type), p.Encoded)
}

// written returns a value as a parameter's text: JSON, or the bare text of a string.
func written(value any, encoded bool) string {
	if text, ok := value.(string); ok && !encoded {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // the values are our own
	}
	return string(text)
}

const huge = 100_000

// texts returns texts that are invalid or unusual for any parameter.
func texts() []string {
	long := strings.Repeat("x", huge)
	return []string{
		"", " ", "text", "12", "0", "-1", "1.5", "1e400", "-9223372036854775809", "4294967296", "2147483648", "9223372036854775807",
		"99999999999999999999", "true", "null", "NaN", `"quoted"`, `""`, "[]", "{}", `[1,"a",null,{},[]]`, `{"a":{"b":[1]}}`, "[[]]", "[null]", "[{}]",
		"[-1]", "[0]", "[9223372036854775807]", "[1e30]", `["x"]`, `[["stream"]]`, `[["x","y"]]`, `[{"operator":"x","operand":"y"}]`,
		strings.Repeat("[", huge), strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000), strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000),
		long, `"` + long + `"`, `["` + long + `"]`, `{"` + long + `":1}`, "[" + strings.Repeat("1,", huge/2) + "1]",
		"\x00", "a\x00b", `"a\u0000b"`, `["a\u0000b"]`, `{"a\u0000b":"a\u0000b"}`, "\xff\xfe", "\"\xff\"", "[\"\xff\"]", `"\ud800"`, `["\ud800"]`,
		"\u202e\u0301", "%", "%00", "'; drop table users; --", "../../etc/passwd",
	}
}

// values returns replacements for members of objects and items of lists.
func values() []any {
	return []any{
		nil, true, 0, -1, 12, 1.5, 1e30, int64(1) << 31, int64(math.MaxInt64), "", " ", "text", "12", "a\x00b", strings.Repeat("x", huge),
		[]any{},
		[]any{nil},
		[]any{"x"},
		map[string]any{},
		map[string]any{"a": 1},
	}
}

// spoilt returns JSON values of the type in which one part, at any depth, is invalid.
func (h there) spoilt(t reflect.Type) []any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if first, second, ok := endpoint.Alternatives(t); ok {
		return append(h.spoilt(first), h.spoilt(second)...)
	}
	list := []any{}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		for _, item := range append(h.spoilt(t.Elem()), values()...) {
			list = append(list, []any{item})
		}
		list = append(list, []any{h.sample(t.Elem()), nil})
	case reflect.Map:
		for _, item := range append(h.spoilt(t.Elem()), values()...) {
			list = append(list, map[string]any{"1": item}, map[string]any{"": item})
		}
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			key := member(f)
			if key == "" {
				continue
			}
			for _, item := range append(h.spoilt(f.Type), values()...) {
				list = append(list, h.with(t, key, item))
			}
			list = append(list, h.without(t, key))
		}
		if len(list) > 0 {
			list = append(list, h.with(t, "unknown", 1))
		}
	default: // has no parts
	}
	return list
}

func (h there) with(t reflect.Type, key string, item any) any {
	object, ok := h.sample(t).(map[string]any)
	if !ok {
		return item
	}
	object[key] = item
	return object
}

func (h there) without(t reflect.Type, key string) any {
	object, ok := h.sample(t).(map[string]any)
	if ok {
		delete(object, key)
	}
	return object
}
