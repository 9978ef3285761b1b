package buildbot

import (
	"cmp"

	"chatserver.dev/services/webhook/hook"
)

// maxName is the maximum length of a builder's name, in characters.
const maxName = 200

// kindOf returns the kind of event. What HttpStatusPush sends is the build, which says only whether it has ended.
func kindOf(p hook.Document) string {
	switch {
	case p.Has("event") || !p.Has("builder") || !p.Has("complete"):
		return p.Text("event")
	case p.True("complete"):
		return "finished"
	default:
		return "new"
	}
}

// reports returns the reports by kind of event.
func reports() map[string]hook.Report {
	return map[string]hook.Report{"new": started, "finished": finished}
}

// topic returns the project of a build, which most servers don't have.
func topic(e hook.Event) string {
	project := e.Text("project")
	if property := e.List("properties.project"); len(property) > 0 { // with where it comes from
		project = property[0].Text("")
	}
	return cmp.Or(project, "general")
}

// builder returns the name of the builder.
func builder(e hook.Event) string { return hook.Cut(e.Or("buildername", "builder.name"), maxName) }

// build returns a link to a build.
func build(e hook.Event) hook.Markdown {
	return hook.Format("Build %s", hook.Link("#"+e.Or("number", "buildid"), e.Text("url")))
}

func started(e hook.Event) []hook.Message {
	return hook.One(topic(e), hook.Format("%s for **%s** started.", build(e), builder(e)))
}

func finished(e hook.Event) []hook.Message {
	return hook.One(topic(e), hook.Format("%s (result: %s) for **%s** finished.", build(e), result(e.Text("results")), builder(e)))
}

// result returns the name of a result.
func result(number string) string {
	switch number {
	case "0":
		return "success"
	case "1":
		return "warnings"
	case "2":
		return "failure"
	case "3":
		return "skipped"
	case "4":
		return "exception"
	case "5":
		return "retry"
	case "6":
		return "cancelled"
	default:
		return "unknown"
	}
}
