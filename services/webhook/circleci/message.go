package circleci

import (
	"strings"

	"chatserver.dev/services/webhook/hook"
	"chatserver.dev/services/webhook/hook/git"
)

const (
	// notification is the kind of what CircleCI sent before it had webhooks with a type.
	notification = "build"
	// maxNames is the maximum length of the names of people, in characters.
	maxNames = 200
	// maxCommits is the maximum number of commits that are named.
	maxCommits = 20
)

// kindOf returns the kind of event.
func kindOf(payload hook.Document) string {
	kind := payload.Text("type")
	if kind == "" && payload.Has("payload") {
		return notification
	}
	return kind
}

// reports returns the reports by kind of event.
func reports() map[string]hook.Report {
	return map[string]hook.Report{
		notification:         build,
		"workflow-completed": workflow,
		"job-completed":      job,
		"ping":               ping,
	}
}

// result says in words how something ended.
func result(outcome string) hook.Markdown {
	switch outcome {
	case "success", "fixed":
		return hook.Format("has succeeded")
	case "failed":
		return hook.Format("has failed")
	case "canceled":
		return hook.Format("was canceled")
	case "infrastructure_fail", "error":
		return hook.Format("encountered an infrastructure failure")
	case "timedout":
		return hook.Format("timed out")
	case "no_tests":
		return hook.Format("had no tests")
	case "unauthorized":
		return hook.Format("was not authorized to run")
	case "":
		return hook.Format("has ended")
	default:
		return hook.Format("ended with status %s", outcome)
	}
}

func build(e hook.Event) []hook.Message {
	b := e.At("payload")
	topic := b.Or("reponame", "vcs_url")
	where, outcome := branch(b.Or("branch", "vcs_tag")), result(b.Or("outcome", "status"))
	if !b.Has("build_num") {
		return hook.One(topic, hook.Format("%s.", hook.Join(" ",
			hook.Format("%s triggered by %s", hook.Link("Build", b.Text("build_url")), b.Person("username", "user.login", "user.name")), where, outcome)))
	}
	name := hook.Code(b.Or("workflows.job_name", "job_name", "build_parameters.CIRCLE_JOB"))
	if flow := hook.Code(b.Text("workflows.workflow_name")); !flow.Empty() {
		name = hook.Join("/", name, flow)
	}
	text := hook.Format("Build %s", hook.Link("#"+b.Text("build_num"), b.Text("build_url")))
	if !name.Empty() {
		text = hook.Format("%s of %s", text, name)
	}
	return hook.One(topic, hook.Join("\n\n", hook.Format("%s.", hook.Join(" ", text, where, outcome)), hook.List(details(b)...)))
}

// branch says in which branch something happened; empty: it isn't known.
func branch(name string) hook.Markdown {
	if name == "" {
		return hook.Markdown{}
	}
	return hook.Format("on branch %s", hook.Code(name))
}

// details describes what was built.
func details(b hook.Document) []hook.Markdown {
	items, commits := []hook.Markdown(nil), []hook.Markdown(nil)
	authors, committers := []string{}, []string{}
	all := b.List("all_commit_details")
	for _, c := range all[:min(len(all), maxCommits)] {
		commits = append(commits, git.ShortID(c.Text("commit"), c.Text("commit_url")))
		authors = add(authors, c.Or("author_name", "author_login"))
		committers = add(committers, c.Or("committer_name", "committer_login"))
	}
	if len(all) == 0 && b.Has("vcs_revision") {
		commits = append(commits, git.ShortID(b.Text("vcs_revision"), ""))
		authors = add(authors, b.Text("author_name"))
		committers = add(committers, b.Text("committer_name"))
	}
	if more := len(all) - maxCommits; more > 0 {
		commits = append(commits, hook.Format("and %d more", more))
	}
	switch {
	case len(commits) == 1:
		items = append(items, hook.Format("**Commit**: %s", commits[0]))
	case len(commits) > 1:
		items = append(items, hook.Format("**Commits (%d)**: %s", len(all), hook.Join(", ", commits...)))
	}
	for _, request := range b.List("pull_requests") {
		items = append(items, hook.Format("**Pull Request**: %s", hook.Link("", request.Text("url"))))
		break
	}
	return append(append(items, people(hook.Format("Author"), authors)...), people(hook.Format("Committer"), committers)...)
}

// add adds a name, unless it is empty or there already.
func add(names []string, name string) []string {
	for _, other := range names {
		if other == name {
			return names
		}
	}
	if name == "" {
		return names
	}
	return append(names, name)
}

// people returns an item with names, or none.
func people(role hook.Markdown, names []string) []hook.Markdown {
	list := hook.Cut(strings.Join(names, ", "), maxNames)
	switch len(names) {
	case 0:
		return nil
	case 1:
		return []hook.Markdown{hook.Format("**%s**: %s", role, list)}
	default:
		return []hook.Markdown{hook.Format("**%ss**: %s", role, list)}
	}
}

func workflow(e hook.Event) []hook.Message {
	return completed(e, hook.Format("Workflow %s", hook.Link(e.Text("workflow.name"), e.Text("workflow.url"))), e.Text("workflow.status"))
}

func job(e hook.Event) []hook.Message {
	name, number, address := e.Text("job.name"), e.Text("job.number"), e.Text("workflow.url")
	if address != "" && number != "" {
		address += "/jobs/" + number
	}
	if number != "" {
		name += " #" + number
	}
	text := hook.Format("Job %s", hook.Link(name, address))
	if flow := hook.Code(e.Text("workflow.name")); !flow.Empty() {
		text = hook.Format("%s of workflow %s", text, flow)
	}
	return completed(e, text, e.Text("job.status"))
}

// completed reports that a workflow or a job has ended.
func completed(e hook.Event, text hook.Markdown, status string) []hook.Message {
	if number := e.Text("pipeline.number"); number != "" {
		text = hook.Format("%s in pipeline #%s", text, number)
	}
	source := e.At("pipeline.vcs")
	if !e.Has("pipeline.vcs") { // the project is connected by CircleCI's app at GitHub, or to GitLab
		source = e.At("pipeline.trigger_parameters.git")
	}
	where := branch(source.Text("branch"))
	if tag := source.Text("tag"); where.Empty() && tag != "" {
		where = hook.Format("on tag %s", hook.Code(tag))
	}
	return hook.One(e.Or("project.name", "project.slug"), hook.Join("\n\n", hook.Format("%s.", hook.Join(" ", text, where, result(status))), hook.List(revision(source)...)))
}

// revision describes the commit of a pipeline.
func revision(source hook.Document) []hook.Markdown {
	items := []hook.Markdown(nil)
	if id := source.Or("revision", "checkout_sha"); id != "" {
		address := source.Or("target_repository_url", "origin_repository_url", "repo_url")
		if address != "" {
			address += "/commit/" + id
		}
		items = append(items, hook.Format("**Commit**: %s", hook.Join(" ", git.ShortID(id, address), hook.Text(hook.Cut(source.Or("commit.subject", "commit_title"), maxNames)))))
	}
	if author := source.Or("commit.author.name", "commit_author_name"); author != "" {
		items = append(items, hook.Format("**Author**: %s", hook.Cut(author, maxNames)))
	}
	return items
}

func ping(e hook.Event) []hook.Message {
	topic := e.Or("project.name", "webhook.name")
	if topic == "" {
		topic = "CircleCI"
	}
	return hook.One(topic, git.Configured("CircleCI", ""))
}
