package uptimerobot

import (
	"cmp"
	"strings"

	"chatserver.dev/services/webhook/hook"
)

const (
	// maxName is the maximum length of a name or a state, in characters.
	maxName = 200
	// maxDetails is the maximum length of the reason, in characters.
	maxDetails = 1000
)

// report returns the message; none: the payload has neither a monitor nor what happened.
func report(p hook.Document) []hook.Message {
	name := p.Line(maxName, "monitor_friendly_name", "monitorFriendlyName")
	address := p.Or("monitor_url", "monitorURL")
	name = cmp.Or(name, p.Line(maxName, "monitor_url", "monitorURL"))
	kind := p.Line(maxName, "alert_type", "alertType")
	state := p.Line(maxName, "alert_type_friendly_name", "alertTypeFriendlyName")
	if name == "" || kind == "" && state == "" {
		return nil
	}
	details := hook.Markdown{}
	if why := p.Line(maxDetails, "alert_details", "alertDetails"); why != "" {
		details = hook.Format(" (%s)", why)
	}
	monitor := hook.Link(name, address)
	switch {
	case kind == "1" || kind == "" && strings.EqualFold(state, "down"):
		return hook.One(name, hook.Format("%s is **DOWN**%s.", monitor, details))
	case kind == "2" || kind == "" && strings.EqualFold(state, "up"):
		said := hook.Format("%s is back **UP**%s.", monitor, details)
		lasted := hook.Markdown{}
		if duration := p.Line(maxName, "alert_friendly_duration", "alertFriendlyDuration"); duration != "" {
			lasted = hook.Format("It was down for %s.", duration)
		}
		return hook.One(name, hook.Join(" ", said, lasted))
	case kind == "3":
		said := hook.Format("The certificate of %s expires", monitor)
		if days := p.Line(maxName, "ssl_expiry_days_left", "sslExpiryDaysLeft"); days != "" {
			unit := "days"
			if days == "1" {
				unit = "day"
			}
			said = hook.Format("%s in %s %s", said, days, unit)
		}
		return hook.One(name, hook.Format("%s%s.", said, details))
	default:
		return hook.One(name, hook.Format("%s: **%s**%s.", monitor, cmp.Or(state, kind), details))
	}
}
