package message

import (
	"context"
	"maps"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/alert"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// alerted returns the users who have an alert word in content, a message that who sends; within is
// the transaction that they are looked up in, or nil.
func (s *Service) alerted(ctx context.Context, who actor.Actor, content string, within *store.Tx) ([]id.User, error) {
	look := func() (*alert.Matcher, error) { return s.alerts.Words(ctx, who) }
	if within != nil {
		look = func() (*alert.Matcher, error) { return s.alerts.WordsIn(ctx, within, who) }
	}
	words, err := look()
	return words.Find(content), err
}

// personal are the flags that users' copies of a message have in the database: those of users for whom
// only says so.
func personal(r Rendered, only func(id.User) bool) map[id.User]event.Flags {
	flags := map[id.User]event.Flags{}
	mark := func(users []id.User, flag event.Flags) {
		for _, user := range users {
			if only(user) {
				flags[user] |= flag
			}
		}
	}
	mark(r.MentionedUsers, event.Mentioned)
	mark(r.Alerted, event.HasAlertWord)
	return flags
}

// receiverFlags are what receivers' copies are marked with, beside those of everybody.
func receiverFlags(who actor.Actor, r Rendered, personal map[id.User]event.Flags, a *event.Audience) {
	if r.Wildcard {
		a.Flags |= event.WildcardMentioned
	}
	a.FlagsOf = maps.Clone(personal)
	if interactive(who.Client) {
		a.FlagsOf[who.User] |= event.Read
	}
}

// flagged are rows of flags, by user.
func flagged(flags map[id.User]event.Flags) []store.Flagged {
	rows := make([]store.Flagged, 0, len(flags))
	for _, user := range slices.Sorted(maps.Keys(flags)) {
		rows = append(rows, store.Flagged{User: user, Flags: flags[user]})
	}
	return rows
}
