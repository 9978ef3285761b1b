package zendesk

import (
	"cmp"
	"strings"

	"chatserver.dev/services/webhook/hook"
)

const (
	// maxTitle is the maximum length of a ticket's title, in characters.
	maxTitle = 200
	// maxName is the maximum length of names and of values of fields, in characters.
	maxName = 100
)

// written returns the message of a trigger: an administrator of Zendesk wrote it in Markdown, with placeholders for the ticket's data.
func written(d hook.Document) []hook.Message {
	content := hook.Written(d.Text("message"))
	if content.Empty() {
		return nil
	}
	return hook.One(topic(d.Text("ticket_id"), d.Text("ticket_title")), content)
}

// topic names a ticket.
func topic(number, title string) string {
	title = hook.Line(title)
	if number = hook.Line(number); number == "" {
		return title
	}
	return strings.TrimSuffix("#"+number+": "+title, ": ")
}

// kindOf returns the kind of an event, without the prefix that all kinds have.
func kindOf(d hook.Document) string { return strings.TrimPrefix(d.Text("type"), "zen:event-type:") }

// reports returns the reports by kind of event; nil: it is ignored.
func reports() map[string]hook.Report {
	all := map[string]hook.Report{
		"ticket.created":                  created,
		"ticket.comment_added":            commented,
		"ticket.status_changed":           changed("status"),
		"ticket.priority_changed":         changed("priority"),
		"ticket.type_changed":             changed("type"),
		"ticket.subject_changed":          changed("subject"),
		"ticket.agent_assignment_changed": func(e hook.Event) []hook.Message { return about(e, hook.Format("%s has another assignee.", named(e))) },
		"ticket.group_assignment_changed": func(e hook.Event) []hook.Message { return about(e, hook.Format("%s has another group.", named(e))) },
		"ticket.merged": func(e hook.Event) []hook.Message {
			return about(e, hook.Format("%s was merged into another ticket.", named(e)))
		},
		"ticket.marked_as_spam":      func(e hook.Event) []hook.Message { return about(e, hook.Format("%s was marked as spam.", named(e))) },
		"ticket.soft_deleted":        func(e hook.Event) []hook.Message { return about(e, hook.Format("%s was deleted.", named(e))) },
		"ticket.permanently_deleted": func(e hook.Event) []hook.Message { return about(e, hook.Format("%s was deleted for good.", named(e))) },
		"ticket.undeleted":           func(e hook.Event) []hook.Message { return about(e, hook.Format("%s was restored.", named(e))) },
	}
	for _, kind := range []string{
		"attachment_linked_to_comment", "attachment_redacted_from_comment", "brand_changed", "comment_made_private", "comment_redacted",
		"custom_field_changed", "custom_status_changed", "description_changed", "email_ccs_changed", "external_id_changed", "followers_changed",
		"form_changed", "next_SLA_breach_changed", "ola_policy_changed", "organization_changed", "problem_link_changed", "requester_changed",
		"schedule_changed", "sla_policy_changed", "submitter_changed", "tags_changed", "task_due_at_changed",
	} {
		all["ticket."+kind] = nil
	}
	return all
}

// about returns a message whose topic is the ticket.
func about(e hook.Event, content hook.Markdown) []hook.Message {
	return hook.One(topic(e.Text("detail.id"), e.Text("detail.subject")), content)
}

// named is a ticket at the begin of a sentence. Events don't have the address of its page.
func named(e hook.Event) hook.Markdown {
	if !e.OwnTopic {
		return hook.Format("The ticket")
	}
	return hook.Format("Ticket %s", title(e))
}

// title is a ticket's number and title in bold.
func title(e hook.Event) hook.Markdown {
	return hook.Format("**%s**", hook.Cut(topic(e.Text("detail.id"), e.Text("detail.subject")), maxTitle))
}

func created(e hook.Event) []hook.Message {
	items := hook.List(
		hook.Item("Priority", value(e.Text("detail.priority"))),
		hook.Item("Type", value(e.Text("detail.type"))),
		hook.Item("Status", value(e.Text("detail.status"))),
	)
	return about(e, hook.Join("\n\n", hook.Format("%s was created.", named(e)), items, hook.Quote(e.Text("detail.description"))))
}

func commented(e hook.Event) []hook.Message {
	comment := e.At("event.comment")
	how := hook.Format("commented on")
	if comment.Has("is_public") && !comment.True("is_public") {
		how = hook.Format("wrote an internal note on")
	}
	ticket := hook.Format("the ticket")
	if e.OwnTopic {
		ticket = hook.Format("ticket %s", title(e))
	}
	text := hook.Format("**%s** %s %s:", hook.Cut(comment.Person("author.name"), maxName), how, ticket)
	words := comment.Text("body")
	if strings.TrimSpace(words) == "" {
		words = "(no text)"
	}
	return about(e, hook.Join("\n\n", text, hook.Quote(words)))
}

// changed returns the report of a change of a field.
func changed(field string) hook.Report {
	return func(e hook.Event) []hook.Message {
		from, to := e.Text("event.previous"), e.Text("event.current")
		if field != "subject" {
			from, to = plain(from), plain(to)
		}
		return about(e, hook.Format("%s changed its %s from **%s** to **%s**.", named(e), field,
			hook.Cut(cmp.Or(from, "none"), maxName), hook.Cut(cmp.Or(to, "none"), maxName)))
	}
}

// value shows a value of a field, of which Zendesk sends the name in capitals.
func value(name string) hook.Markdown { return hook.Text(hook.Cut(plain(name), maxName)) }

// plain returns the name of a value as people write it.
func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", " ")) }
