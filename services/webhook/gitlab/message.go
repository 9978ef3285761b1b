package gitlab

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"

	"chatserver.dev/services/webhook/hook"
	"chatserver.dev/services/webhook/hook/git"
)

const (
	systemHook = "System Hook"
	// maxNames is the maximum length of the names of those to whom something is assigned, in characters.
	maxNames = 200
)

// kindOfSystemHook returns the event of a system hook. It is named in the payload, and otherwise as that of a project.
func kindOfSystemHook(payload hook.Document) string {
	switch payload.Or("event_name", "object_kind") {
	case "push":
		return "Push Hook"
	case "tag_push":
		return "Tag Push Hook"
	case "merge_request":
		return "Merge Request Hook"
	case "issue", "work_item":
		return "Issue Hook"
	case "note":
		return "Note Hook"
	case "pipeline":
		return "Pipeline Hook"
	case "build":
		return "Job Hook"
	default:
		return systemHook
	}
}

// reports returns the reports by kind of event; nil: it is ignored.
func reports(branches *string, titles bool) map[string]hook.Report {
	all := map[string]hook.Report{
		"Push Hook":               func(e hook.Event) []hook.Message { return push(e, branches) },
		"Tag Push Hook":           tag,
		"Issue Hook":              issue,
		"Confidential Issue Hook": issue,
		"Merge Request Hook":      func(e hook.Event) []hook.Message { return mergeRequest(e, titles) },
		"Note Hook":               func(e hook.Event) []hook.Message { return note(e, titles) },
		"Confidential Note Hook":  func(e hook.Event) []hook.Message { return note(e, titles) },
		"Wiki Page Hook":          wikiPage,
		"Job Hook":                job,
		"Build Hook":              job,
		"Pipeline Hook":           pipeline,
		"Release Hook":            release,
		"Deployment Hook":         deployment,
		"Feature Flag Hook":       featureFlag,
		"Test Hook":               test,
	}
	for kind, report := range all {
		all[kind] = func(e hook.Event) []hook.Message { return withProject(e, report(e)) }
	}
	all["Vulnerability Hook"] = vulnerability // without a project to link to
	for _, kind := range []string{
		"Emoji Hook", "Member Hook", "Subgroup Hook", "Project Hook", "Milestone Hook", "Resource Access Token Hook",
		systemHook, // accounts, keys, groups and the like: nobody can deselect them
	} {
		all[kind] = nil
	}
	return all
}

// withProject says which project messages are about, unless their topics do.
func withProject(e hook.Event, messages []hook.Message) []hook.Message {
	if !e.OwnTopic {
		return messages
	}
	for i, m := range messages {
		messages[i].Content = hook.Format("[%s] %s", hook.Link(project(e), page(e)), m.Content)
	}
	return messages
}

// project returns the name of the project.
func project(e hook.Event) string { return e.Or("project.name", "repository.name", "project_name") }

// page returns the address of the project, followed by the elements of a path.
func page(e hook.Event, path ...string) string {
	address := strings.TrimSuffix(e.Or("project.web_url", "repository.homepage"), "/")
	if address == "" || len(path) == 0 {
		return address
	}
	elements := []string{address, "-"}
	for _, element := range path {
		elements = append(elements, url.PathEscape(element))
	}
	return strings.Join(elements, "/")
}

// user returns the name of the person who caused the event.
func user(e hook.Event) string {
	return e.Person("user.name", "user_name", "user.username", "user_username")
}

func push(e hook.Event, branches *string) []hook.Message {
	branch, before, after := git.Branch(e.Text("ref")), e.Text("before"), e.Text("after")
	if !git.Listed(branches, branch) {
		return nil
	}
	topic := git.Topic(project(e), branch)
	if git.NoCommit(after) {
		return hook.One(topic, git.DeletedBranch(user(e), branch, ""))
	}
	p := git.Push{User: user(e), Branch: branch, Compare: page(e, "compare", before+"..."+after), Total: int(e.Number("total_commits_count"))}
	if git.NoCommit(before) {
		p.Compare = page(e, "commits", after)
	}
	for _, c := range e.List("commits") {
		p.Commits = append(p.Commits, git.Commit{ID: c.Text("id"), URL: c.Text("url"), Message: c.Or("message", "title"), Author: c.Text("author.name")})
	}
	if len(p.Commits) == 0 {
		p.Total = 0
	}
	return hook.One(topic, p.Text())
}

func tag(e hook.Event) []hook.Message {
	name := git.Branch(e.Text("ref"))
	if git.NoCommit(e.Text("after")) {
		return hook.One(project(e), git.Tag(user(e), name, "", true))
	}
	return hook.One(project(e), git.Tag(user(e), name, page(e, "tags", name), false))
}

// item returns the issue, merge request or snippet at a path.
func item(e hook.Event, kind, path string) git.Item {
	i := e.At(path)
	return git.Item{User: user(e), Kind: kind, Number: i.Or("iid", "id"), Title: i.Text("title"), URL: i.Text("url")}
}

// comment matches a comment in HTML, such as the hints in templates for issues.
var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// description returns the description of an issue or merge request, without comments.
func description(e hook.Event) string {
	return strings.TrimSpace(comment.ReplaceAllString(e.Text("object_attributes.description"), ""))
}

// assignees returns the names of those to whom an issue or merge request is assigned.
func assignees(e hook.Event) string {
	names := []string(nil)
	for _, person := range e.List("assignees") {
		names = append(names, person.Or("name", "username"))
	}
	if len(names) == 0 {
		names = append(names, e.Or("assignee.name", "assignee.username"))
	}
	return hook.Cut(strings.Join(names, ", "), maxNames)
}

func action(e hook.Event) string { return cmp.Or(e.Text("object_attributes.action"), "open") }

func issue(e hook.Event) []hook.Message {
	i := item(e, cmp.Or(e.Text("object_attributes.type"), "Issue"), "object_attributes")
	switch i.Action = action(e); i.Action {
	case "open":
		i.Action, i.Body, i.Assignee = "created", description(e), assignees(e)
	case "close":
		i.Action = "closed"
	case "reopen":
		i.Action = "reopened"
	case "update":
		i.Action, i.Assignee = "updated", assignees(e)
	default:
		return nil
	}
	return hook.One(git.ItemTopic(project(e), i.Kind, i.Number, i.Title), i.Text(e.OwnTopic))
}

// mergeRequestTopic returns the topic of a merge request.
func mergeRequestTopic(e hook.Event, i git.Item, titles bool) string {
	if !titles {
		i.Title = ""
	}
	return git.ItemTopic(project(e), i.Kind, i.Number, i.Title)
}

func mergeRequest(e hook.Event, titles bool) []hook.Message {
	i := item(e, "MR", "object_attributes")
	described := false
	switch i.Action = action(e); i.Action {
	case "open":
		i.Action, described = "created", true
	case "update":
		i.Action, described = "updated", true
		if e.Has("object_attributes.oldrev") {
			i.Action, described = "added commit(s) to", false
		}
	case "close":
		i.Action = "closed"
	case "reopen":
		i.Action = "reopened"
	case "merge":
		i.Action = "merged"
	case "approved", "approval":
		i.Action = "approved"
	case "unapproved", "unapproval":
		i.Action = "unapproved"
	default:
		return nil
	}
	if described {
		i.Source, i.Target = e.Text("object_attributes.source_branch"), e.Text("object_attributes.target_branch")
		i.Body, i.Assignee = description(e), assignees(e)
	}
	return hook.One(mergeRequestTopic(e, i, titles), i.Text(e.OwnTopic))
}

func note(e hook.Event, titles bool) []hook.Message {
	if e.True("object_attributes.system") {
		return nil // another event comes, too
	}
	topic := project(e)
	var on hook.Markdown
	address := e.Text("object_attributes.url")
	whole, _, _ := strings.Cut(address, "#")
	about := func(kind, path string) git.Item {
		i := item(e, kind, path)
		i.URL = cmp.Or(i.URL, whole)
		return i
	}
	switch kind := e.Text("object_attributes.noteable_type"); kind {
	case "MergeRequest":
		i := about("MR", "merge_request")
		topic, on = mergeRequestTopic(e, i, titles), i.Link(e.OwnTopic)
	case "Issue", "Snippet":
		i := about(kind, strings.ToLower(kind))
		topic, on = git.ItemTopic(project(e), kind, i.Number, i.Title), i.Link(e.OwnTopic)
	case "Commit":
		on = git.ShortID(e.Or("commit.id", "object_attributes.commit_id"), cmp.Or(e.Text("commit.url"), whole))
	default:
		on = hook.Link(cmp.Or(kind, project(e)), whole)
	}
	action := "created"
	if e.Text("object_attributes.action") == "update" {
		action = "edited"
	}
	return hook.One(topic, git.Comment{
		User: user(e), Action: action, URL: address, On: on, Body: e.Or("object_attributes.note", "object_attributes.description"),
	}.Text())
}

func wikiPage(e hook.Event) []hook.Message {
	verb := hook.Format("updated")
	switch action(e) {
	case "create", "open":
		verb = hook.Format("created")
	case "delete":
		verb = hook.Format("deleted")
	}
	title := hook.Cut(e.Text("object_attributes.title"), maxNames)
	return hook.One(project(e), hook.Format("%s %s %s.", user(e), verb, hook.Link(`Wiki Page "`+title+`"`, e.Text("object_attributes.url"))))
}

// change returns what happened to a job or a pipeline that has a state now.
func change(state string) hook.Markdown {
	switch state {
	case "created":
		return hook.Format("was created")
	case "running":
		return hook.Format("started")
	case "":
		return hook.Format("was updated")
	default:
		return hook.Format("changed status to %s", state)
	}
}

func job(e hook.Event) []hook.Message {
	return hook.One(git.Topic(project(e), git.Branch(e.Text("ref"))),
		hook.Format("Build %s from %s stage %s.", e.Text("build_name"), e.Text("build_stage"), change(e.Text("build_status"))))
}

func pipeline(e hook.Event) []hook.Message {
	p := e.At("object_attributes")
	state := p.Text("status")
	if state == "pending" {
		state = "created"
	}
	address := p.Text("url")
	if address == "" {
		address = page(e, "pipelines", p.Text("id"))
	}
	text := hook.Format("%s %s", hook.Link("Pipeline ("+p.Text("id")+")", address), change(state))
	builds := []hook.Markdown(nil)
	for _, b := range e.List("builds") {
		build := page(e, "jobs", b.Text("id"))
		line := hook.Link(b.Text("name"), build)
		if status := b.Text("status"); status != "" {
			line = hook.Format("%s - %s.", line, status)
		}
		if file := b.Text("artifacts_file.filename"); file != "" {
			line = hook.Format("%s\n  * built artifact: %s [%s|%s]", line, hook.Code(hook.Cut(file, maxNames)),
				hook.Link("Browse", build+"/artifacts/browse"), hook.Link("Download", build+"/artifacts/download"))
		}
		builds = append(builds, line)
	}
	topic := git.Topic(project(e), git.Branch(p.Text("ref")))
	if len(builds) == 0 {
		return hook.One(topic, hook.Format("%s.", text))
	}
	return hook.One(topic, hook.Format("%s with build(s):\n%s", text, hook.List(builds...)))
}

func release(e hook.Event) []hook.Message {
	verb := hook.Format("updated")
	switch e.Text("action") {
	case "create":
		verb = hook.Format("created")
	case "delete":
		verb = hook.Format("deleted")
	}
	return hook.One(project(e), hook.WithQuote(hook.Format("Release %s for tag %s was %s",
		hook.Link(hook.Cut(e.Or("name", "tag"), maxNames), e.Text("url")), e.Text("tag"), verb), e.Text("description")))
}

func deployment(e hook.Event) []hook.Message {
	return hook.One(git.Topic(project(e), "Deployment on "+e.Text("environment")), hook.Format("%s of %s to %s by %s changed status to %s.",
		hook.Link("Deployment", e.Text("deployable_url")), git.ShortID(e.Text("short_sha"), e.Text("commit_url")), e.Text("environment"), user(e), e.Text("status")))
}

func featureFlag(e hook.Event) []hook.Message {
	state := hook.Format("off")
	if e.True("object_attributes.active") {
		state = hook.Format("on")
	}
	return hook.One(project(e), hook.Format("%s turned the feature flag **%s** %s.", user(e), e.Text("object_attributes.name"), state))
}

func test(e hook.Event) []hook.Message {
	return hook.One(project(e), hook.Format("Webhook for **%s** has been successfully configured.", project(e)))
}

// vulnerability reports what a scan has found, and what became of it. The payload names the project only in addresses.
func vulnerability(e hook.Event) []hook.Message {
	found := e.At("object_attributes")
	address := found.Text("url")
	of, _, _ := strings.Cut(address, "/-/")
	details := hook.Markdown{}
	if severity := found.Text("severity"); severity != "" {
		details = hook.Format(" (%s)", severity)
	}
	return hook.One(git.Topic(cmp.Or(project(e), of[strings.LastIndexByte(of, '/')+1:]), "alerts"), hook.Format("Vulnerability %s is %s%s.",
		hook.Link(hook.Cut(found.Text("title"), maxNames), address), found.Text("state"), details))
}
