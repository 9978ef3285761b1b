package widget_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/widget"
)

func TestFromText(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"/poll":                                `{"widget_type":"poll","extra_data":{"question":"","options":[]}}`,
		"/poll Tea?":                           `{"widget_type":"poll","extra_data":{"question":"Tea?","options":[]}}`,
		"/poll  Tea <?> \n- yes\n*no":          `{"widget_type":"poll","extra_data":{"question":"Tea <?>","options":["yes","no"]}}`,
		"/poll Tea?\n\n  -  a - b \n-\n maybe": `{"widget_type":"poll","extra_data":{"question":"Tea?","options":["a - b","maybe"]}}`,
		"/poll \n- first\nsecond":              `{"widget_type":"poll","extra_data":{"question":"- first","options":["second"]}}`,
		"/todo":                                `{"widget_type":"todo","extra_data":null}`,
		"/todo today\n* a":                     `{"widget_type":"todo","extra_data":null}`,
		"/tictactoe ":                          `{"widget_type":"tictactoe","extra_data":null}`,
		"/polls":                               "",
		"/poll\nTea?":                          "",
		" /poll":                               "",
		"poll":                                 "",
		"/me polls":                            "",
		"":                                     "",
	} {
		if got, err := widget.FromText(content); got != want || err != nil {
			t.Errorf("%q: %s, %v", content, got, err)
		}
	}
}

func TestFromParameter(t *testing.T) {
	t.Parallel()
	const form = `{"widget_type":"zform","extra_data":{"choices":[{"long_name":"Yes","more":1.5,"reply":"<yes>","short_name":"y"}],"heading":"Tea?","type":"choices"}}`
	if got, err := widget.FromParameter(" " + form); got != form || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	for text, want := range map[string]string{
		"":                                       "API programmer sent invalid JSON content",
		"{":                                      "API programmer sent invalid JSON content",
		"{}x":                                    "API programmer sent invalid JSON content",
		"[]":                                     "widget_content is not a dict",
		"{}":                                     "widget_type is not in widget_content",
		`{"widget_type":"zform"}`:                "extra_data is not in widget_content",
		`{"widget_type":"zform","extra_data":4}`: "extra_data is not a dict",
		`{"widget_type":"bogus","extra_data":{}}`:                                                           "unknown widget type: bogus",
		`{"widget_type":4,"extra_data":{}}`:                                                                 "widget_type is not a string",
		`{"widget_type":"zform","extra_data":{}}`:                                                           "zform is missing type field",
		`{"widget_type":"zform","extra_data":{"type":"bogus"}}`:                                             "unknown zform type: bogus",
		`{"widget_type":"zform","extra_data":{"type":"choices"}}`:                                           "heading key is missing from extra_data",
		`{"widget_type":"zform","extra_data":{"type":"choices","heading":4}}`:                               `extra_data["heading"] is not a string`,
		`{"widget_type":"zform","extra_data":{"type":"choices","heading":""}}`:                              "choices key is missing from extra_data",
		`{"widget_type":"zform","extra_data":{"type":"choices","heading":"","choices":4}}`:                  `extra_data["choices"] is not a list`,
		`{"widget_type":"zform","extra_data":{"type":"choices","heading":"","choices":[4]}}`:                `extra_data["choices"][0] is not a dict`,
		`{"widget_type":"zform","extra_data":{"type":"choices","heading":"","choices":[{}]}}`:               `short_name key is missing from extra_data["choices"][0]`,
		`{"widget_type":"zform","extra_data":{"type":"choices","heading":"","choices":[{"short_name":4}]}}`: `extra_data["choices"][0]["short_name"] is not a string`,
		`"` + strings.Repeat("x", widget.MaxContent) + `"`:                                                  "widget_content is too long (limit: 10000 bytes)",
	} {
		_, err := widget.FromParameter(text)
		if f := fault.Of(err); f == nil || f.Msg != "Widgets: "+want || f.Code != fault.CodeBadRequest {
			t.Errorf("%.90s: %v, want %s", text, err, want)
		}
	}
}

// For any message, the submessage is JSON.
func FuzzFromText(f *testing.F) {
	f.Add("/poll a\n- \"b\"\n\x00")
	f.Fuzz(func(t *testing.T, content string) {
		for _, text := range []string{content, "/poll " + content} {
			got, err := widget.FromText(text)
			if err != nil || got != "" && !json.Valid([]byte(got)) {
				t.Errorf("%q: %s, %v", text, got, err)
			}
		}
	})
}
