package jira

import (
	"net/url"
	"slices"
	"strings"

	"chatserver.dev/services/webhook/hook"
)

const (
	updated = "jira:issue_updated"
	// maxTitle is the maximum length of an issue's key and summary, in characters.
	maxTitle = 200
	// maxValue is the maximum length of a field's value, in characters: descriptions are fields, too.
	maxValue = 200
)

// kindOf returns the kind of event. What a step of a workflow sends has a transition instead.
func kindOf(payload hook.Document) string {
	kind := payload.Text("webhookEvent")
	if kind == "" && payload.Has("transition") {
		return updated
	}
	return kind
}

// reports returns the reports by kind of event; nil: it is ignored.
func reports() map[string]hook.Report {
	all := map[string]hook.Report{
		"jira:issue_created": created,
		"jira:issue_deleted": func(e hook.Event) []hook.Message { return about(e, hook.Format("%s deleted %s.", user(e), link(e))) },
		updated:              changed,
		"comment_created":    func(e hook.Event) []hook.Message { return comment(e, hook.Format("commented on")) },
		"comment_updated":    func(e hook.Event) []hook.Message { return comment(e, hook.Format("edited a comment on")) },
		"comment_deleted":    commentDeleted,

		"jira:version_created":    func(e hook.Event) []hook.Message { return version(e, "was created") },
		"jira:version_released":   func(e hook.Event) []hook.Message { return version(e, "was released") },
		"jira:version_unreleased": func(e hook.Event) []hook.Message { return version(e, "isn't released any more") },
	}
	for _, kind := range []string{
		"issuelink_created", "issuelink_deleted", "attachment_created", "attachment_deleted", "issue_property_set", "issue_property_deleted",
		"worklog_created", "worklog_updated", "worklog_deleted", "jira:worklog_updated",
		"jira:version_updated", "jira:version_moved", "jira:version_deleted", "jira:version_merged",
		"sprint_created", "sprint_updated", "sprint_deleted", "sprint_started", "sprint_closed",
	} {
		all[kind] = nil
	}
	return all
}

// title returns the key and the summary of the issue.
func title(e hook.Event) string {
	key, summary := e.Text("issue.key"), e.Text("issue.fields.summary")
	if summary == "" {
		return key
	}
	return key + ": " + summary
}

// about returns a message whose topic is the issue.
func about(e hook.Event, content hook.Markdown) []hook.Message { return hook.One(title(e), content) }

// page returns the address of the page; empty: it isn't known.
func page(e hook.Event) string {
	// The payload has only the address of the issue for programs.
	server, _, found := strings.Cut(e.Text("issue.self"), "/rest/api/")
	if !found {
		return ""
	}
	return server + "/browse/" + e.Text("issue.key")
}

// link returns a link to the issue.
func link(e hook.Event) hook.Markdown { return hook.Link(hook.Cut(title(e), maxTitle), page(e)) }

// user returns the name of the person who caused the event.
func user(e hook.Event) string {
	return e.Person("user.displayName", "comment.updateAuthor.displayName", "comment.author.displayName", "user.name", "comment.author.name")
}

// body returns the text of the comment. People in it have the names that the payload has for their accounts.
func body(e hook.Event) string {
	return markdown(e.Text("comment.body"), func(account string) string {
		for _, path := range []string{
			"user", "comment.author", "comment.updateAuthor", "issue.fields.assignee", "issue.fields.reporter", "issue.fields.creator",
		} {
			if p := e.At(path); slices.Contains([]string{p.Text("accountId"), p.Text("name"), p.Text("key")}, account) {
				return hook.Line(p.Text("displayName"))
			}
		}
		return ""
	})
}

func created(e hook.Event) []hook.Message {
	assignee := e.Or("issue.fields.assignee.displayName", "issue.fields.assignee.name")
	if assignee == "" {
		assignee = "no one"
	}
	items := []hook.Markdown(nil)
	if priority := e.Text("issue.fields.priority.name"); priority != "" {
		items = append(items, hook.Format("**Priority**: %s", priority))
	}
	items = append(items, hook.Format("**Assignee**: %s", assignee))
	return about(e, hook.Format("%s created %s:\n\n%s", user(e), link(e), hook.List(items...)))
}

// assigned says to whom the issue is assigned; empty: to nobody.
func assigned(e hook.Event) hook.Markdown {
	name := e.Or("issue.fields.assignee.displayName", "issue.fields.assignee.name")
	if name == "" {
		return hook.Markdown{}
	}
	return hook.Format("(assigned to **%s**)", name)
}

// changed reports a change of an issue. Jira on own servers reports comments on it so, too.
func changed(e hook.Event) []hook.Message {
	verb := hook.Markdown{}
	switch kind := e.Text("issue_event_type_name"); {
	case kind == "issue_commented":
		verb = hook.Format("commented on")
	case kind == "issue_comment_edited":
		verb = hook.Format("edited a comment on")
	case kind == "issue_comment_deleted":
		verb = hook.Format("deleted a comment from")
	case kind == "" && e.Has("comment.body") && !e.Has("transition") && len(e.List("changelog.items")) == 0: // of an old server
		verb = hook.Format("commented on")
		if e.Text("comment.created") != e.Text("comment.updated") {
			verb = hook.Format("edited a comment on")
		}
	}
	words := body(e)
	if !verb.Empty() {
		return about(e, hook.WithQuote(hook.Join(" ", hook.Format("%s %s %s", user(e), verb, link(e)), assigned(e)), words))
	}
	items := []hook.Markdown(nil)
	for _, item := range e.List("changelog.items") {
		items = append(items, change(item.Text("field"), item.Or("fromString", "from"), item.Or("toString", "to")))
	}
	if e.Has("transition") {
		items = append(items, change("status", e.Text("transition.from_status"), e.Text("transition.to_status")))
	}
	text := hook.Format("%s updated %s", user(e), link(e))
	if len(items) == 0 {
		return about(e, hook.WithQuote(text, words))
	}
	return about(e, hook.Join("\n\n", hook.Format("%s:\n\n%s", text, hook.List(items...)), hook.Quote(words)))
}

// change describes the change of a field.
func change(field, from, to string) hook.Markdown {
	text := hook.Format("Changed %s", field)
	if from != "" {
		text = hook.Format("%s from **%s**", text, hook.Cut(from, maxValue))
	}
	if to != "" {
		text = hook.Format("%s to **%s**", text, hook.Cut(to, maxValue))
	}
	return text
}

// version reports what became of a version of a project, for which the payload has only a number.
func version(e hook.Event, what string) []hook.Message {
	name := e.Line(maxTitle, "version.name")
	if name == "" {
		return hook.One("", hook.Markdown{})
	}
	page := ""
	if server, _, found := strings.Cut(e.Text("version.self"), "/rest/api/"); found && e.Has("version.projectId") {
		page = server + "/secure/ReleaseNote.jspa?" +
			url.Values{"projectId": {e.Text("version.projectId")}, "version": {e.Text("version.id")}}.Encode()
	}
	text := hook.Format("Version %s %s", hook.Link(name, page), what)
	if day := e.Line(maxTitle, "version.releaseDate"); day != "" && !e.True("version.released") {
		text = hook.Format("%s, planned for %s", text, day)
	}
	return hook.One("Version "+name, hook.WithQuote(text, e.Text("version.description")))
}

// comment reports a comment. A server leaves out the issue; it sends an event about that issue, too.
func comment(e hook.Event, verb hook.Markdown) []hook.Message {
	if !e.Has("issue") {
		return nil
	}
	return about(e, hook.WithQuote(hook.Format("%s %s %s", user(e), verb, named(e)), body(e)))
}

// named returns a link to the issue, with the summary in quotation marks.
func named(e hook.Event) hook.Markdown {
	return hook.Format(`%s *"%s"*`, hook.Link(e.Text("issue.key"), page(e)), hook.Cut(e.Text("issue.fields.summary"), maxTitle))
}

func commentDeleted(e hook.Event) []hook.Message {
	if !e.Has("issue") {
		return nil
	}
	lines := strings.Split(hook.Cut(strings.ReplaceAll(e.Text("comment.body"), "~", ""), maxStruck), "\n")
	for i, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			line = "~~" + line + "~~"
		}
		lines[i] = line
	}
	return about(e, hook.WithQuote(hook.Format("%s deleted a comment on %s", user(e), named(e)), strings.Join(lines, "\n")))
}

// maxStruck is the maximum length of a comment that was deleted, in characters.
const maxStruck = 1000
