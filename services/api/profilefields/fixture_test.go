package profilefields_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

const (
	bad  = "BAD_REQUEST"
	path = "/realm/profile_fields"
)

// world is a server with an administrator and others.
type world struct {
	*servicetest.World
	db            *storetest.Session
	ann, mia, gus servicetest.Account // an administrator, a member and a guest
	watch         *servicetest.Watch  // of the guest
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: servicetest.New(t)}
	w.db = storetest.Connect(t, w.DatabaseURL)
	w.ann, w.mia, w.gus = w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member), w.Person("Gus", actor.Guest)
	w.watch = w.gus.Watch("custom_profile_fields")
	return w
}

// create creates a field and returns its id.
func (w *world) create(name string, kind int, data string) int64 {
	w.T.Helper()
	p := params{"name": name, "field_type": kind}
	if data != "" {
		p["field_data"] = data
	}
	made := struct{ ID int64 }{}
	w.ann.Do(http.MethodPost, path, p).OK().Decode(&made)
	return made.ID
}

// list returns the list of fields for an account, as JSON.
func (w *world) list(as servicetest.Account) string {
	w.T.Helper()
	_, list, _ := strings.Cut(as.Do(http.MethodGet, path, nil).OK().Body, `"custom_fields":`)
	return strings.TrimSuffix(list, "}\n")
}

// field returns a field in the form of the interface.
func field(number int64, name string, kind int, hint, data string, order int) string {
	return fmt.Sprintf(`{"id":%d,"name":%q,"type":%d,"hint":%q,"field_data":%q,"order":%d}`, number, name, kind, hint, data, order)
}

func event(op string, fields ...string) string {
	return fmt.Sprintf(`{"type":"custom_profile_fields","op":"%s","fields":[%s]}`, op, strings.Join(fields, ","))
}

func at(number int64) string { return fmt.Sprintf("%s/%d", path, number) }

// wrong is a draft with its error.
type wrong struct {
	params    params
	code, msg string
}

// drafts returns invalid drafts, both for new fields and for changes of a field of the same type. There is a field
// "Room".
func drafts() []wrong {
	choice := func(data string) params { return params{"name": "x", "field_type": 3, "field_data": data} }
	account := func(data string) params { return params{"name": "x", "field_type": 7, "field_data": data} }
	text := func(name, hint string) params { return params{"name": name, "hint": hint, "field_type": 1} }
	return []wrong{
		{text("", "x"), bad, "Label cannot be blank."},
		{text("  ", strings.Repeat("x", 81)), bad, "Label cannot be blank."},
		{text(strings.Repeat("x", 41), strings.Repeat("ä", 81)), bad, "hint is too long (limit: 80 characters)"},
		{text(strings.Repeat("ä", 41), strings.Repeat("ä", 80)), bad, "name is too long (limit: 40 characters)"},
		{text(" rOOM ", ""), "", "A field with that label already exists."},
		{choice(`{}`), bad, "Field must have at least one choice."},
		{choice(`{" ": {"text": "a", "order": "1"}}`), bad, "'value' cannot be blank."},
		{choice(`{"0": "a"}`), bad, "field_data is not a dict"},
		{choice(`{"0": {"order": "1"}}`), bad, "text key is missing from field_data"},
		{choice(`{"0": {"text": "a", "order": 1}}`), bad, `field_data["order"] is not a string`},
		{choice(`{"0": {"text": " ", "order": "1"}}`), bad, `field_data["text"] cannot be blank.`},
		{choice(`{"0": {"text": "a", "order": "1", "b": 1, "a": 2}}`), bad, "Unexpected arguments: a, b"},
		{choice(`{"0": {"text": "` + strings.Repeat("x", 16<<10) + `", "order": "1"}}`), bad, "field_data is too long: it has 16414 bytes, the limit is 16384"},
		{choice(`[]`), bad, "field_data is not a dict"},
		{account(`{}`), bad, "subtype key is missing from field_data"},
		{account(`{"subtype": 4}`), bad, `field_data["subtype"] is not a string`},
		{account(`{"subtype": "x"}`), bad, "Invalid external account type"},
		{account(`{"subtype": "custom", "more": 1}`), bad, "Unexpected arguments: more"},
		{account(`{"subtype": "custom"}`), bad, "Custom external account must define url pattern"},
		{account(`{"subtype": "custom", "url_pattern": 4}`), bad, `field_data["url_pattern"] is not a string`},
		{account(`{"subtype": "custom", "url_pattern": "https://example.com/"}`), bad, "Malformed URL pattern."},
		{account(`{"subtype": "custom", "url_pattern": "https://example.com/%(username)s%(username)s"}`), bad, "Malformed URL pattern."},
		{account(`{"subtype": "custom", "url_pattern": "javascript:%(username)s"}`), bad, "url_pattern is not a URL"},
		{account(`{"subtype": "custom", "url_pattern": "https:///%(username)s"}`), bad, "url_pattern is not a URL"},
	}
}
