package property_test

import (
	"fmt"
	"net/http"
)

// exportAct generates an action on archives. Only Olga requests archives, and only she gets their events.
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

// exportsOf returns the archives of an administrator's organization.
func exportsOf(p *person) []any {
	reply := struct{ Exports []any }{}
	p.Do(http.MethodGet, "/export/realm", nil).OK().Decode(&reply)
	return reply.Exports
}

// compareExports compares the archives in events with the existing ones. Only Olga gets events of archives.
func (f *following) compareExports(c *client, got, want object) {
	got["exports"], want["exports"] = c.exports, []any(nil)
	if c.person.name == "Olga" {
		want["exports"] = exportsOf(c.person)
	}
}
