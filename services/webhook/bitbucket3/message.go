package bitbucket3

import (
	"net/url"
	"strings"

	"chatserver.dev/services/webhook/hook"
	"chatserver.dev/services/webhook/hook/git"
)

// maxNames is the maximum length of the names of reviewers, in characters.
const maxNames = 200

// reports returns the reports by kind of event; nil: it is ignored.
func reports(branches *string) map[string]hook.Report {
	all := map[string]hook.Report{
		"repo:refs_changed":    func(e hook.Event) []hook.Message { return push(e, branches) },
		"repo:modified":        repositoryModified,
		"repo:forked":          fork,
		"repo:comment:added":   func(e hook.Event) []hook.Message { return commitComment(e, "created") },
		"repo:comment:edited":  func(e hook.Event) []hook.Message { return commitComment(e, "edited") },
		"repo:comment:deleted": func(e hook.Event) []hook.Message { return commitComment(e, "deleted") },
		"pr:opened":            func(e hook.Event) []hook.Message { return pullRequestDescribed(e, "opened") },
		"pr:modified":          func(e hook.Event) []hook.Message { return pullRequestDescribed(e, "modified") },
		"pr:reviewer:updated":  reviewers,
		"pr:comment:added":     func(e hook.Event) []hook.Message { return pullRequestComment(e, "created") },
		"pr:comment:edited":    func(e hook.Event) []hook.Message { return pullRequestComment(e, "edited") },
		"pr:comment:deleted":   func(e hook.Event) []hook.Message { return pullRequestComment(e, "deleted") },
		"diagnostics:ping":     ping,

		"mirror:repo_synchronized": nil,
	}
	for kind, verb := range map[string]string{
		"from_ref_updated": "updated", "merged": "merged", "declined": "declined", "deleted": "deleted", "reviewer:approved": "approved",
		"reviewer:unapproved": "unapproved", "reviewer:needs_work": "requested changes to", "reviewer:changes_requested": "requested changes to",
	} {
		all["pr:"+kind] = func(e hook.Event) []hook.Message { return pullRequest(e, verb) }
	}
	return all
}

func ping(hook.Event) []hook.Message {
	return hook.One("Bitbucket Server Ping", git.Configured("Bitbucket Server", ""))
}

// name returns the name of the person at a path.
func name(of hook.Document, path string) string { return of.At(path).Or("displayName", "name", "slug") }

func user(e hook.Event) string { return e.At("actor").Person("displayName", "name", "slug") }

// repository returns the name of the repository at a path.
func repository(of hook.Document, path string) string { return of.At(path).Or("name", "slug") }

// page returns the address of what is at a path.
func page(of hook.Document, path string) string {
	for _, link := range of.At(path).List("links.self") {
		if address := link.Text("href"); address != "" {
			return address
		}
	}
	return ""
}

// commitPage returns the address of a commit; empty: that of its repository isn't known.
func commitPage(e hook.Event, id string) string {
	address := page(e.Document, "repository")
	if address == "" || id == "" {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/browse") + "/commits/" + id
}

func push(e hook.Event, branches *string) []hook.Message {
	messages := []hook.Message(nil)
	changes := e.List("changes")
	for _, change := range changes {
		messages = append(messages, pushed(e, change, len(changes) == 1, branches)...)
	}
	return hook.Bound(messages)
}

// pushed reports what a push did to a branch or tag. only says that it did nothing else.
func pushed(e hook.Event, change hook.Document, only bool, branches *string) []hook.Message {
	branch := git.Branch(change.Or("ref.displayId", "ref.id", "refId"))
	kind, head := change.Text("type"), change.Text("toHash")
	if change.Text("ref.type") == "TAG" {
		return hook.One(repository(e.Document, "repository"), git.Tag(user(e), branch, "", kind == "DELETE"))
	}
	if !git.Listed(branches, branch) {
		return nil
	}
	topic := git.Topic(repository(e.Document, "repository"), branch)
	switch kind {
	case "DELETE":
		return hook.One(topic, git.DeletedBranch(user(e), branch, ""))
	case "ADD":
		return hook.One(topic, hook.Format("%s created branch %s.", user(e), branch))
	}
	commits := e.List("commits") // newer servers send them
	if !only || len(commits) == 0 {
		return hook.One(topic, hook.Format("%s pushed to branch %s. Head is now %s.", user(e), branch, git.ShortID(head, commitPage(e, head))))
	}
	p := git.Push{User: user(e), Branch: branch, Compare: commitPage(e, head)}
	for _, c := range commits {
		id := c.Text("id")
		p.Commits = append(p.Commits, git.Commit{ID: id, URL: commitPage(e, id), Message: c.Text("message"), Author: name(c, "author")})
	}
	return hook.One(topic, p.Text())
}

func repositoryModified(e hook.Event) []hook.Message {
	before, after := repository(e.Document, "old"), repository(e.Document, "new")
	if before == after {
		return hook.One(after, hook.Format("%s changed the settings of the repository **%s**.", user(e), after))
	}
	return hook.One(after, hook.Format("%s changed the name of the repository from **%s** to **%s**.", user(e), before, after))
}

func fork(e hook.Event) []hook.Message {
	copied := e.At("repository")
	full := repository(copied, "")
	if project := copied.Or("project.name", "project.key"); project != "" {
		full = project + "/" + full
	}
	topic := repository(copied, "origin")
	if topic == "" {
		topic = repository(copied, "")
	}
	return hook.One(topic, hook.Format("%s forked the repository into %s.", user(e), hook.Link(full, page(copied, ""))))
}

// commented describes what happened to the event's comment on something, which has a page.
func commented(e hook.Event, action, page string, on hook.Markdown) hook.Markdown {
	if page != "" {
		page += "?commentId=" + url.QueryEscape(e.Text("comment.id"))
	}
	return git.Comment{User: user(e), Action: action, URL: page, On: on, Body: e.Text("comment.text")}.Text()
}

func commitComment(e hook.Event, action string) []hook.Message {
	id := e.Text("commit")
	address := commitPage(e, id)
	return hook.One(repository(e.Document, "repository"), commented(e, action, address, git.ShortID(id, address)))
}

// item returns the pull request and its topic.
func item(e hook.Event, action string) (topic string, pr git.Item) {
	of := e.At("pullRequest")
	pr = git.Item{User: user(e), Action: action, Kind: "PR", Number: of.Text("id"), Title: of.Text("title"), URL: page(of, "")}
	return git.ItemTopic(repository(of, "toRef.repository"), pr.Kind, pr.Number, pr.Title), pr
}

// pullRequest reports what happened to a pull request.
func pullRequest(e hook.Event, action string) []hook.Message {
	topic, pr := item(e, action)
	return hook.One(topic, pr.Text(e.OwnTopic))
}

// reviewing returns the names of a pull request's reviewers.
func reviewing(e hook.Event) string {
	names := []string(nil)
	for _, person := range e.List("pullRequest.reviewers") {
		names = append(names, name(person, "user"))
	}
	return hook.Cut(strings.Join(names, ", "), maxNames)
}

// pullRequestDescribed reports a pull request that is new or has changed.
func pullRequestDescribed(e hook.Event, action string) []hook.Message {
	topic, pr := item(e, action)
	pr.Source, pr.Target = e.Text("pullRequest.fromRef.displayId"), e.Text("pullRequest.toRef.displayId")
	pr.Body, pr.Assignee = e.Text("pullRequest.description"), reviewing(e)
	return hook.One(topic, pr.Text(e.OwnTopic))
}

func reviewers(e hook.Event) []hook.Message {
	topic, pr := item(e, "")
	names := reviewing(e)
	if names == "" {
		return hook.One(topic, hook.Format("%s removed all reviewers from %s.", pr.User, pr.Link(e.OwnTopic)))
	}
	return hook.One(topic, hook.Format("%s reassigned %s to %s.", pr.User, pr.Link(e.OwnTopic), names))
}

func pullRequestComment(e hook.Event, action string) []hook.Message {
	topic, pr := item(e, "")
	address := pr.URL
	if address != "" {
		address = strings.TrimSuffix(address, "/overview") + "/overview"
	}
	return hook.One(topic, commented(e, action, address, pr.Link(e.OwnTopic)))
}
