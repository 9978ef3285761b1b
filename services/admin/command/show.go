package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"chatserver.dev/pkg/adminapi"
)

// show prints an answer.
func show(out io.Writer, answer any, asJSON bool) error {
	text, err := json.MarshalIndent(answer, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	if asJSON {
		_, err := fmt.Fprintf(out, "%s\n", text)
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	switch answer := answer.(type) {
	case adminapi.Status:
		showStatus(table, answer)
		return table.Flush()
	case adminapi.Health:
		fmt.Fprintf(table, "database\t%s\ncache\t%s\n", cmp.Or(answer.Database, "works"), cmp.Or(answer.Cache, "works"))
		return table.Flush()
	}
	names, members, err := ordered(text)
	if err != nil {
		return err
	}
	if _, ok := members["state"]; ok {
		fmt.Fprintln(table, outcome(members))
		names = []string{"state", "secret"}
	}
	for _, name := range names {
		line(table, name, members[name])
	}
	return table.Flush()
}

// outcome says what became of an ensuring.
func outcome(members map[string]json.RawMessage) string {
	changed := []string{}
	_ = json.Unmarshal(members["changed"], &changed) // it is a list of names
	switch {
	case string(members["created"]) == "true":
		return "created"
	case len(changed) > 0:
		return "changed: " + strings.Join(changed, ", ")
	default:
		return "unchanged"
	}
}

// line prints a member; an object's members each.
func line(table io.Writer, name string, value json.RawMessage) {
	names, members, err := ordered(value)
	switch {
	case len(value) == 0:
	case err == nil && name != "settings":
		for _, inner := range names {
			line(table, inner, members[inner])
		}
	default:
		text := strings.Join(strings.Fields(string(value)), " ")
		plain := ""
		if json.Unmarshal(value, &plain) == nil {
			text = plain
		}
		fmt.Fprintf(table, "  %s\t%s\n", name, text)
	}
}

// ordered returns the names of an object's members in their order, and the members.
func ordered(text []byte) (names []string, members map[string]json.RawMessage, err error) {
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return nil, nil, fmt.Errorf("it is no object: %w", err)
	}
	for name := range members {
		names = append(names, name)
	}
	at := func(name string) int { return bytes.Index(text, []byte("\n"+indent(text)+`"`+name+`":`)) }
	slices.SortFunc(names, func(a, b string) int { return at(a) - at(b) })
	return names, members, nil
}

// indent is what is before an indented object's members.
func indent(text []byte) string {
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	return string(rest[:len(rest)-len(bytes.TrimLeft(rest, " "))])
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
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%d\t%d\t%d\n", o.ID, dash(o.Key), dash(o.Subdomain), state, o.People, o.Bots, o.Streams)
	}
}

// dash stands for nothing in a table.
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
