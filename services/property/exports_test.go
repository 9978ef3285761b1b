package property_test

import (
	"fmt"
	"net/http"
)

// exportAct makes up something about archives, which Olga alone asks for: only who did gets its events.
func (f *following) exportAct(which int) func() {
	olga := f.person("Olga")
	switch draw(f.history, "export", []string{"request", "request", "make", "delete"}) {
	case "request":
		return func() { f.try(olga, http.MethodPost, "/export/realm", nil) }
	case "make":
		return func() {
			f.note("archives are made")
			if err := f.world.Exports.Work(f.Context()); err != nil {
				f.Errorf("make archives: %v", err)
			}
		}
	default:
		return func() {
			if all := exportsOf(olga); len(all) > 0 {
				one, _ := all[which%len(all)].(object)
				f.try(olga, http.MethodDelete, fmt.Sprintf("/export/realm/%d", whole(one["id"])), nil)
			}
		}
	}
}

// exportsOf are the archives of the organization of an administrator.
func exportsOf(p *person) []any {
	reply := struct{ Exports []any }{}
	p.Do(http.MethodGet, "/export/realm", nil).OK().Decode(&reply)
	return reply.Exports
}

// compareExports compares the archives of which somebody heard with those that there are. Others than Olga hear of none.
func (f *following) compareExports(c *client, got, want object) {
	got["exports"], want["exports"] = c.exports, []any(nil)
	if c.person.name == "Olga" {
		want["exports"] = exportsOf(c.person)
	}
}
