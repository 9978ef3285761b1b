package sentry

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"chatserver.dev/services/webhook/hook"
)

// maxTitle is the maximum length of a title, in characters.
const maxTitle = 300

// kindOf returns what the payload reports: what its data is about, followed by the action for all but events. Empty: it
// can't be of Sentry.
func kindOf(p hook.Document) string {
	data, action := p.At("data"), p.Text("action")
	switch {
	case data.Has("event") || data.Has("error"):
		return "event"
	case data.Has("issue"):
		return "issue:" + action
	case data.Has("metric_alert"):
		return "metric_alert"
	case data.Has("comment_id") || data.Has("comment"):
		return "comment:" + action
	case data.Has("installation"):
		return "installation:" + action
	case p.Has("data"):
		return cmp.Or(action, "???")
	case p.Or("project_name", "project", "message", "url") != "":
		return "legacy"
	default:
		return ""
	}
}

// reports returns the reports by kind; nil: it is ignored.
func reports() map[string]hook.Report {
	return map[string]hook.Report{
		"event":            event,
		"issue:created":    created,
		"issue:assigned":   assigned,
		"issue:resolved":   changed(hook.Format("was marked as resolved")),
		"issue:unresolved": changed(hook.Format("was marked as unresolved")),
		"issue:ignored":    changed(hook.Format("was ignored")),
		"issue:archived":   changed(hook.Format("was archived")),
		"comment:created":  comment(hook.Format("commented on")),
		"comment:updated":  comment(hook.Format("edited a comment on")),
		"comment:deleted":  nil,
		"metric_alert":     metric,
		"legacy":           legacy,

		"installation:created": nil, "installation:deleted": nil,
	}
}

// title returns a title, or what there is instead.
func title(of hook.Document) string {
	return hook.Cut(cmp.Or(hook.Line(of.Or("title", "metadata.title", "message", "culprit")), "Untitled"), maxTitle)
}

// moment returns the line of a time without the fraction of its second, in UTC.
func moment(written string) hook.Markdown {
	at, err := time.Parse(time.RFC3339Nano, written)
	if err != nil {
		return property("timestamp", written)
	}
	return hook.Format("**timestamp:** %s", hook.Written(at.UTC().Format(time.DateTime)))
}

// property is a line of the block that describes an event.
func property(name, value string) hook.Markdown {
	if hook.Line(value) == "" {
		return hook.Markdown{}
	}
	return hook.Format("**%s:** %s", name, hook.Cut(value, maxTitle))
}

// properties returns the block that describes an event.
func properties(lines ...hook.Markdown) hook.Markdown {
	return hook.Quote(hook.Join("\n", lines...).String())
}

// event reports a new event, either by an alert rule or for every error.
func event(e hook.Event) []hook.Message {
	of := e.At("data.event")
	if !e.Has("data.event") {
		of = e.At("data.error")
	}
	link := hook.Link(title(of), of.Or("web_url", "issue_url", "url"))
	level, at := property("level", of.Text("level")), moment(of.Or("datetime", "received"))
	if !of.Has("exception") {
		return hook.One(title(of), hook.Join("\n\n", hook.Format("**New message event:** %s", link), properties(level, at)))
	}
	file := of.Or("metadata.filename", "location")
	return hook.One(title(of), hook.Join("\n\n",
		hook.Format("**New exception:** %s", link), properties(level, at, property("filename", file)), traceback(of, file)))
}

// traceback shows the place in the file where the exception was raised; empty: it isn't known.
func traceback(of hook.Document, file string) hook.Markdown {
	frame, ok := frameOf(of, file)
	if !ok {
		return hook.Markdown{}
	}
	code := strings.Builder{}
	add := func(mark string, line hook.Document) {
		written := hook.Cut(strings.ReplaceAll(line.Text(""), "\n", " "), maxLine)
		code.WriteString(strings.TrimRight(mark+written, " ") + "\n")
	}
	for _, line := range around(frame, "pre_context") {
		add("     ", line)
	}
	add("---> ", frame.At("context_line"))
	for _, line := range around(frame, "post_context") {
		add("     ", line)
	}
	return hook.Format("Traceback:\n%s", block(of.Text("platform"), code.String()))
}

const (
	// maxContext is the maximum number of lines before and after the one that failed.
	maxContext = 10
	// maxLine is the maximum length of a line of code, in characters.
	maxLine = 300
)

// around returns lines before or after the one that failed.
func around(frame hook.Document, name string) []hook.Document {
	all := frame.List(name)
	return all[:min(len(all), maxContext)]
}

// frameOf returns the innermost frame with code in a file, or otherwise the innermost of the program's own.
func frameOf(of hook.Document, file string) (frame hook.Document, ok bool) {
	own := func(frame hook.Document) bool { return frame.True("in_app") }
	if file != "" {
		own = func(frame hook.Document) bool {
			return frame.Text("filename") == file || frame.Text("abs_path") == file
		}
	}
	for _, value := range slices.Backward(of.List("exception.values")) {
		for _, frame := range slices.Backward(value.List("stacktrace.frames")) {
			if own(frame) && frame.Text("context_line") != "" {
				return frame, true
			}
		}
	}
	return hook.Document{}, false
}

// block returns code in the language of a platform.
func block(platform, code string) hook.Markdown {
	switch platform {
	case "go":
		return hook.CodeBlock("go", code)
	case "node", "javascript":
		return hook.CodeBlock("javascript", code)
	case "python":
		return hook.CodeBlock("python3", code)
	case "java":
		return hook.CodeBlock("java", code)
	case "ruby":
		return hook.CodeBlock("ruby", code)
	case "php":
		return hook.CodeBlock("php", code)
	case "csharp":
		return hook.CodeBlock("csharp", code)
	case "rust":
		return hook.CodeBlock("rust", code)
	default:
		return hook.CodeBlock("", code)
	}
}

// issueLink returns the title of an issue, with a link to its page if the payload has one.
func issueLink(issue hook.Document) hook.Markdown {
	return hook.Link(title(issue), issue.Or("web_url", "permalink"))
}

func created(e hook.Event) []hook.Message {
	issue := e.At("data.issue")
	return hook.One(title(issue), hook.Join("\n\n", hook.Format("**New issue created:** %s", issueLink(issue)), properties(
		property("level", issue.Text("level")),
		moment(issue.Text("firstSeen")),
		property("assignee", cmp.Or(issue.Or("assignedTo.name", "assignedTo.email"), "No one")),
	)))
}

// actorOf returns who acted; Sentry itself has no name.
func actorOf(e hook.Event) string {
	return cmp.Or(hook.Line(e.Or("actor.name", "actor.email")), "Sentry")
}

func assigned(e hook.Event) []hook.Message {
	issue := e.At("data.issue")
	assignee := cmp.Or(hook.Line(issue.Or("assignedTo.name", "assignedTo.email")), "no one")
	return hook.One(title(issue), hook.Format("Issue **%s** has now been assigned to **%s** by **%s**.", issueLink(issue), assignee, actorOf(e)))
}

// changed returns the report that something happened to an issue.
func changed(what hook.Markdown) hook.Report {
	return func(e hook.Event) []hook.Message {
		issue := e.At("data.issue")
		return hook.One(title(issue), hook.Format("Issue **%s** %s by **%s**.", issueLink(issue), what, actorOf(e)))
	}
}

// comment returns the report about a comment. Sentry sends the ID of its issue, but not the title.
func comment(what hook.Markdown) hook.Report {
	return func(e hook.Event) []hook.Message {
		data := e.At("data")
		return hook.One(cmp.Or(hook.Line(data.Text("project_slug")), "Sentry"), hook.Join("\n\n",
			hook.Format("**%s** %s issue %s:", actorOf(e), what, cmp.Or(data.Text("issue_id"), "(unknown)")), hook.Quote(data.Text("comment"))))
	}
}

// metric reports a metric alert.
func metric(e hook.Event) []hook.Message {
	data := e.At("data")
	name := hook.Cut(cmp.Or(hook.Line(data.Or("description_title", "metric_alert.title", "metric_alert.alert_rule.name")), "Metric alert"), maxTitle)
	head := hook.Format(":alert: **%s** %s", strings.ToUpper(cmp.Or(e.Text("action"), "alert")), hook.Link(name, data.Text("web_url")))
	if e.Text("action") == "resolved" {
		head = hook.Format(":squared_ok: **Resolved** %s", hook.Link(name, data.Text("web_url")))
	}
	topic := hook.Line(data.Or("metric_alert.alert_rule.name", "metric_alert.title"))
	return hook.One(cmp.Or(topic, name), hook.Join("\n\n", head, hook.Quote(data.Text("description_text"))))
}

// legacy reports an issue of the legacy plugin.
func legacy(e hook.Event) []hook.Message {
	head := hook.Format("New %s", hook.Link("issue", e.Text("url")))
	if level := hook.Line(e.Text("level")); level != "" {
		head = hook.Format("%s (level: %s)", head, strings.ToUpper(hook.Cut(level, maxTitle)))
	}
	quote := hook.Quote(e.Or("message", "event.title", "event.logentry.formatted", "culprit"))
	if quote.Empty() {
		head = hook.Format("%s.", head)
	} else {
		head = hook.Format("%s:", head)
	}
	return hook.One(cmp.Or(hook.Line(e.Or("project_name", "project")), "Sentry"), hook.Join("\n\n", head, quote))
}
