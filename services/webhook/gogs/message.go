package gogs

import (
	"strings"

	"chatserver.dev/services/webhook/hook"
	"chatserver.dev/services/webhook/hook/git"
)

// Reports returns the reports by kind of event. branches names the branches whose pushes are wanted, or is nil for all.
func Reports(branches *string) map[string]hook.Report {
	return map[string]hook.Report{
		"push":          func(e hook.Event) []hook.Message { return push(e, branches) },
		"create":        func(e hook.Event) []hook.Message { return ref(e, hook.Format("created"), true) },
		"delete":        func(e hook.Event) []hook.Message { return ref(e, hook.Format("deleted"), false) },
		"fork":          fork,
		"issues":        issue,
		"issue_comment": issueComment,
		"pull_request":  pullRequest,
		"release":       release,
	}
}

// Sender returns the name of the person who caused the event.
func Sender(e hook.Event) string {
	return e.Person("sender.login", "sender.username", "sender.full_name", "pusher.login", "pusher.username", "pusher.full_name")
}

// repository returns the name of the repository.
func repository(e hook.Event) string { return e.Or("repository.name", "repository.full_name") }

// page returns the address of a page of the repository.
func page(e hook.Event, path string) string {
	address := e.Text("repository.html_url")
	if address == "" {
		return ""
	}
	return strings.TrimSuffix(address, "/") + path
}

func push(e hook.Event, branches *string) []hook.Message {
	name := git.Branch(e.Text("ref"))
	deleted := git.NoCommit(e.Text("after"))
	if strings.HasPrefix(e.Text("ref"), "refs/tags/") {
		return hook.One(repository(e), git.Tag(Sender(e), name, "", deleted))
	}
	if !git.Listed(branches, name) {
		return nil
	}
	if deleted {
		return hook.One(git.Topic(repository(e), name), git.DeletedBranch(Sender(e), name, e.Text("compare_url")))
	}
	p := git.Push{User: Sender(e), Branch: name, Compare: e.Text("compare_url"), Total: int(e.Number("total_commits"))}
	for _, c := range e.List("commits") {
		p.Commits = append(p.Commits, git.Commit{
			ID: c.Text("id"), URL: c.Text("url"), Message: c.Text("message"), Author: c.Or("author.username", "author.name"),
		})
	}
	if len(p.Commits) == 0 {
		p.Total = 0
	}
	return hook.One(git.Topic(repository(e), name), p.Text())
}

// ref reports what happened to a branch or tag, which may exist now.
func ref(e hook.Event, verb hook.Markdown, exists bool) []hook.Message {
	kind, name := e.Text("ref_type"), git.Branch(e.Text("ref"))
	topic, address := repository(e), ""
	if kind == "branch" {
		topic = git.Topic(repository(e), name)
	}
	if exists {
		address = page(e, "/src/"+strings.ReplaceAll(name, "#", "%23"))
	}
	return hook.One(topic, hook.Format("%s %s %s %s.", Sender(e), verb, kind, hook.Link(name, address)))
}

// fork reports a copy. The webhook is one of the original, which is called forkee.
func fork(e hook.Event) []hook.Message {
	return hook.One(e.Or("forkee.name", "forkee.full_name"),
		hook.Format("%s forked %s.", Sender(e), hook.Link(e.Or("repository.full_name", "repository.name"), page(e, ""))))
}

// item returns the issue at a path, and its topic.
func item(e hook.Event, kind, path, pages string) (topic string, i git.Item) {
	of := e.At(path)
	i = git.Item{
		User: Sender(e), Action: e.Text("action"), Kind: kind, Number: of.Text("number"), Title: of.Text("title"), URL: of.Text("html_url"),
	}
	if i.URL == "" {
		i.URL = page(e, pages+i.Number)
	}
	return git.ItemTopic(repository(e), kind, i.Number, i.Title), i
}

// PullRequest returns the pull request of an event, and its topic.
func PullRequest(e hook.Event) (topic string, pr git.Item) {
	return item(e, "PR", "pull_request", "/pulls/")
}

// assignee returns the name of the person to whom the issue at a path is assigned.
func assignee(e hook.Event, path string) string {
	return e.Or(path+".assignee.login", path+".assignee.username", path+".assignee.full_name")
}

func issue(e hook.Event) []hook.Message {
	topic, i := item(e, "Issue", "issue", "/issues/")
	switch i.Action {
	case "label_updated", "label_cleared", "milestoned", "demilestoned":
		return nil
	case "opened", "reopened", "edited":
		i.Body = e.Text("issue.body")
	}
	i.Assignee = assignee(e, "issue")
	return hook.One(topic, i.Text(e.OwnTopic))
}

func issueComment(e hook.Event) []hook.Message {
	topic, i := item(e, "Issue", "issue", "/issues/")
	if e.Has("issue.pull_request") || e.True("is_pull") {
		topic, i = item(e, "PR", "issue", "/pulls/")
	}
	return hook.One(topic, git.Comment{
		User: i.User, Action: i.Action, URL: e.Text("comment.html_url"), On: i.Link(e.OwnTopic), Body: e.Text("comment.body"),
	}.Text())
}

func pullRequest(e hook.Event) []hook.Message {
	topic, pr := PullRequest(e)
	pr.Source = e.Or("pull_request.head.ref", "pull_request.head_branch")
	pr.Target = e.Or("pull_request.base.ref", "pull_request.base_branch")
	switch pr.Action {
	case "opened", "reopened", "edited":
		pr.Body = e.Text("pull_request.body")
	case "closed":
		pr.Action = "closed without merge"
		if e.True("pull_request.merged") {
			pr.Action = "merged"
		}
	case "synchronized":
		pr.Action = "updated"
	case "assigned", "unassigned":
	case "review_requested":
		return hook.One(topic, hook.Format("%s requested %s for a review on %s.",
			pr.User, hook.Link(e.Or("requested_reviewer.login", "requested_reviewer.full_name"), e.Text("requested_reviewer.html_url")), pr.Link(e.OwnTopic)))
	default:
		return nil // labels, milestones, and what there may be once
	}
	pr.Assignee = assignee(e, "pull_request")
	return hook.One(topic, pr.Text(e.OwnTopic))
}

func release(e hook.Event) []hook.Message {
	r := e.At("release")
	topic := git.Topic(repository(e), strings.TrimSpace(r.Text("tag_name")+" "+r.Text("name")))
	address := r.Text("html_url")
	if address == "" {
		address = page(e, "/releases")
	}
	return hook.One(topic, git.Release(Sender(e), e.Text("action"), r.Text("name"), r.Text("tag_name"), address))
}
