package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"
	"time"

	"chatserver.dev/pkg/adminapi"
)

// show prints a response.
func show(out io.Writer, response any, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(response)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	switch response := response.(type) {
	case adminapi.Status:
		showStatus(table, response)
	case adminapi.Health:
		fmt.Fprintf(table, "database\t%s\ncache\t%s\n", cmp.Or(response.Database, "works"), cmp.Or(response.Cache, "works"))
	default:
		value := reflect.ValueOf(response)
		if state := value.FieldByName("State"); state.IsValid() {
			fmt.Fprintln(table, outcome(value))
			showFields(table, state)
			value = value.FieldByName("Secret")
		}
		showFields(table, value)
	}
	return table.Flush()
}

// outcome describes the result of a PUT.
func outcome(ensured reflect.Value) string {
	changed, _ := ensured.FieldByName("Changed").Interface().([]string)
	switch {
	case ensured.FieldByName("Created").Bool():
		return "created"
	case len(changed) > 0:
		return "changed: " + strings.Join(changed, ", ")
	default:
		return "unchanged"
	}
}

// showFields prints each field of a document, and the fields of documents in it. Strings are printed without quotes,
// other values as JSON.
func showFields(table io.Writer, document reflect.Value) {
	document = reflect.Indirect(document)
	if !document.IsValid() { // no secret
		return
	}
	for _, field := range reflect.VisibleFields(document.Type()) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		value := document.FieldByIndex(field.Index)
		switch {
		case name == "" || options == "omitempty" && value.IsZero():
		case value.Kind() == reflect.Struct && value.Type() != reflect.TypeFor[time.Time]():
			showFields(table, value)
		default:
			text, err := json.Marshal(value.Interface())
			plain := cmp.Or(string(text), fmt.Sprint(err))
			_ = json.Unmarshal(text, &plain) // only strings can be decoded: others stay JSON
			fmt.Fprintf(table, "  %s\t%s\n", name, plain)
		}
	}
}

func showStatus(table io.Writer, s adminapi.Status) {
	fmt.Fprintf(table, "version %s, schema %d (required: %d; works with releases from %s)\n", s.Version, s.Schema.Has, s.Schema.Needs, s.Schema.MinServerVersion)
	if len(s.Organizations) == 0 {
		return
	}
	fmt.Fprintln(table, "ID\tKEY\tSUBDOMAIN\tSTATE\tPEOPLE\tBOTS\tSTREAMS")
	for _, o := range s.Organizations {
		state := "active"
		switch {
		case o.Deleting:
			state = "deleting"
		case o.Suspended:
			state = "suspended"
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%d\t%d\t%d\n", o.ID, cmp.Or(o.Key, "-"), cmp.Or(o.Subdomain, "-"), state, o.People, o.Bots, o.Streams)
	}
}
