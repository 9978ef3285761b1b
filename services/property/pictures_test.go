package property_test

import (
	"image/color"
	"net/http"

	"chatserver.dev/services/servicetest"
)

// picture uploads or removes a picture.
func (f *following) picture(path string, p *person, remove bool) func() {
	if path != "/users/me/avatar" {
		p = f.person("Olga")
	}
	if remove {
		return func() { f.try(p, http.MethodDelete, path, nil) }
	}
	return func() {
		f.note("%s: POST %s", p.name, path)
		if answer := p.PostFile(path, nil, "picture.png", servicetest.PNG(f.TB, 4, 4, color.Black)); answer.Status >= http.StatusInternalServerError {
			f.Errorf("%s: status %d", path, answer.Status)
		}
	}
}

// applyPicture applies an event of a picture. Lists of accounts have fewer of its fields than the caller's own
// account.
func (c *client) applyPicture(e object) {
	who, _ := e["person"].(object)
	if who["avatar_source"] == nil {
		return
	}
	if whole(who["user_id"]) == c.person.id {
		for _, name := range []string{"avatar_source", "avatar_url", "avatar_url_medium"} {
			c.state[name] = who[name]
		}
	}
	for _, u := range objects(c.state["realm_users"]) {
		delete(u, "avatar_source")
		delete(u, "avatar_url_medium")
	}
}
