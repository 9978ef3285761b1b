package bitbucket2

import (
	"path"
	"strings"

	"chatserver.dev/services/webhook/hook"
	"chatserver.dev/services/webhook/hook/git"
)

// maxValue is the maximum length of a name or value that is shown, in characters.
const maxValue = 200

// reports returns the reports by kind of event; nil: it is ignored.
func reports(branches *string) map[string]hook.Report {
	all := map[string]hook.Report{
		"repo:push":                   func(e hook.Event) []hook.Message { return push(e, branches) },
		"repo:fork":                   fork,
		"repo:updated":                repositoryUpdated,
		"repo:commit_comment_created": commitComment,
		"repo:commit_status_created":  commitStatus,
		"repo:commit_status_updated":  commitStatus,
		"issue:created":               func(e hook.Event) []hook.Message { return issue(e, "created") },
		"issue:updated":               func(e hook.Event) []hook.Message { return issue(e, "updated") },
		"issue:comment_created":       issueComment,
		"pullrequest:created":         func(e hook.Event) []hook.Message { return pullRequestDescribed(e, "created") },
		"pullrequest:updated":         func(e hook.Event) []hook.Message { return pullRequestDescribed(e, "updated") },
		"pullrequest:comment_created": func(e hook.Event) []hook.Message { return pullRequestComment(e, "created") },
		"pullrequest:comment_updated": func(e hook.Event) []hook.Message { return pullRequestComment(e, "updated") },
		"pullrequest:comment_deleted": func(e hook.Event) []hook.Message { return pullRequestComment(e, "deleted") },

		"pullrequest:comment_resolved": nil, "pullrequest:comment_reopened": nil, "repo:imported": nil, "repo:transfer": nil,
	}
	for kind, verb := range map[string]string{
		"approved": "approved", "unapproved": "unapproved", "fulfilled": "merged", "rejected": "rejected",
		"changes_request_created": "requested changes to", "changes_request_removed": "no longer requests changes to",
	} {
		all["pullrequest:"+kind] = func(e hook.Event) []hook.Message { return pullRequest(e, verb) }
	}
	return all
}

// name returns the name of the person or team at a path.
func name(of hook.Document, path string) string {
	return of.At(path).Or("display_name", "nickname", "username")
}

func user(e hook.Event) string { return e.At("actor").Person("display_name", "nickname", "username") }

func repository(e hook.Event) string { return e.Or("repository.name", "repository.full_name") }

// page returns the address of what is at a path.
func page(of hook.Document, path string) string { return of.At(path).Text("links.html.href") }

func push(e hook.Event, branches *string) []hook.Message {
	messages := []hook.Message(nil)
	for _, change := range e.List("push.changes") {
		messages = append(messages, pushed(e, change, branches)...)
	}
	return hook.Bound(messages)
}

// pushed reports what a push did to a branch or tag.
func pushed(e hook.Event, change hook.Document, branches *string) []hook.Message {
	deleted := !change.Has("new")
	ref := change.At("new")
	if deleted {
		ref = change.At("old")
	}
	branch := ref.Text("name")
	if ref.Text("type") == "tag" {
		address := page(ref, "")
		if deleted {
			address = ""
		}
		return hook.One(repository(e), git.Tag(user(e), branch, address, deleted))
	}
	if !git.Listed(branches, branch) {
		return nil
	}
	topic := git.Topic(repository(e), branch)
	switch {
	case deleted:
		return hook.One(topic, git.DeletedBranch(user(e), branch, ""))
	case change.True("forced"):
		return hook.One(topic, git.ForcePush(user(e), branch, ref.Text("target.hash"), page(change, "")))
	}
	p := git.Push{User: user(e), Branch: branch, Compare: page(change, ""), More: change.True("truncated")}
	for _, c := range change.List("commits") {
		author := name(c, "author.user")
		if author == "" {
			author, _, _ = strings.Cut(c.Text("author.raw"), " <")
		}
		p.Commits = append(p.Commits, git.Commit{ID: c.Text("hash"), URL: page(c, ""), Message: c.Text("message"), Author: author})
	}
	return hook.One(topic, p.Text())
}

func fork(e hook.Event) []hook.Message {
	return hook.One(repository(e), hook.Format("%s forked the repository into %s.", user(e), hook.Link(e.Or("fork.full_name", "fork.name"), page(e.Document, "fork"))))
}

func repositoryUpdated(e hook.Event) []hook.Message {
	changes := []hook.Markdown(nil)
	for _, member := range []string{"name", "full_name", "description", "website", "language"} {
		before, after := e.Text("changes."+member+".old"), e.Text("changes."+member+".new")
		if before == after {
			continue
		}
		field := strings.ReplaceAll(member, "_", " ")
		changes = append(changes, hook.Format("%s: from %s to %s", field, value(before), value(after)))
	}
	if len(changes) == 0 {
		return nil
	}
	return hook.One(repository(e), hook.Format("%s changed the repository %s:\n%s", user(e),
		hook.Link(e.Or("repository.full_name", "repository.name"), page(e.Document, "repository")), hook.List(changes...)))
}

// value returns the value of a field in bold.
func value(written string) hook.Markdown {
	if strings.TrimSpace(written) == "" {
		return hook.Format("nothing")
	}
	return hook.Format("**%s**", hook.Cut(written, maxValue))
}

func commitComment(e hook.Event) []hook.Message {
	return hook.One(repository(e), commented(e, "created", git.ShortID(e.Text("commit.hash"), page(e.Document, "commit"))))
}

// commented describes what happened to the event's comment on something.
func commented(e hook.Event, action string, on hook.Markdown) hook.Markdown {
	return git.Comment{User: user(e), Action: action, URL: page(e.Document, "comment"), On: on, Body: e.Text("comment.content.raw")}.Text()
}

func commitStatus(e hook.Event) []hook.Message {
	status := e.At("commit_status")
	id, address := status.Text("commit.hash"), page(status, "commit")
	if id == "" {
		if id = path.Base(status.Text("links.commit.href")); id == "." {
			id = ""
		}
	}
	return hook.One(repository(e), hook.Format("%s changed status of %s to %s.",
		hook.Link(hook.Cut(status.Or("name", "key"), maxValue), status.Text("url")), git.ShortID(id, address), status.Text("state")))
}

// item returns the issue or pull request at a path, and its topic.
func item(e hook.Event, kind, path, action string) (topic string, i git.Item) {
	of := e.At(path)
	i = git.Item{User: user(e), Action: action, Kind: kind, Number: of.Text("id"), Title: of.Text("title"), URL: page(of, "")}
	return git.ItemTopic(repository(e), kind, i.Number, i.Title), i
}

func issue(e hook.Event, action string) []hook.Message {
	topic, i := item(e, "Issue", "issue", action)
	i.Assignee = name(e.Document, "issue.assignee")
	if action == "created" {
		i.Body = e.Text("issue.content.raw")
	}
	return hook.One(topic, i.Text(e.OwnTopic))
}

func issueComment(e hook.Event) []hook.Message {
	topic, i := item(e, "Issue", "issue", "")
	return hook.One(topic, commented(e, "created", i.Link(e.OwnTopic)))
}

// pullRequest reports what happened to a pull request.
func pullRequest(e hook.Event, action string) []hook.Message {
	topic, pr := item(e, "PR", "pullrequest", action)
	return hook.One(topic, pr.Text(e.OwnTopic))
}

// pullRequestDescribed reports a pull request that is new or has changed.
func pullRequestDescribed(e hook.Event, action string) []hook.Message {
	topic, pr := item(e, "PR", "pullrequest", action)
	pr.Source, pr.Target = e.Text("pullrequest.source.branch.name"), e.Text("pullrequest.destination.branch.name")
	pr.Body = e.Or("pullrequest.description", "pullrequest.summary.raw")
	reviewers := []string(nil)
	for _, person := range e.List("pullrequest.reviewers") {
		reviewers = append(reviewers, name(person, ""))
	}
	pr.Assignee = hook.Cut(strings.Join(reviewers, ", "), maxValue)
	return hook.One(topic, pr.Text(e.OwnTopic))
}

func pullRequestComment(e hook.Event, action string) []hook.Message {
	topic, pr := item(e, "PR", "pullrequest", "")
	return hook.One(topic, commented(e, action, pr.Link(e.OwnTopic)))
}
