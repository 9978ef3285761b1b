package endpoint_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"chatserver.dev/pkg/endpoint"
)

type even int

func (e *even) ParseParam(raw string) error {
	if raw == "2" {
		*e = 2
		return nil
	}
	return errors.New("odd")
}

type closed struct {
	Name        string  `json:"name"`
	Description *string `json:"description" max:"5 characters"`
	Color       *string `json:"color" check:"color"`
}

type nullable struct {
	Value *string `json:"value" absent:"refused"`
}

// everything has a parameter for each text.
type everything struct {
	Raw       *string                           `param:"raw" max:"3 characters"`
	JSON      *endpoint.JSONString              `param:"json" max:"3 characters"`
	Int       *int                              `param:"int"`
	Small     *int8                             `param:"small"`
	Bool      *bool                             `param:"bool"`
	Float     *float64                          `param:"float"`
	Op        *string                           `param:"op" enum:"add,remove"`
	Policy    *int                              `param:"policy" enum:"1,2,3"`
	Pair      *[]string                         `param:"pair"`
	IDs       *[]int                            `param:"ids"`
	Dict      *map[string]string                `param:"dict"`
	Subs      *[]closed                         `param:"subs"`
	Either    *endpoint.Either[[]string, []int] `param:"either"`
	StrOrInt  *endpoint.Either[string, int]     `param:"str_or_int"`
	StrOrInts *endpoint.Either[string, []int]   `param:"str_or_ints"`
	Color     *string                           `param:"color" check:"color"`
	Text      *string                           `param:"text" check:"text"`
	NN        *endpoint.NNInt                   `param:"nn"`
	Even      *even                             `param:"even"`
	Evens     *[]even                           `param:"evens"`
	Any       *any                              `param:"any"`
	JSONRaw   *json.RawMessage                  `param:"json_raw"`
	Nul       *string                           `param:"nul" nul:"passed"`
	Nulls     *nullable                         `param:"nulls"`
}

func TestValidationMessages(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, value, msg string }{
		{"json", `Acme`, `json is too long (limit: 3 characters; sent: 4)`},
		{"json", ` "Acme`, `Argument "json" is not valid JSON.`},
		{"json", `"a" "b"`, `Argument "json" is not valid JSON.`},
		{"bool", `True`, `Argument "bool" is not valid JSON.`},
		{"bool", ``, `Argument "bool" is not valid JSON.`},
		{"int", ``, `Argument "int" is not valid JSON.`},
		{"int", `05`, `Argument "int" is not valid JSON.`},
		{"ids", `[1`, `Argument "ids" is not valid JSON.`},
		{"json", `null`, `json is not a string`},
		{"pair", `["a",5]`, `pair[1] is not a string`},
		{"subs", `[{"name":5}]`, `subs[0]["name"] is not a string`},
		{"int", `"5"`, `int is not an integer`},
		{"int", `5.0`, `int is not an integer`},
		{"int", `true`, `int is not an integer`},
		{"int", `9223372036854775808`, `int is not an integer`},
		{"small", `128`, `small is not an integer`},
		{"ids", `[1,"x"]`, `ids[1] is not an integer`},
		{"bool", `1`, `bool is not a boolean`},
		{"bool", `"true"`, `bool is not a boolean`},
		{"float", `"x"`, `float is not a float`},
		{"op", `mute`, `Invalid op`},
		{"policy", `4`, `Invalid policy`},
		{"json", `"abcd"`, `json is too long (limit: 3 characters)`},
		{"raw", `äöüß`, `raw is too long (limit: 3 characters; sent: 4)`},
		{"subs", `[{"name":"a","description":"123456"}]`, `subs[0]["description"] is too long (limit: 5 characters)`},
		{"ids", `{}`, `ids is not a list`},
		{"ids", `"x"`, `ids is not a list`},
		{"dict", `[]`, `dict is not a dict`},
		{"subs", `["x"]`, `subs[0] is not a dict`},
		{"subs", `[{"description":"x"}]`, `name key is missing from subs[0]`},
		{"nulls", `{}`, `value key is missing from nulls`},
		{"nulls", `{"value":1}`, `nulls["value"] is not a string`},
		{"subs", `[{"name":"a","z":1,"b":2}]`, `Unexpected arguments: b, z`},
		{"dict", `{"a":"x","b":1}`, `dict contains a value that is not a string`},
		{"either", `["a",1]`, `either is not an allowed_type`},
		{"str_or_int", `[]`, `str_or_int is not a string or integer`},
		{"str_or_ints", `["a"]`, `str_or_ints is not a string or an integer list`},
		{"color", `red`, `color is not a valid hex color code`},
		{"subs", `[{"name":"a","color":"#12"}]`, `subs[0]["color"] is not a valid hex color code`},
		{"text", " \n", `text cannot be blank.`},
		{"raw", "a\x00", `raw contains NULL (0x00) characters`},
		{"raw", "\xff", `raw is not valid UTF-8`},
		{"nul", "\xff", `nul is not valid UTF-8`},
		{"json", `"\u0000"`, `json contains NULL (0x00) characters`},
		{"json", "\x00", `json contains NULL (0x00) characters`},
		{"json", "\xff", `json is not valid UTF-8`},
		{"json", "\"\x00\"", `json contains NULL (0x00) characters`},
		{"dict", `{"\u0000":"x"}`, `dict contains NULL (0x00) characters`},
		{"any", `{"a":["\u0000"]}`, `any["a"][0] contains NULL (0x00) characters`},
		{"json_raw", `["\u0000"]`, `json_raw[0] contains NULL (0x00) characters`},
		{"str_or_int", `"\u0000"`, `str_or_int contains NULL (0x00) characters`},
		{"subs", `[{"name":"\u0000"}]`, `subs[0]["name"] contains NULL (0x00) characters`},
		{"nn", "\x00", `nn contains NULL (0x00) characters`},
		{"even", "\x00", `even contains NULL (0x00) characters`},
		{"client", "\x00", `client contains NULL (0x00) characters`},
	}
	s := serve(t, echo[everything]("POST /x"))
	for _, c := range cases {
		t.Run(c.name+"="+c.value, func(t *testing.T) {
			t.Parallel()
			w := s.do(request(t, http.MethodPost, "/api/v1/x", url.Values{c.name: {c.value}}.Encode()))
			want(t, w, http.StatusBadRequest, badRequest(c.msg))
		})
	}
}

func TestBadValues(t *testing.T) {
	t.Parallel()
	s := serve(t, echo[everything]("POST /x"))
	for _, c := range []struct{ name, value, at string }{
		{"nn", "-1", "nn"},
		{"nn", "4294967296", "nn"},
		{"nn", "x", "nn"},
		{"nn", "", "nn"},
		{"even", "3", "even"},
		{"evens", "[2,3]", "evens[1]"},
	} {
		bad := c.value
		if c.name == "evens" {
			bad = "3"
		}
		w := s.do(request(t, http.MethodPost, "/api/v1/x", url.Values{c.name: {c.value}}.Encode()))
		want(t, w, http.StatusBadRequest, `{"result":"error","code":"REQUEST_VARIABLE_INVALID",
			"msg":"Bad value for '`+c.at+`': `+bad+`","var_name":"`+c.at+`","bad_value":"`+bad+`"}`)
	}
}

func TestBadEncoding(t *testing.T) {
	t.Parallel()
	s := serve(t, echo[everything]("POST /x"))
	w := s.do(request(t, http.MethodPost, "/api/v1/x", "raw=%zz"))
	want(t, w, http.StatusBadRequest, badRequest("raw is not properly percent-encoded"))
}

func TestGoodValues(t *testing.T) {
	t.Parallel()
	s := serve(t, echo[everything]("POST /x"))
	for _, c := range []struct{ name, value, field, json string }{
		{"raw", `ä"b`, "Raw", `"ä\"b"`},
		{"raw", ``, "Raw", `""`},
		{"raw", `a;b`, "Raw", `"a;b"`},
		{"json", `"äöü"`, "JSON", `"äöü"`},
		{"json", ` "a" `, "JSON", `"a"`},
		{"json", `äöü`, "JSON", `"äöü"`},
		{"json", ` a"`, "JSON", `" a\""`},
		{"json", `5`, "JSON", `"5"`},
		{"json", ``, "JSON", `""`},
		{"int", `-5`, "Int", `-5`},
		{"int", ` 5 `, "Int", `5`},
		{"bool", `true`, "Bool", `true`},
		{"bool", ` false`, "Bool", `false`},
		{"float", `1`, "Float", `1`},
		{"op", `add`, "Op", `"add"`},
		{"policy", `3`, "Policy", `3`},
		{"pair", `["a","b"]`, "Pair", `["a","b"]`},
		{"ids", `[]`, "IDs", `[]`},
		{"ids", `null`, "IDs", `null`},
		{"dict", `{"a":"b"}`, "Dict", `{"a":"b"}`},
		{"subs", `[{"name":"a","color":"#abcdef"}]`, "Subs", `[{"name":"a","description":null,"color":"#abcdef"}]`},
		{"subs", `[{"name":"a","description":null}]`, "Subs", `[{"name":"a","description":null,"color":null}]`},
		{"either", `["a"]`, "Either", `{"First":["a"],"Second":null}`},
		{"either", `[1]`, "Either", `{"First":null,"Second":[1]}`},
		{"str_or_int", `"a"`, "StrOrInt", `{"First":"a","Second":null}`},
		{"color", `#123`, "Color", `"#123"`},
		{"nn", `4294967295`, "NN", `4294967295`},
		{"even", `2`, "Even", `2`},
		{"evens", `[2,2]`, "Evens", `[2,2]`},
		{"any", `{"a":[1,"x"]}`, "Any", `{"a":[1,"x"]}`},
		{"json_raw", `{"a":[1,"x"]}`, "JSONRaw", `{"a":[1,"x"]}`},
		{"nul", "\x00", "Nul", `"\u0000"`},
	} {
		body := strings.ReplaceAll(url.Values{c.name: {c.value}}.Encode(), "%3B", ";")
		w := s.do(request(t, http.MethodPost, "/api/v1/x", body))
		got := struct {
			In map[string]json.RawMessage `json:"in"`
		}{}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || string(got.In[c.field]) != c.json {
			t.Errorf("%s=%s: %s, want %s", c.name, c.value, w.Body, c.json)
		}
	}
}
