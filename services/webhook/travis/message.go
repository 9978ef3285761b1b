package travis

import "chatserver.dev/services/webhook/hook"

// state returns a build's state, such as Passed.
func state(build hook.Document) string { return build.Or("status_message", "result_message", "state") }

func report(build hook.Document) hook.Message {
	links := hook.Join(", ", link(hook.Format("changes"), build.Text("compare_url")), link(hook.Format("build log"), build.Text("build_url")))
	lines := []hook.Markdown{
		hook.Format("Author: %s", build.Or("author_name", "committer_name")),
		hook.Format("Build status: %s", hook.Join(" ", hook.Text(state(build)), sign(state(build)))),
	}
	if !links.Empty() {
		lines = append(lines, hook.Format("Details: %s", links))
	}
	return hook.Message{Topic: "builds", Content: hook.Join("\n", lines...)}
}

// link returns a link; empty: it has no address.
func link(words hook.Markdown, address string) hook.Markdown {
	if !hook.IsPage(address) {
		return hook.Markdown{}
	}
	return hook.Link(words.String(), address)
}

// sign returns the emoji for a state; empty: there is none.
func sign(state string) hook.Markdown {
	switch state {
	case "Passed", "Fixed", "passed":
		return hook.Format(":thumbs_up:")
	case "Failed", "Broken", "Still Failing", "Errored", "Canceled", "failed", "errored", "canceled":
		return hook.Format(":thumbs_down:")
	case "Pending", "started", "created":
		return hook.Format(":counterclockwise:")
	default:
		return hook.Markdown{}
	}
}
