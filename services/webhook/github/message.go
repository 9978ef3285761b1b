package github

import (
	"cmp"
	"strings"

	"chatserver.dev/services/webhook/hook"
	"chatserver.dev/services/webhook/hook/git"
)

// reports returns the reports by kind of event; nil: it is ignored.
func reports(branches *string) map[string]hook.Report {
	return map[string]hook.Report{
		"push":                        func(e hook.Event) []hook.Message { return push(e, branches) },
		"pull_request":                pullRequest,
		"pull_request_review":         review,
		"pull_request_review_comment": reviewComment,
		"issues":                      issue,
		"issue_comment":               issueComment,
		"commit_comment":              commitComment,
		"create":                      func(e hook.Event) []hook.Message { return ref(e, hook.Format("created")) },
		"delete":                      func(e hook.Event) []hook.Message { return ref(e, hook.Format("deleted")) },
		"deployment":                  deployment,
		"deployment_status":           deployment,
		"fork":                        fork,
		"gollum":                      wiki,
		"member":                      member,
		"membership":                  membership,
		"team":                        team,
		"team_add":                    teamAdd,
		"public":                      public,
		"repository":                  repository,
		"star":                        star,
		"watch": func(e hook.Event) []hook.Message {
			return about(e, hook.Format("%s starred %s.", sender(e), repositoryLink(e)))
		},
		"release":      release,
		"status":       status,
		"check_run":    checkRun,
		"workflow_run": workflowRun,
		"page_build":   pageBuild,
		"ping":         ping,
		"package":      published,

		"discussion":            discussion,
		"discussion_comment":    discussionComment,
		"dependabot_alert":      alert("Dependabot"),
		"code_scanning_alert":   alert("Code scanning"),
		"secret_scanning_alert": alert("Secret scanning"),

		"repository_vulnerability_alert": nil, "project_card": nil, "check_suite": nil, "organization": nil, "milestone": nil, "meta": nil, "label": nil,
		"workflow_job": nil,
		// Those who choose "Send me everything" get these, too.
		"branch_protection_configuration": nil, "branch_protection_rule": nil, "custom_property": nil, "custom_property_values": nil,
		"deploy_key": nil, "deployment_protection_rule": nil, "deployment_review": nil, "installation": nil, "installation_repositories": nil,
		"installation_target": nil, "issue_dependencies": nil, "merge_group": nil, "org_block": nil, "project": nil, "project_column": nil, "projects_v2": nil,
		"projects_v2_item": nil, "projects_v2_status_update": nil, "pull_request_review_thread": nil, "registry_package": nil, "repository_advisory": nil,
		"repository_dispatch": nil, "repository_import": nil, "repository_ruleset": nil, "secret_scanning_alert_location": nil, "secret_scanning_scan": nil,
		"security_advisory": nil, "security_and_analysis": nil, "sponsorship": nil, "sub_issues": nil, "workflow_dispatch": nil,
	}
}

// about returns a message whose topic is the repository.
func about(e hook.Event, content hook.Markdown) []hook.Message {
	return hook.One(e.Text("repository.name"), content)
}

func sender(e hook.Event) string { return e.Person("sender.login") }

func repositoryLink(e hook.Event) hook.Markdown {
	return hook.Link(e.Text("repository.full_name"), e.Text("repository.html_url"))
}

func push(e hook.Event, branches *string) []hook.Message {
	name, user := git.Branch(e.Text("ref")), e.Person("sender.login", "pusher.name")
	if strings.HasPrefix(e.Text("ref"), "refs/tags/") {
		return about(e, git.Tag(user, name, e.Or("head_commit.url", "compare"), e.True("deleted")))
	}
	if !git.Listed(branches, name) {
		return nil
	}
	topic := git.Topic(e.Text("repository.name"), name)
	if e.True("deleted") {
		return hook.One(topic, git.DeletedBranch(user, name, e.Text("compare")))
	}
	p := git.Push{User: user, Branch: name, Compare: e.Text("compare"), Forced: e.True("forced")}
	for _, c := range e.List("commits") {
		p.Commits = append(p.Commits, git.Commit{
			ID: c.Text("id"), URL: c.Text("url"), Message: c.Text("message"), Author: c.Or("author.username", "author.name"),
		})
	}
	return hook.One(topic, p.Text())
}

// item returns the pull request or issue at a path, and the topic for it.
func item(e hook.Event, kind, path string) (topic string, of git.Item) {
	i := e.At(path)
	of = git.Item{
		User: sender(e), Action: e.Text("action"), Kind: kind, Number: i.Text("number"), Title: i.Text("title"), URL: i.Text("html_url"),
		Assignee: i.Text("assignee.login"),
	}
	return git.ItemTopic(e.Text("repository.name"), kind, of.Number, of.Title), of
}

func pullRequest(e hook.Event) []hook.Message {
	topic, pr := item(e, "PR", "pull_request")
	link := pr.Link(e.OwnTopic)
	switch pr.Action {
	case "opened", "reopened", "edited", "synchronize":
		if pr.Action == "synchronize" {
			pr.Action = "updated"
		}
		pr.Source, pr.Target, pr.Body = e.Text("pull_request.head.ref"), e.Text("pull_request.base.ref"), e.Text("pull_request.body")
		return hook.One(topic, pr.Text(e.OwnTopic))
	case "assigned":
		return hook.One(topic, hook.Format("%s assigned %s to %s.", pr.User, link, e.Or("assignee.login", "pull_request.assignee.login")))
	case "unassigned":
		return hook.One(topic, hook.Format("%s unassigned %s from %s.", pr.User, e.Text("assignee.login"), link))
	case "closed":
		if e.True("pull_request.merged") {
			return hook.One(topic, hook.Format("%s merged %s.", pr.User, link))
		}
		return hook.One(topic, hook.Format("%s closed without merge %s.", pr.User, link))
	case "review_requested":
		return hook.One(topic, hook.Format("**%s** requested %s for a review on %s.", pr.User, reviewers(e), link))
	case "ready_for_review":
		return hook.One(topic, hook.Format("**%s** has marked %s as ready for review.", pr.User, link))
	case "converted_to_draft":
		return hook.One(topic, hook.Format("**%s** has marked %s as a draft.", pr.User, link))
	default:
		return nil // labels, locks, milestones, and what there may be once
	}
}

// reviewers returns links to those whose review is requested.
func reviewers(e hook.Event) hook.Markdown {
	all := []hook.Markdown(nil)
	for _, person := range e.List("pull_request.requested_reviewers") {
		all = append(all, hook.Link(person.Text("login"), person.Text("html_url")))
	}
	for _, team := range e.List("pull_request.requested_teams") {
		all = append(all, hook.Link(team.Text("name"), team.Text("html_url")))
	}
	return hook.Join(" and ", all...)
}

func review(e hook.Event) []hook.Message {
	if e.Text("action") == "edited" || e.Text("action") == "dismissed" {
		return nil
	}
	topic, pr := item(e, "PR", "pull_request")
	link := hook.Link("PR Review", e.Text("review.html_url"))
	if e.OwnTopic {
		link = hook.Format("%s for %s", link, pr.Link(true))
	}
	// What it says about the changes; "commented" says nothing.
	verdict := map[string]hook.Markdown{"approved": hook.Format("(approved)"), "changes_requested": hook.Format("(changes requested)")}[e.Text("review.state")]
	said := hook.Join(" ", hook.Format("%s submitted %s", pr.User, link), verdict)
	return hook.One(topic, hook.WithQuote(said, e.Text("review.body")))
}

func reviewComment(e hook.Event) []hook.Message {
	topic, pr := item(e, "PR", "pull_request")
	link := hook.Link("PR Review Comment", e.Text("comment.html_url"))
	if e.OwnTopic {
		link = hook.Format("%s on %s", link, pr.Link(true))
	}
	return hook.One(topic, hook.WithQuote(hook.Format("%s %s %s", pr.User, pr.Action, link), e.Text("comment.body")))
}

func issue(e hook.Event) []hook.Message {
	topic, i := item(e, "Issue", "issue")
	switch i.Action {
	case "labeled", "unlabeled", "milestoned", "demilestoned", "locked", "unlocked", "pinned", "unpinned", "typed", "untyped":
		return nil
	case "opened", "reopened", "edited":
		i.Body = e.Text("issue.body")
	case "unassigned":
		if who := e.Text("assignee.login"); who != "" { // the others still are
			return hook.One(topic, hook.Format("%s unassigned %s from %s.", i.User, who, i.Link(e.OwnTopic)))
		}
	}
	return hook.One(topic, i.Text(e.OwnTopic))
}

func issueComment(e hook.Event) []hook.Message {
	kind := "Issue"
	if e.Has("issue.pull_request") {
		kind = "PR"
	}
	topic, i := item(e, kind, "issue")
	return hook.One(topic, commented(e, i.Action, i.Link(e.OwnTopic)))
}

// commented describes what happened to the event's comment on something.
func commented(e hook.Event, action string, on hook.Markdown) hook.Markdown {
	return git.Comment{User: sender(e), Action: action, URL: e.Text("comment.html_url"), On: on, Body: e.Text("comment.body")}.Text()
}

func commitComment(e hook.Event) []hook.Message {
	page, _, _ := strings.Cut(e.Text("comment.html_url"), "#")
	return about(e, commented(e, "created", git.ShortID(e.Text("comment.commit_id"), page)))
}

func ref(e hook.Event, verb hook.Markdown) []hook.Message {
	if e.Text("ref_type") == "repository" {
		return about(e, hook.Format("%s %s the repository.", sender(e), verb))
	}
	return about(e, hook.Format("%s %s %s %s.", sender(e), verb, e.Text("ref_type"), e.Text("ref")))
}

func deployment(e hook.Event) []hook.Message {
	topic := git.Topic(e.Text("repository.name"), "Deployment on "+e.Text("deployment.environment"))
	if e.Has("deployment_status") {
		return hook.One(topic, hook.Format("Deployment changed status to %s.", linkedState(e.At("deployment_status"))))
	}
	return hook.One(topic, hook.Format("%s created new deployment.", sender(e)))
}

// linkedState returns a state with a link to the page that explains it, if there is one.
func linkedState(of hook.Document) hook.Markdown {
	return hook.Link(of.Text("state"), of.Text("target_url"))
}

func fork(e hook.Event) []hook.Message {
	return about(e, hook.Format("%s forked %s.", sender(e), hook.Link(e.Or("forkee.name", "repository.name"), e.Text("forkee.html_url"))))
}

func wiki(e hook.Event) []hook.Message {
	lines := []hook.Markdown{hook.Format("%s:", sender(e))}
	for _, page := range e.List("pages") {
		lines = append(lines, hook.Format("* %s %s", page.Text("action"), hook.Link(page.Text("title"), page.Text("html_url"))))
	}
	return hook.One(git.Topic(e.Text("repository.name"), "Wiki Pages"), hook.Join("\n", lines...))
}

// memberLink returns a link to the account that became or was a member.
func memberLink(e hook.Event) hook.Markdown {
	return hook.Link(e.Text("member.login"), e.Text("member.html_url"))
}

func member(e hook.Event) []hook.Message {
	to := hook.Format("to")
	switch e.Text("action") {
	case "edited":
		return about(e, hook.Format("%s changed what %s may do in %s.", sender(e), memberLink(e), repositoryLink(e)))
	case "removed":
		to = hook.Format("from")
	}
	return about(e, hook.Format("%s %s %s %s %s.", sender(e), e.Text("action"), memberLink(e), to, repositoryLink(e)))
}

func membership(e hook.Event) []hook.Message {
	to := hook.Format("to")
	if e.Text("action") == "removed" {
		to = hook.Format("from")
	}
	return hook.One(e.Text("organization.login")+" organization",
		hook.Format("%s %s %s %s the %s team.", sender(e), e.Text("action"), memberLink(e), to, e.Text("team.name")))
}

func team(e hook.Event) []hook.Message {
	name := e.Text("team.name")
	topic := "team " + name
	before := e.At("changes")
	switch {
	case e.Text("action") == "added_to_repository":
		return hook.One(topic, hook.Format("%s added the team **%s** to %s.", sender(e), name, repositoryLink(e)))
	case e.Text("action") == "removed_from_repository":
		return hook.One(topic, hook.Format("%s removed the team **%s** from %s.", sender(e), name, repositoryLink(e)))
	case e.Text("action") != "edited":
		return hook.One(topic, hook.Format("%s %s the team **%s**.", sender(e), e.Text("action"), name))
	case before.Has("description"):
		return hook.One(topic, hook.WithQuote(hook.Format("**%s** changed the team description to", sender(e)), e.Text("team.description")))
	case before.Has("name"):
		return hook.One("team "+before.Text("name.from"), hook.Format("Team %s was renamed to **%s**.", hook.Code(before.Text("name.from")), name))
	case before.Has("privacy"):
		return hook.One(topic, hook.Format("Team visibility changed to %s.", hook.Code(e.Text("team.privacy"))))
	default:
		return hook.One(topic, hook.Format("%s edited the team **%s**.", sender(e), name))
	}
}

func teamAdd(e hook.Event) []hook.Message {
	return about(e, hook.Format("The repository %s was added to team %s.", repositoryLink(e), e.Text("team.name")))
}

func public(e hook.Event) []hook.Message {
	return about(e, hook.Format("%s made the repository %s public.", sender(e), repositoryLink(e)))
}

func repository(e hook.Event) []hook.Message {
	return about(e, hook.Format("%s %s the repository %s.", sender(e), e.Text("action"), repositoryLink(e)))
}

func star(e hook.Event) []hook.Message {
	verb := hook.Format("starred")
	if e.Text("action") == "deleted" {
		verb = hook.Format("unstarred")
	}
	return about(e, hook.Format("%s %s the repository %s.", sender(e), verb, repositoryLink(e)))
}

func release(e hook.Event) []hook.Message {
	if e.Text("action") == "created" || e.Text("action") == "released" || e.Text("action") == "prereleased" {
		return nil // a published event comes, too
	}
	return about(e, git.Release(sender(e), e.Text("action"), e.Text("release.name"), e.Text("release.tag_name"), e.Text("release.html_url")))
}

func status(e hook.Event) []hook.Message {
	return about(e, hook.Format("%s changed its status to %s.", git.ShortID(e.Text("sha"), e.Text("commit.html_url")), linkedState(e.Document)))
}

func checkRun(e hook.Event) []hook.Message {
	run := e.At("check_run")
	if run.Text("status") != "completed" || e.Text("action") == "rerequested" || e.Text("action") == "requested_action" {
		return nil
	}
	id := run.Text("head_sha")
	return hook.One(git.Topic(e.Text("repository.name"), "checks"), hook.Format("Check %s completed (%s). (%s)",
		hook.Link(run.Text("name"), run.Text("html_url")), cmp.Or(run.Text("conclusion"), "no result"), git.ShortID(id, e.Text("repository.html_url")+"/commit/"+id)))
}

func workflowRun(e hook.Event) []hook.Message {
	run := e.At("workflow_run")
	if e.Text("action") != "completed" {
		return nil
	}
	id := run.Text("head_sha")
	return hook.One(git.Topic(e.Text("repository.name"), run.Text("head_branch")), hook.Format("Workflow %s completed (%s). (%s)",
		hook.Link(run.Text("name")+" #"+run.Text("run_number"), run.Text("html_url")), cmp.Or(run.Text("conclusion"), "no result"), git.ShortID(id, e.Text("repository.html_url")+"/commit/"+id)))
}

// published says that a version of a package was published.
func published(e hook.Event) []hook.Message {
	p := e.At("package")
	version := p.At("package_version")
	return about(e, hook.Format("%s %s version %s of the %s package %s.", sender(e), e.Text("action"), version.Text("version"), p.Text("package_type"),
		hook.Link(p.Text("name"), cmp.Or(version.Text("html_url"), p.Text("html_url")))))
}

func pageBuild(e hook.Event) []hook.Message {
	text := hook.Format("Github Pages build, triggered by %s, is %s.", e.Person("build.pusher.login", "sender.login"), hook.Code(e.Text("build.status")))
	if problem := e.Text("build.error.message"); problem != "" {
		text = hook.Format("Github Pages build, triggered by %s, failed:\n\n%s", e.Person("build.pusher.login", "sender.login"), hook.CodeBlock("", problem))
	}
	return about(e, text)
}

func ping(e hook.Event) []hook.Message {
	topic := e.Or("repository.name", "organization.login")
	if topic == "" && e.Has("hook") { // of an app, which is of neither
		topic = "GitHub"
	}
	return hook.One(topic, git.Configured("GitHub", e.Text("sender.login")))
}
