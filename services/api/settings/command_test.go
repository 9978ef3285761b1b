package settings_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestCommand(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Guest)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	command := func(text string) string {
		answer := struct{ Result, Msg string }{}
		ann.Do(http.MethodPost, "/zcommand", params{"command": text}).OK().Decode(&answer)
		servicetest.Same(t, text, "success", answer.Result)
		return answer.Msg
	}
	servicetest.Same(t, "/ping", "", command("/ping"))
	for _, c := range []struct{ command, msg string }{
		{"/night", "Changed to night mode! To change back, type `/day`."},
		{"/night", "You are using night mode already."},
		{"/day", "Changed to day mode! To change back, type `/night`."},
		{"/fluid-width", "Changed to fluid width! To change back, type `/fixed-width`."},
		{"/fixed-width", "Changed to fixed width! To change back, type `/fluid-width`."},
		{"/fixed-width", "You are using fixed width already."},
	} {
		servicetest.Same(t, c.command, c.msg, command(c.command))
	}
	event := func(name string, value any) object {
		return object{"type": "update_display_settings", "user": ann.RealEmail, "setting_name": name, "setting": value}
	}
	servicetest.Same(t, "events", map[string][]object{"ann": {
		event("color_scheme", 2.0), event("color_scheme", 3.0), event("fluid_layout_width", true), event("fluid_layout_width", false),
	}}, w.EventsOf(queues))

	for text, msg := range map[string]string{
		"night":                        "There should be a leading slash in the zcommand.",
		"":                             "There should be a leading slash in the zcommand.",
		"/":                            "No such command: ",
		"/nights":                      "No such command: nights",
		"/100%d":                       "No such command: 100%d",
		"/" + strings.Repeat("x", 100): "command is too long (limit: 100 characters; sent: 101)",
	} {
		ann.Do(http.MethodPost, "/zcommand", params{"command": text}).Fails(http.StatusBadRequest, "BAD_REQUEST", msg)
	}
}
