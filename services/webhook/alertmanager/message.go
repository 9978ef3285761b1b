package alertmanager

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"chatserver.dev/services/webhook/hook"
)

// nameLabel is the label with an alert's name.
const nameLabel = "alertname"

// report lists a group's alerts. What all of them have in common is said once.
func report(p payload) hook.Message {
	text := strings.Builder{}
	for _, section := range []struct{ status, head string }{{"firing", ":fire: **Firing**"}, {"resolved", ":white_check_mark: **Resolved**"}} {
		alerts := slices.DeleteFunc(slices.Clone(p.Alerts), func(a alert) bool { return a.Status != section.status })
		if len(alerts) == 0 {
			continue
		}
		if text.Len() > 0 {
			text.WriteString("\n")
		}
		fmt.Fprintf(&text, "%s (%d)\n\n", section.head, len(alerts))
		for _, a := range alerts {
			text.WriteString("* " + a.line(p.CommonLabels) + "\n")
		}
	}
	foot := []string(nil)
	if n := deref(p.TruncatedAlerts); n > 0 {
		foot = append(foot, fmt.Sprintf("%d more are left out", n))
	}
	if common := labels(p.CommonLabels, nil); common != "" {
		foot = append(foot, common)
	}
	if address := link("Alertmanager", deref(p.ExternalURL)); address != "" {
		foot = append(foot, address)
	}
	if len(foot) > 0 {
		text.WriteString("\n" + strings.Join(foot, " · "))
	}
	return hook.Message{Topic: topic(p), Content: strings.TrimSpace(text.String())}
}

// topic is what the group is about.
func topic(p payload) string {
	for _, name := range []string{p.GroupLabels[nameLabel], p.CommonLabels[nameLabel], p.Receiver} {
		if strings.TrimSpace(name) != "" {
			return name
		}
	}
	return "Alerts"
}

// line says what an alert is, where it comes from and since when.
func (a alert) line(common map[string]string) string {
	annotations := deref(a.Annotations)
	name := a.Labels[nameLabel]
	if name == "" {
		name = "Alert"
	}
	parts := []string{"**" + oneLine(name) + "**"}
	for _, kind := range []string{"summary", "description"} {
		if said := oneLine(annotations[kind]); said != "" {
			parts[0] += ": " + said
			break
		}
	}
	if own := labels(a.Labels, common); own != "" {
		parts = append(parts, own)
	}
	if when := moment(deref(a.StartsAt)); when != "" {
		parts = append(parts, "since "+when)
	}
	if when := moment(deref(a.EndsAt)); when != "" && a.Status == "resolved" {
		parts = append(parts, "until "+when)
	}
	for _, to := range [][2]string{{"source", deref(a.GeneratorURL)}, {"runbook", annotations["runbook_url"]}} {
		if address := link(to[0], to[1]); address != "" {
			parts = append(parts, address)
		}
	}
	return strings.Join(parts, " · ")
}

// labels lists the labels that aren't common, without the name, as code: they may hold anything.
func labels(all, common map[string]string) string {
	list := []string(nil)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if _, said := common[name]; name != nameLabel && !said {
			list = append(list, "`"+strings.ReplaceAll(oneLine(name+"="+all[name]), "`", "'")+"`")
		}
	}
	return strings.Join(list, " ")
}

// link is a Markdown link; empty where there is no address of a page.
func link(text, address string) string {
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return ""
	}
	return "[" + text + "](" + strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", "\n", "").Replace(address) + ")"
}

// moment is a time that everybody sees in their own zone; empty where there is none.
func moment(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.Year() < 1971 { // Alertmanager writes the year 1 for never
		return ""
	}
	return "<time:" + at.UTC().Format(time.RFC3339) + ">"
}

// oneLine keeps what others wrote within its item of the list.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// deref gives what p points to, or the zero value.
func deref[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}
