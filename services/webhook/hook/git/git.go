// Package git has the texts that the integrations of services for Git repositories share (rest-api.md, section 6.4).
package git

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chatserver.dev/services/webhook/hook"
)

// Limits on the text of an event.
const (
	maxCommits = 20
	// maxAuthors is the maximum number of authors that are named.
	maxAuthors = 3
	// maxTitle is the maximum length of a title or of the first line of a commit's message, in characters.
	maxTitle = 200
	// shortID is the number of characters of a commit's ID that are shown.
	shortID = 7
)

// Topic returns the topic of what happens in a part of a repository, such as a branch; of the repository, if there is no part.
// Without a repository there is none.
func Topic(repository, part string) string {
	switch {
	case strings.TrimSpace(repository) == "":
		return ""
	case part == "":
		return repository
	}
	return repository + " / " + part
}

// ItemTopic returns the topic of a pull request, an issue or the like: kind is "PR", for example. Without a repository
// there is none.
func ItemTopic(repository, kind, number, title string) string {
	return Topic(repository, strings.TrimSpace(fmt.Sprintf("%s #%s %s", kind, number, title)))
}

// Branch returns the name of a branch or tag without the beginning of its ref.
func Branch(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/tags/")
}

// Listed reports whether messages about a branch are wanted: branches is the parameter with that name, a list with
// commas of those that are, or nil for all.
func Listed(branches *string, branch string) bool {
	return branches == nil || *branches == "" ||
		slices.ContainsFunc(strings.Split(*branches, ","), func(name string) bool { return strings.TrimSpace(name) == branch })
}

// Commit is a commit of a push.
type Commit struct{ ID, URL, Message, Author string }

// NoCommit reports whether an ID says that there is no commit, before a branch or tag was created or after it was deleted.
func NoCommit(id string) bool { return id != "" && strings.Trim(id, "0") == "" }

// ShortID returns the beginning of a commit's ID, as a link.
func ShortID(id, url string) hook.Markdown {
	return hook.Link(id[:min(len(id), shortID)], url)
}

// Push is a push to a branch.
type Push struct {
	User, Branch string
	// Compare is the address of a page with the changes.
	Compare string
	Forced  bool
	Commits []Commit
	// Total is the number of commits if Commits lacks some; 0: it doesn't.
	Total int
	// More says that Commits lacks some, and nobody knows how many.
	More bool
}

// Text describes the push and its commits.
func (p Push) Text() hook.Markdown {
	total := max(p.Total, len(p.Commits))
	pushed := hook.Format("pushed")
	if p.Forced {
		pushed = hook.Format("force pushed")
	}
	link := linked(pushed, p.Compare)
	if total == 0 {
		return hook.Format("%s %s the branch %s.", p.User, link, p.Branch)
	}
	number := plural(total, "commit")
	if p.More {
		number = fmt.Sprintf("%d+ commits", total)
	}
	head := hook.Join(" ", hook.Format("%s %s %s to branch %s.", p.User, link, number, p.Branch), p.authors())
	lines := []hook.Markdown(nil)
	for _, c := range p.Commits[:min(len(p.Commits), maxCommits)] {
		title, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
		lines = append(lines, hook.Format("* %s (%s)", hook.Cut(cmp.Or(title, "(no message)"), maxTitle), ShortID(c.ID, c.URL)))
	}
	if more := total - min(len(p.Commits), maxCommits); p.More {
		lines = append(lines, hook.Format("[and more commits]"))
	} else if more > 0 {
		lines = append(lines, hook.Format("[and %d more commit(s)]", more))
	}
	return hook.Join("\n\n", head, hook.Join("\n", lines...))
}

// authors names the commits' authors; empty: it was only who pushed.
func (p Push) authors() hook.Markdown {
	by := map[string]int{}
	for _, c := range p.Commits {
		if c.Author != "" {
			by[c.Author]++
		}
	}
	if len(by) == 0 || len(by) == 1 && by[p.User] > 0 {
		return hook.Markdown{}
	}
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(by[b]-by[a], strings.Compare(a, b)) })
	parts, others := []hook.Markdown(nil), 0
	for i, name := range names {
		if i < maxAuthors {
			parts = append(parts, hook.Format("%s (%d)", name, by[name]))
		} else {
			others += by[name]
		}
	}
	if others > 0 {
		parts = append(parts, hook.Format("others (%d)", others))
	}
	last := len(parts) - 1
	return hook.Format("Commits by %s.", hook.Join(" and ", hook.Join(", ", parts[:last]...), parts[last]))
}

// ForcePush says that a branch was changed by force, whose last commit is head now.
func ForcePush(user, branch, head, address string) hook.Markdown {
	return hook.Format("%s %s to branch %s. Head is now %s.", user, linked(hook.Format("force pushed"), address), branch, ShortID(head, ""))
}

// DeletedBranch says that a branch was deleted. compare may be empty.
func DeletedBranch(user, branch, compare string) hook.Markdown {
	if compare == "" {
		return hook.Format("%s deleted branch %s.", user, branch)
	}
	return hook.Format("%s %s the branch %s.", user, linked(hook.Format("deleted"), compare), branch)
}

// Tag says that a tag was pushed or removed.
func Tag(user, tag, address string, removed bool) hook.Markdown {
	verb := hook.Format("pushed")
	if removed {
		verb = hook.Format("removed")
	}
	end := hook.Format(".")
	if strings.HasSuffix(tag, ".") || strings.HasSuffix(tag, "!") || strings.HasSuffix(tag, "?") {
		end = hook.Markdown{}
	}
	return hook.Format("%s %s tag %s%s", user, verb, hook.Link(tag, address), end)
}

// Item is what happened to a pull request, a merge request, an issue or the like.
type Item struct {
	User, Action string
	// Kind is "PR", for example.
	Kind, Number, Title, URL string
	Assignee                 string
	// Source and Target are branches.
	Source, Target string
	Body           string
}

// Text describes what happened. titled says that the topic doesn't have the title.
func (i Item) Text(titled bool) hook.Markdown {
	text := hook.Format("%s %s %s", i.User, i.Action, i.Link(titled))
	if i.Assignee != "" {
		text = hook.Format("%s (assigned to %s)", text, i.Assignee)
	}
	if i.Source != "" && i.Target != "" {
		text = hook.Format("%s from %s to %s", text, hook.Code(i.Source), hook.Code(i.Target))
	}
	return hook.WithQuote(text, i.Body)
}

// Link returns a link to the item.
func (i Item) Link(titled bool) hook.Markdown {
	name := i.Kind + " #" + i.Number
	if titled && i.Title != "" {
		name += " " + hook.Cut(i.Title, maxTitle)
	}
	return hook.Link(name, i.URL)
}

// Comment is what happened to a comment on something. Its Action is "created" if it is new.
type Comment struct {
	User, Action, URL string
	On                hook.Markdown
	Body              string
}

// Text describes what happened.
func (c Comment) Text() hook.Markdown {
	if c.Action == "created" {
		return hook.WithQuote(hook.Format("%s %s on %s", c.User, linked(hook.Format("commented"), c.URL), c.On), c.Body)
	}
	return hook.WithQuote(hook.Format("%s %s a %s on %s", c.User, c.Action, hook.Link("comment", c.URL), c.On), c.Body)
}

// Release says what happened to a release.
func Release(user, action, name, tag, address string) hook.Markdown {
	return hook.Format("%s %s release %s for tag %s.", user, action, hook.Link(cmp.Or(name, tag), address), tag)
}

// Configured answers a request that only tests the configuration. user may be empty.
func Configured(product, user string) hook.Markdown {
	if user == "" {
		return hook.Format("%s webhook has been successfully configured.", product)
	}
	return hook.Format("%s webhook has been successfully configured by %s.", product, user)
}

// plural returns a number of things, with an s unless it is one.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// linked returns words as a link, or without one if address isn't one.
func linked(words hook.Markdown, address string) hook.Markdown {
	if !hook.IsPage(address) {
		return words
	}
	return hook.Link(words.String(), address)
}
