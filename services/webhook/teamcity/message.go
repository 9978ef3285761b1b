package teamcity

import (
	"strings"

	"chatserver.dev/services/webhook/hook"
)

const (
	// ofPlugin is the kind of what the plugin tcWebHooks sends.
	ofPlugin = "build"
	// maxName is the maximum length of the name of a build or of its state, in characters.
	maxName = 200
)

// kindOf returns the kind of event.
func kindOf(payload hook.Document) string {
	kind := payload.Text("eventType")
	if kind == "" && payload.Has("build") {
		return ofPlugin
	}
	return kind
}

// reports returns the reports by kind of event; nil: it is ignored.
func reports() map[string]hook.Report {
	return map[string]hook.Report{
		ofPlugin:            pluginBuild,
		"BUILD_STARTED":     func(e hook.Event) []hook.Message { return build(e, hook.Format("has started.")) },
		"BUILD_INTERRUPTED": func(e hook.Event) []hook.Message { return build(e, hook.Format("was interrupted.")) },
		"BUILD_FINISHED":    finished,

		"BUILD_TYPE_ADDED_TO_QUEUE": nil, "BUILD_PROBLEMS_CHANGED": nil, "CHANGES_LOADED": nil, "BUILD_QUEUED": nil,
		"AGENT_REGISTRED": nil, "AGENT_UNREGISTERED": nil, "AGENT_REMOVED": nil,
	}
}

// described describes a build: its name, its number, what happened to it, and the address of its page.
func described(name, number string, happened hook.Markdown, page string) []hook.Message {
	text := hook.Format("%s build %s %s", hook.Cut(name, maxName), number, happened)
	if hook.IsPage(page) {
		tab := "?"
		if strings.Contains(page, "?") {
			tab = "&"
		}
		text = hook.Format("%s See %s and %s.", text, hook.Link("changes", page+tab+"tab=buildChangesDiv"), hook.Link("build log", page+tab+"tab=buildLog"))
	}
	return hook.One(name, text)
}

// toPerson returns messages about a personal build, which concerns only who started it. If a name in TeamCity isn't an email
// address, there are none.
func toPerson(name string, messages []hook.Message) []hook.Message {
	if !strings.Contains(name, "@") {
		return nil
	}
	for i, m := range messages {
		messages[i].Person, messages[i].Content = name, hook.Format("Your personal build: %s", m.Content)
	}
	return messages
}

// pluginBuild reports a build of the plugin.
func pluginBuild(e hook.Event) []hook.Message {
	b := e.At("build")
	said := described(b.Or("buildFullName", "buildName", "buildTypeId"), b.Or("buildNumber", "buildId"), outcome(b), b.Text("buildStatusUrl"))
	if b.Text("buildIsPersonal") == "true" || property(b, "env.BUILD_IS_PERSONAL") == "true" {
		return toPerson(property(b, "teamcity.build.triggeredBy.username"), said)
	}
	return said
}

// property returns a property of a build of the plugin.
func property(b hook.Document, name string) string {
	for _, property := range b.List("teamcityProperties") {
		if property.Text("name") == name {
			return property.Text("value")
		}
	}
	return ""
}

// outcome says what happened to a build of the plugin.
func outcome(b hook.Document) hook.Markdown {
	status := hook.Cut(b.Text("buildStatus"), maxName)
	switch b.Text("buildResult") {
	case "success":
		if b.Text("buildResultDelta") == "fixed" {
			return hook.Format("has been fixed! :thumbs_up:")
		}
		return hook.Format("was successful! :thumbs_up:")
	case "failure":
		if b.Text("buildResultDelta") == "broken" {
			return hook.Format("is broken with status %s! :thumbs_down:", status)
		}
		return hook.Format("is still broken with status %s! :thumbs_down:", status)
	case "running":
		return hook.Format("has started.")
	default:
		if status == "" {
			return hook.Format("has changed.")
		}
		return hook.Format("has status %s.", status)
	}
}

// build reports a build of TeamCity's own webhooks.
func build(e hook.Event, happened hook.Markdown) []hook.Message {
	b := e.At("payload")
	name := b.Or("buildType.name", "buildTypeId")
	if project := b.Or("buildType.projectName", "buildType.project.name"); project != "" && b.Has("buildType.name") {
		name = project + " :: " + name
	}
	number := b.Or("number", "id")
	if branch := b.Text("branchName"); branch != "" {
		number += " of " + branch
	}
	said := described(name, number, happened, b.Text("webUrl"))
	if b.True("personal") {
		return toPerson(b.Or("triggered.user.email", "triggered.user.username"), said)
	}
	return said
}

func finished(e hook.Event) []hook.Message {
	status := e.Text("payload.status")
	if status == "SUCCESS" {
		return build(e, hook.Format("was successful! :thumbs_up:"))
	}
	happened := hook.Format("is broken with status %s! :thumbs_down:", hook.Cut(e.Or("payload.statusText", "payload.status"), maxName))
	if status == "" || status == "UNKNOWN" {
		happened = hook.Format("has ended.")
	}
	return build(e, happened)
}
