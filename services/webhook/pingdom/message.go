package pingdom

import (
	"cmp"
	"strings"

	"chatserver.dev/services/webhook/hook"
)

// maxText is the maximum length of a name or an address, in characters.
const maxText = 300

// report returns the message; none: the payload lacks something.
func report(p hook.Document) []hook.Message {
	text := func(paths ...string) string { return p.Line(maxText, paths...) }
	name, state := text("check_name"), text("current_state")
	if name == "" || state == "" {
		return nil
	}
	service := text("check_params.full_url", "check_params.url", "check_params.hostname")
	said := hook.Format("Service %s changed its %s status from %s to %s", cmp.Or(service, name), cmp.Or(text("check_type"), "check"),
		cmp.Or(text("previous_state"), "UNKNOWN"), state)
	quote := ""
	if isBad(state) {
		quote = strings.TrimSpace(p.Or("long_description", "description") + "\n\n" + p.Text("custom_message"))
	}
	return hook.One(name+" status.", hook.WithQuote(said, quote))
}

// isBad reports whether a state needs an explanation; checks of transactions have their own names.
func isBad(state string) bool { return state != "UP" && state != "SUCCESS" }
