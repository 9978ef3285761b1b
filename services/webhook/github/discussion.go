package github

import (
	"cmp"
	"strings"

	"chatserver.dev/services/webhook/hook"
	"chatserver.dev/services/webhook/hook/git"
)

func discussion(e hook.Event) []hook.Message {
	topic, d := item(e, "Discussion", "discussion")
	switch d.Action {
	case "created", "edited":
		d.Body = e.Text("discussion.body")
	case "unanswered":
		d.Action = "withdrew the answer of"
	case "answered", "closed", "deleted", "reopened", "transferred":
	default:
		return nil // categories, labels, locks
	}
	return hook.One(topic, d.Text(e.OwnTopic))
}

func discussionComment(e hook.Event) []hook.Message {
	topic, d := item(e, "Discussion", "discussion")
	if d.Action != "created" {
		return nil
	}
	return hook.One(topic, commented(e, d.Action, d.Link(e.OwnTopic)))
}

// alert reports what a scan of the repository has found, and what became of it: a dependency with a known flaw, a flaw in the code, a
// secret.
func alert(kind string) func(e hook.Event) []hook.Message {
	return func(e hook.Event) []hook.Message {
		what, action := e.At("alert"), e.Text("action")
		switch action {
		case "appeared_in_branch", "assignees_changed", "revoked", "updated_assignment", "validated":
			return nil
		}
		said := hook.Text(what.Line(300, "security_advisory.summary", "rule.description", "secret_type_display_name", "secret_type"))
		about := []string{}
		for _, detail := range []string{
			cmp.Or(what.Text("security_advisory.severity"), what.Text("rule.security_severity_level"), what.Text("rule.severity")),
			what.Text("dependency.package.name"),
		} {
			if detail != "" {
				about = append(about, hook.Line(detail))
			}
		}
		details := hook.Markdown{}
		if len(about) > 0 {
			details = hook.Format("(%s)", strings.Join(about, ", "))
		}
		head := hook.Format("%s was %s", hook.Link(kind+" alert #"+what.Text("number"), what.Text("html_url")), strings.ReplaceAll(action, "_", " "))
		return hook.One(git.Topic(e.Text("repository.name"), "alerts"), hook.Join(" ", hook.Join(": ", head, said), details))
	}
}
