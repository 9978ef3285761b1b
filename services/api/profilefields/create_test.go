package profilefields_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const choices = `{"1":{"order":"2","text":"<Tea>"},"0":{"text":"Ä","order":"1"}}`
	room := w.create(" Room ", 1, `{"ignored": 1}`)
	drink := w.create("Drink", 3, choices)
	git := w.create("ignored", 7, `{"subtype": "github"}`)
	own := w.create("Forum", 7, `{"subtype": "custom", "url_pattern": "https://forum.example/%(username)s"}`)
	fields := []string{
		field(room, "Room", 1, "", "", 1),
		field(drink, "Drink", 3, "", `{"0":{"order":"1","text":"Ä"},"1":{"order":"2","text":"<Tea>"}}`, 2),
		field(git, "GitHub username", 7, "Without the address in front of it", `{"subtype":"github"}`, 3),
		field(own, "Forum", 7, "", `{"subtype":"custom","url_pattern":"https://forum.example/%(username)s"}`, 4),
	}
	servicetest.Same(t, "events", []string{event("add", fields[:1]...), event("add", fields[:2]...), event("add", fields[:3]...), event("add", fields...)}, w.watch.Events())
}

func TestCreateRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("Room", 1, "")
	w.create("ignored", 7, `{"subtype": "github"}`)
	w.create("Te\u0301le\u0301phone", 1, "")
	w.watch.Events()
	for _, d := range append(drafts(),
		wrong{params{"name": "x", "field_type": 0}, bad, "Invalid field type."},
		wrong{params{"name": "x", "field_type": 8}, bad, "Invalid field type."},
		wrong{params{"name": "x", "field_type": 65537}, bad, "Invalid field type."},
		wrong{params{"name": "\u200b", "field_type": 8}, bad, "Label cannot be blank."},
		wrong{params{"name": "", "field_type": 8}, bad, "Label cannot be blank."},
		wrong{params{"name": "x", "field_type": 7, "field_data": `{"subtype": "github"}`}, "", "A field with that label already exists."},
		wrong{params{"name": "t\u00e9l\u00e9phone", "field_type": 1}, "", "A field with that label already exists."},
		wrong{params{"name": "x"}, "REQUEST_VARIABLE_MISSING", "Missing 'field_type' argument"},
	) {
		w.ann.Do(http.MethodPost, path, d.params).Fails(http.StatusBadRequest, d.code, d.msg)
	}
	w.mia.Do(http.MethodPost, path, params{"name": "x", "field_type": 1}).
		Fails(http.StatusBadRequest, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	servicetest.Same(t, "events of what was refused", []string{}, w.watch.Events())
	for i := range 17 {
		w.create(fmt.Sprintf("field %d", i), 1, "")
	}
	one := params{"name": "one more", "field_type": 1}
	w.ann.Do(http.MethodPost, path, one).Fails(http.StatusBadRequest, bad, "There are too many profile fields: the limit is 20.")
}
