package property_test

import (
	"fmt"
	"net/http"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// ownAct generates a change of people's own accounts and subscriptions with the less common calls.
func (f *following) ownAct(p *person, name string, which int, on bool) func() {
	switch draw(f.history, "own", []string{"name", "hint", "command", "subscriptions", "subscription", "leave"}) {
	case "name": // of an account that isn't mentioned anywhere
		return func() {
			f.try(f.person("Adam"), http.MethodPatch, "/settings", servicetest.Params{"full_name": fmt.Sprintf("Adam %d", which%10)})
		}
	case "hint":
		hint := draw(f.history, "hint", []string{"intro_reply", "intro_streams", "intro_topics", "intro_gear", "intro_compose"})
		return func() { f.try(p, http.MethodPost, "/users/me/hotspots", servicetest.Params{"hotspot": hint}) }
	case "command":
		command := draw(f.history, "command", []string{"/night", "/day", "/fluid-width", "/fixed-width", "/ping"})
		return func() { f.try(p, http.MethodPost, "/zcommand", servicetest.Params{"command": command}) }
	case "subscriptions":
		if name == "hall" {
			name = "club"
		}
		return func() {
			f.make(p, "nest", servicetest.Params{})
			f.try(p, http.MethodPatch, "/users/me/subscriptions", servicetest.Params{"add": []map[string]string{{"name": "nest"}}, "delete": []string{name}})
		}
	case "subscription":
		value := draw(f.history, "value", []servicetest.Params{
			{"property": "color", "value": "#abc"}, {"property": "in_home_view", "value": on}, {"property": "email_notifications", "value": on},
		})
		return func() {
			f.try(p, http.MethodPatch, fmt.Sprintf("/users/me/subscriptions/%d", f.stream(name)), value)
		}
	default:
		f.accounts++
		draft := user.Draft{FullName: fmt.Sprintf("Brief %d", f.accounts), Role: actor.Member, RealEmail: fmt.Sprintf("brief%d@%s", f.accounts, servicetest.Host)}
		return func() {
			f.note("a new account, %s, ends", draft.FullName)
			if a := f.newcomer(p, draft).Do(http.MethodDelete, "/users/me", nil); a.Status != http.StatusOK {
				f.Errorf("the response to who leaves is %s", a.Body)
			}
		}
	}
}

// newcomer creates an account, with the settings that a person's organization has now.
func (f *following) newcomer(p *person, draft user.Draft) servicetest.Account {
	f.joining.Lock()
	defer f.joining.Unlock()
	now := p.Org
	if err := f.world.DB.Read(f.Context(), now.ID, func(tx *store.Tx) (err error) {
		now, err = f.world.Orgs.Load(f.Context(), tx)
		return err
	}); err != nil {
		f.Fatal(err)
	}
	return f.world.Account(now, draft)
}

// roleAct generates another role for one of the people.
func (f *following) roleAct() func() {
	p, role := draw(f.history, "whose", []*person{f.person("Max"), f.person("Gus")}), draw(f.history, "role", []actor.Role{actor.Administrator, actor.Member, actor.Guest})
	return func() {
		f.try(f.person("Olga"), http.MethodPatch, fmt.Sprintf("/users/%d", p.id), servicetest.Params{"role": role})
	}
}
