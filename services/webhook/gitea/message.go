package gitea

import (
	"strings"

	"chatserver.dev/services/webhook/gogs"
	"chatserver.dev/services/webhook/hook"
	"chatserver.dev/services/webhook/hook/git"
)

// maxTitle is the maximum length of the title of a page, in characters.
const maxTitle = 200

// reports returns the reports by kind of event: those of Gogs, and what only Gitea has; nil: it is ignored.
func reports(branches *string) map[string]hook.Report {
	all := gogs.Reports(branches)
	all["pull_request_approved"] = func(e hook.Event) []hook.Message { return review(e, hook.Format("approved")) }
	all["pull_request_rejected"] = func(e hook.Event) []hook.Message { return review(e, hook.Format("requested changes to")) }
	all["pull_request_comment"] = func(e hook.Event) []hook.Message { return review(e, hook.Format("reviewed")) }
	all["wiki"] = wiki
	all["repository"] = repository
	all["package"] = published
	all["status"] = status
	all["workflow_run"] = workflowRun
	all["workflow_job"] = nil
	for kind, ended := range map[string]string{"success": "succeeded", "failure": "failed", "recover": "succeeded again"} { // of Forgejo
		all["action_run_"+kind] = func(e hook.Event) []hook.Message { return actionRun(e, ended) }
	}
	return all
}

func review(e hook.Event, verb hook.Markdown) []hook.Message {
	topic, pr := gogs.PullRequest(e)
	return hook.One(topic, hook.WithQuote(hook.Format("%s %s %s", pr.User, verb, pr.Link(e.OwnTopic)), e.Text("review.content")))
}

func wiki(e hook.Event) []hook.Message {
	title := e.Text("page")
	address := e.Text("repository.html_url")
	if address != "" && e.Text("action") != "deleted" {
		address += "/wiki/" + strings.ReplaceAll(title, "#", "%23")
	}
	return hook.One(git.Topic(e.Text("repository.name"), "Wiki Pages"), hook.WithQuote(
		hook.Format("%s %s %s", gogs.Sender(e), e.Text("action"), hook.Link(hook.Cut(title, maxTitle), address)), e.Text("comment")))
}

func repository(e hook.Event) []hook.Message {
	return hook.One(e.Text("repository.name"), hook.Format("%s %s the repository %s.", gogs.Sender(e), e.Text("action"),
		hook.Link(e.Or("repository.full_name", "repository.name"), e.Text("repository.html_url"))))
}

func published(e hook.Event) []hook.Message {
	p := e.At("package")
	return hook.One(git.Topic(e.Or("repository.name", "package.repository.name", "package.owner.login"), p.Text("name")),
		hook.Format("%s %s version %s of the %s package %s.", gogs.Sender(e), e.Text("action"), p.Text("version"), p.Text("type"),
			hook.Link(p.Text("name"), p.Text("html_url"))))
}

func status(e hook.Event) []hook.Message {
	text := hook.Format("%s changed its status to %s", git.ShortID(e.Or("sha", "commit.id"), e.Or("commit.url", "commit.html_url")), hook.Link(e.Text("state"), e.Text("target_url")))
	if check := hook.Cut(e.Or("context", "description"), maxTitle); check != "" {
		text = hook.Format("%s (%s)", text, check)
	}
	return hook.One(e.Text("repository.name"), hook.Format("%s.", text))
}

func workflowRun(e hook.Event) []hook.Message {
	run := e.At("workflow_run")
	if e.Text("action") != "completed" {
		return nil
	}
	id := run.Text("head_sha")
	return hook.One(git.Topic(e.Text("repository.name"), run.Text("head_branch")), hook.Format("Workflow %s completed (%s). (%s)",
		hook.Link(hook.Cut(run.Or("display_title", "name", "path"), maxTitle)+" #"+run.Text("run_number"), run.Text("html_url")), run.Text("conclusion"),
		git.ShortID(id, e.Text("repository.html_url")+"/commit/"+id)))
}

// actionRun reports how a run of a workflow ended, as Forgejo sends it.
func actionRun(e hook.Event, ended string) []hook.Message {
	run := e.At("run")
	id, repository := run.Text("commit_sha"), run.At("repository")
	return hook.One(git.Topic(repository.Text("name"), run.Text("prettyref")), hook.Format("Workflow %s %s. (%s)",
		hook.Link(hook.Cut(run.Or("title", "workflow_id"), maxTitle)+" #"+run.Text("index_in_repo"), run.Text("html_url")), ended,
		git.ShortID(id, repository.Text("html_url")+"/commit/"+id)))
}
