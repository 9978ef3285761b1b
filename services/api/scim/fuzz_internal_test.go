package scim

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/provision"
)

// No filter and no patch causes a panic, and texts that can't be stored don't get past them.
func FuzzFilterAndPatch(f *testing.F) {
	f.Add(`userName eq "a\u00e4" and emails.value eq "b"`, `[{"op":"add","path":"name.givenName","value":"Mia"},{"op":"remove","path":"emails[type eq \"work\"].value"}]`)
	f.Add(`members eq "7" and id eq "9"`, `[{"op":"Replace","value":{"displayName":"a","members":[{"value":"7"}]}},{"op":"remove","path":"members[value eq \"7\"]"}]`)
	f.Add(`urn:ietf:params:scim:schemas:core:2.0:User:userName eq "x"`, `[{"op":"add","path":"members","value":[{"value":8}]},{"op":"remove","path":"externalId"}]`)
	f.Fuzz(func(t *testing.T, filter, patch string) {
		people, err := peopleBy(filter)
		if err == nil {
			for _, value := range []*string{people.UserName, people.ExternalID, people.Email} {
				if value != nil && strings.ContainsRune(*value, 0) {
					t.Errorf("%q", *value)
				}
			}
		}
		_, _ = groupsBy(filter)
		operations := []operation{}
		if json.Unmarshal([]byte(patch), &operations) != nil {
			return
		}
		external := "x"
		d, err := patchedGroup(provision.GroupDetails{Name: "g", ExternalID: &external}, operations)
		if err == nil && (len(d.Members) > group.MaxMembers || !slices.IsSorted(d.Members) || strings.ContainsRune(d.Name, 0)) {
			t.Errorf("%+v", d)
		}
		a, err := attributes{"username": "u", "emails": []any{map[string]any{"value": "e"}}}.patched(operations)
		if err != nil {
			return
		}
		_, _ = a.fullName()
		_, _ = a.email()
		_, _ = a.details(true)
	})
}
