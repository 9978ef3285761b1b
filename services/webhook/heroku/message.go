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

// deployed reports a deployment by a deploy hook.
func deployed(p hook.Document) []hook.Message {
	app := cmp.Or(p.Line(maxText, "app"), "Heroku")
	said := hook.Format("%s deployed version %s of %s", cmp.Or(p.Line(maxText, "user"), "Somebody"), cmp.Or(p.Line(maxText, "head"), "(unknown)"), hook.Link(app, p.Text("url")))
	return hook.One(app, hook.WithQuote(said, hook.Lines(p.Text("git_log")).String()))
}

// event reports an event of an app webhook.
func event(p hook.Document) (said []hook.Message, valid bool) {
	data := p.At("data")
	app := cmp.Or(data.Line(maxText, "app.name"), data.Line(maxText, "name"), "Heroku")
	who := cmp.Or(p.Line(maxText, "actor.email"), "Somebody")
	kind, action := p.Line(maxText, "resource"), p.Line(maxText, "action")
	status := data.Line(maxText, "status")
	switch kind {
	case "release":
		if status == "pending" || status != "failed" && data.Has("current") && !data.True("current") {
			return nil, true // it is reported when it succeeded
		}
		release := hook.Format("release v%s", cmp.Or(data.Line(maxText, "version"), "?"))
		if commit := data.Line(maxText, "slug.commit"); commit != "" {
			release = hook.Format("%s (%s)", release, git.ShortID(commit, ""))
		}
		verb := hook.Format("deployed")
		if status == "failed" {
			verb = hook.Format("failed to deploy")
		}
		return hook.One(app, describe(hook.Format("%s %s %s of %s", who, verb, release, app), data.Line(maxText, "description"))), true
	case "build":
		if status == "pending" {
			return nil, true
		}
		return hook.One(app, hook.Format("%s of %s %s.", hook.Link("Build", data.Text("output_stream_url")), app, cmp.Or(status, "changed"))), true
	case "dyno":
		if data.Line(maxText, "state") != "crashed" {
			return nil, true // dynos start and stop all the time
		}
		return hook.One(app, hook.Format("The dyno %s of %s crashed.", hook.Code(data.Line(maxText, "name")), app)), true
	case "formation":
		return hook.One(app, hook.Format("%s scaled %s of %s to %d × %s.", who, hook.Code(data.Line(maxText, "type")), app, data.Number("quantity"), cmp.Or(data.Line(maxText, "size"), "dyno"))), true
	case "addon", "add-on":
		return hook.One(app, hook.Format("%s %s the add-on %s of %s.", who, past(action), cmp.Or(data.Line(maxText, "name"), "(unknown)"), app)), true
	case "app":
		return hook.One(app, hook.Format("%s %s the app %s.", who, past(action), hook.Link(app, data.Text("web_url")))), true
	default:
		return hook.One(app, hook.Join(" ", hook.Format("%s %s the %s", who, past(action), cmp.Or(kind, "app")),
			hook.Text(data.Line(maxText, "hostname", "user.email", "name")), hook.Format("of %s.", app))), true
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
