package netlify

import (
	"strings"

	"chatserver.dev/services/webhook/hook"
)

// maxValue is the maximum length of a value that is shown, in characters.
const maxValue = 500

// reports returns the reports by kind of event; nil: it is ignored.
func reports() map[string]hook.Report {
	all := map[string]hook.Report{
		"deploy_failed":      failed,
		"submission_created": submission,

		"deploy_deleted": nil, "split_test_activated": nil, "split_test_deactivated": nil, "split_test_modified": nil,
	}
	for kind, state := range map[string]string{
		"deploy_created": "created", "deploy_building": "building", "deploy_locked": "locked", "deploy_unlocked": "unlocked",
		"deploy_request_pending": "awaiting approval", "deploy_request_accepted": "accepted", "deploy_request_rejected": "rejected",
	} {
		all[kind] = func(e hook.Event) []hook.Message {
			return hook.One(topic(e), hook.Format("%s is now %s.", deploy(e), state))
		}
	}
	return all
}

// topic returns the branch, or the site of a deploy that isn't of one.
func topic(e hook.Event) string { return e.Or("branch", "name") }

// deploy names a deploy, with a link to its page.
func deploy(e hook.Event) hook.Markdown {
	address, id := e.Text("admin_url"), e.Or("id", "build_id")
	if address != "" && id != "" {
		address = strings.TrimSuffix(address, "/") + "/deploys/" + id
	} else {
		address = e.Or("deploy_ssl_url", "deploy_url", "ssl_url", "url")
	}
	text := hook.Format("The build %s", hook.Link(e.Or("name", "site_id"), address))
	if branch := e.Text("branch"); branch != "" {
		text = hook.Format("%s on branch %s", text, branch)
	}
	return text
}

func failed(e hook.Event) []hook.Message {
	problem := hook.Cut(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(e.Text("error_message")), "Failed ")), maxValue)
	if problem == "" {
		return hook.One(topic(e), hook.Format("%s failed.", deploy(e)))
	}
	return hook.One(topic(e), hook.Format("%s failed: %s", deploy(e), problem))
}

// submission reports that somebody has filled in a form of the site.
func submission(e hook.Event) []hook.Message {
	fields := []hook.Markdown(nil)
	filled, labeled := e.At("human_fields"), true
	if len(filled.Names("")) == 0 {
		filled, labeled = e.At("data"), false
	}
	for _, name := range filled.Names("") {
		if !labeled && (name == "ip" || name == "user_agent" || name == "referrer") { // nobody has typed it in
			continue
		}
		fields = append(fields, hook.Format("**%s**: %s", hook.Cut(name, maxValue), hook.Cut(filled.Member(name), maxValue)))
	}
	form := e.Or("form_name", "form_id")
	return hook.One(form, hook.Join("\n\n", hook.Format("New submission of the form **%s** of %s:", form, hook.Link(e.Or("site_name", "site_url"), e.Text("site_url"))), hook.List(fields...)))
}
