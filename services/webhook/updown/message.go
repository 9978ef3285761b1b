package updown

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"chatserver.dev/services/webhook/hook"
)

// maxText is the maximum length of a text, in characters.
const maxText = 500

// report returns a message about each known event, and a kind that is unknown, if there is one.
func report(p hook.Document) (said []hook.Message, unknown string) {
	for _, e := range p.List("") {
		content, known := text(e)
		if !known {
			unknown = cmp.Or(e.Text("event"), "???")
			continue
		}
		topic := cmp.Or(line(e, "check.url"), line(e, "check.alias"), "(unknown)")
		said = append(said, hook.Message{Topic: topic, Content: content})
	}
	return hook.Bound(said), unknown
}

// line returns the text at a path as one line.
func line(e hook.Document, path string) string { return e.Line(maxText, path) }

func text(e hook.Document) (said hook.Markdown, known bool) {
	switch e.Text("event") {
	case "check.down":
		return hook.Format("Service is `down`. It returned %s error at %s.", failure(e), moment(e.Text("downtime.started_at"))), true
	case "check.still_down":
		return hook.Format("Service is still `down`. It has returned %s error since %s.", failure(e), moment(e.Text("downtime.started_at"))), true
	case "check.up":
		return up(e), true
	case "check.ssl_invalid":
		return hook.Format("The certificate is `invalid`: %s.", problem(e)), true
	case "check.ssl_valid":
		return hook.Format("The certificate is `valid` again."), true
	case "check.ssl_expiration":
		return hook.Format("The certificate expires in %s.", cmp.Or(length(e.Number("ssl.days_before_expiration")*day), "less than a day")), true
	case "check.ssl_renewed":
		return hook.Format("The certificate was renewed. It is valid until %s.", moment(e.Text("ssl.new_cert.expires_at"))), true
	case "check.performance_drop":
		return hook.Format("The performance dropped by %s.", cmp.Or(line(e, "apdex_dropped"), "an unknown amount")), true
	default:
		return hook.Markdown{}, false
	}
}

// failure returns the error of an outage, with its article.
func failure(e hook.Document) string {
	if failed := cmp.Or(line(e, "downtime.error"), line(e, "check.error")); failed != "" {
		return "a " + failed
	}
	return "an unknown"
}

// problem returns what is wrong with a certificate.
func problem(e hook.Document) string {
	return strings.TrimSuffix(cmp.Or(line(e, "ssl.error"), line(e, "check.ssl.error"), "the reason is unknown"), ".")
}

// moment returns a time as people write it.
func moment(written string) hook.Markdown {
	at, err := time.Parse(time.RFC3339, written)
	if err != nil {
		return hook.Text(cmp.Or(hook.Line(hook.Cut(written, maxText)), "an unknown time"))
	}
	return hook.Written(at.UTC().Format("2006-01-02 15:04:05 UTC"))
}

// up says that a service works, and how long it didn't.
func up(e hook.Document) hook.Markdown {
	if !e.Has("downtime") {
		return hook.Format("Service is `up`.")
	}
	if lasted := length(e.Number("downtime.duration")); lasted != "" {
		return hook.Format("Service is `up` again after %s.", lasted)
	}
	return hook.Format("Service is `up` again.")
}

// day is the number of seconds of a day.
const day = 24 * 60 * 60

// length returns a number of seconds in words; empty: there are none.
func length(seconds int64) string {
	parts := []string(nil)
	for _, unit := range []struct {
		name    string
		seconds int64
	}{{"day", day}, {"hour", 60 * 60}, {"minute", 60}, {"second", 1}} {
		n := seconds / unit.seconds
		seconds -= n * unit.seconds
		switch {
		case n == 1:
			parts = append(parts, "1 "+unit.name)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", n, unit.name))
		}
	}
	return strings.Join(parts, " ")
}
