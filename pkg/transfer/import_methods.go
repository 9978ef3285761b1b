package transfer

import (
	"encoding/json"
	"maps"
	"slices"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/org"
)

// mostMethods is how many ways to sign in an archive can name.
const mostMethods = 100

// unknownMethod is why a way to sign in is closed.
const unknownMethod = "ways to sign in that aren't known in this form are closed"

// methods are the ways to sign in that an organization has chosen among, by name, whether this server has them or not; those that are
// true are open, and others are closed.
type methods map[string]bool

// chosenMethods are those of an archive; nil: it says nothing of them, or that nobody has chosen. rows are the open ones, as newer
// archives have them in place of the organization's list. What isn't known to be open is closed.
func chosenMethods(realm archive.Realm, rows methods, report *Report) methods {
	chosen, list := rows, realm.Methods
	if realm.AllMethods {
		return nil
	}
	if list != nil && string(list) != "null" {
		chosen = listedMethods(list, report)
	}
	switch {
	case chosen == nil:
		return nil
	case !slices.Contains(slices.Collect(maps.Values(chosen)), true):
		report.leave("no way to sign in is known to be open, so passwords are", string(list))
	case !chosen[org.Passwords]:
		report.leave("passwords aren't among the ways to sign in that are open, and are open as long as the server has none of those", string(list))
	}
	return chosen
}

// listedMethods are those of a list of names, each with whether it is open.
func listedMethods(list json.RawMessage, report *Report) methods {
	chosen, pairs := methods{}, []json.RawMessage(nil)
	if json.Unmarshal(list, &pairs) != nil {
		pairs = []json.RawMessage{list}
	}
	for _, text := range pairs {
		pair := []any{}
		err := json.Unmarshal(text, &pair)
		if err != nil || len(pair) != 2 {
			pair = []any{nil, nil}
		}
		name, _ := pair[0].(string)
		open, ok := pair[1].(bool)
		if !ok || !chosen.add(name, open) {
			report.leave(unknownMethod, string(text))
		}
	}
	return chosen
}

// add adds a way; ok is false if it can't have the name, or there are too many.
func (m methods) add(name string, open bool) (ok bool) {
	if !provided(name) || len(m) == mostMethods {
		return false
	}
	m[name] = open
	return true
}
