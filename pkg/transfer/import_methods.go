package transfer

import (
	"encoding/json"
	"maps"
	"slices"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/org"
)

// maxMethods is the maximum number of ways to sign in that an archive may list.
const maxMethods = 100

// unknownMethod is the report's reason for closing a way to sign in.
const unknownMethod = "ways to sign in that aren't known in this form are disabled"

// methods are the ways to sign in from which an organization has chosen, by name, whether or not this server offers them.
// Those that are true are open.
type methods map[string]bool

// chosenMethods returns the methods of an archive; nil: it has none, or they were never chosen. rows are the open methods of
// newer archives, which have them instead of the organization's list. Methods that aren't known to be open are closed.
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
		report.leave("no known way to sign in was enabled, so passwords are enabled", string(list))
	case !chosen[org.Passwords]:
		report.leave("passwords are enabled only while this server has none of the ways to sign in that were enabled", string(list))
	}
	return chosen
}

// listedMethods returns the methods of a list of pairs: a name, and whether the method is open.
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

// add adds a method. It reports false if the name is invalid, or there are too many.
func (m methods) add(name string, open bool) (ok bool) {
	if !provided(name) || len(m) == maxMethods {
		return false
	}
	m[name] = open
	return true
}
