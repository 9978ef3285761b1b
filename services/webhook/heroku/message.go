package heroku

import (
	"cmp"
	"strings"

	"chatserver.dev/services/webhook/hook"
	"chatserver.dev/services/webhook/hook/git"
)

// maxText is the maximum length of a name or a description, in characters.
const maxText = 300

// report returns the message, and whether the payload is one of Heroku. Changes that another event repeats have no
// message.
func report(p hook.Document) (said []hook.Message, valid bool) {
	if p.Has("resource") || p.Has("data") {
		return event(p)
	}
	if p.Has("head") || p.Has("git_log") || p.Has("app") {
		return deployed(p), true
	}
	return nil, false
}

// text returns the text at the first of some paths that isn't empty, as one line.
func text(p hook.Document, paths ...string) string {
	return hook.Line(hook.Cut(p.Or(paths...), maxText))
}

// deployed reports a deployment by a deploy hook.
func deployed(p hook.Document) []hook.Message {
	app := cmp.Or(text(p, "app"), "Heroku")
	said := hook.Format("%s deployed version %s of %s", cmp.Or(text(p, "user"), "Somebody"), cmp.Or(text(p, "head"), "(unknown)"), hook.Link(app, p.Text("url")))
	return hook.One(app, git.WithQuote(said, hook.Lines(p.Text("git_log")).String()))
}

// event reports an event of an app webhook.
func event(p hook.Document) (said []hook.Message, valid bool) {
	data := p.At("data")
	app := cmp.Or(text(data, "app.name"), text(data, "name"), "Heroku")
	who := cmp.Or(text(p, "actor.email"), "Somebody")
	kind, action := text(p, "resource"), text(p, "action")
	status := text(data, "status")
	switch kind {
	case "release":
		if status == "pending" || status != "failed" && data.Has("current") && !data.True("current") {
			return nil, true // it is reported when it succeeded
		}
		release := hook.Format("release v%s", cmp.Or(text(data, "version"), "?"))
		if commit := text(data, "slug.commit"); commit != "" {
			release = hook.Format("%s (%s)", release, git.ShortID(commit, ""))
		}
		verb := hook.Format("deployed")
		if status == "failed" {
			verb = hook.Format("failed to deploy")
		}
		return hook.One(app, describe(hook.Format("%s %s %s of %s", who, verb, release, app), text(data, "description"))), true
	case "build":
		if status == "pending" {
			return nil, true
		}
		return hook.One(app, hook.Format("%s of %s %s.", hook.Link("Build", data.Text("output_stream_url")), app, cmp.Or(status, "changed"))), true
	case "dyno":
		if text(data, "state") != "crashed" {
			return nil, true // dynos start and stop all the time
		}
		return hook.One(app, hook.Format("The dyno %s of %s crashed.", hook.Code(text(data, "name")), app)), true
	case "formation":
		return hook.One(app, hook.Format("%s scaled %s of %s to %d × %s.", who, hook.Code(text(data, "type")), app, data.Number("quantity"), cmp.Or(text(data, "size"), "dyno"))), true
	case "addon", "add-on":
		return hook.One(app, hook.Format("%s %s the add-on %s of %s.", who, past(action), cmp.Or(text(data, "name"), "(unknown)"), app)), true
	case "app":
		return hook.One(app, hook.Format("%s %s the app %s.", who, past(action), hook.Link(app, data.Text("web_url")))), true
	default:
		return hook.One(app, hook.Join(" ", hook.Format("%s %s the %s", who, past(action), cmp.Or(kind, "app")),
			hook.Text(text(data, "hostname", "user.email", "name")), hook.Format("of %s.", app))), true
	}
}

// past returns the past tense of an action.
func past(action string) string {
	switch action {
	case "create":
		return "created"
	case "destroy":
		return "destroyed"
	case "", "update":
		return "updated"
	default:
		return strings.TrimSuffix(action, "e") + "ed"
	}
}

// describe returns a sentence with a description, if there is one.
func describe(said hook.Markdown, description string) hook.Markdown {
	if description == "" {
		return hook.Format("%s.", said)
	}
	return hook.Format("%s: %s", said, description)
}
