package buildbot

import "chatserver.dev/services/webhook/hook"

// maxName is the maximum length of a builder's name, in characters.
const maxName = 200

// reports returns the reports by kind of event.
func reports() map[string]hook.Report {
	return map[string]hook.Report{"new": started, "finished": finished}
}

// topic returns the project of a build, which most servers don't have.
func topic(e hook.Event) string {
	if project := e.Text("project"); project != "" {
		return project
	}
	return "general"
}

// build returns a link to a build.
func build(e hook.Event) hook.Markdown {
	return hook.Format("Build %s", hook.Link("#"+e.Text("buildid"), e.Text("url")))
}

func started(e hook.Event) []hook.Message {
	return hook.One(topic(e), hook.Format("%s for **%s** started.", build(e), hook.Cut(e.Text("buildername"), maxName)))
}

func finished(e hook.Event) []hook.Message {
	return hook.One(topic(e), hook.Format("%s (result: %s) for **%s** finished.", build(e), result(e.Text("results")), hook.Cut(e.Text("buildername"), maxName)))
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
