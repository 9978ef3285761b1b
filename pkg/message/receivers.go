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

// alerted returns the users with an alert word in content, a message of who. within is
// the transaction in which to look them up, or nil.
func (s *Service) alerted(ctx context.Context, who actor.Actor, content string, within *store.Tx) ([]id.User, error) {
	look := func() (*alert.Matcher, error) { return s.Alerts.Words(ctx, who) }
	if within != nil {
		look = func() (*alert.Matcher, error) { return s.Alerts.WordsIn(ctx, within, who) }
	}
	words, err := look()
	return words.Find(content), err
}

// personal returns the flags of users' copies of a message that are stored in the database, for users for whom
// only returns true.
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

// receiverFlags sets the flags of receivers' copies in the audience.
func receiverFlags(who actor.Actor, r Rendered, personal map[id.User]event.Flags, a *event.Audience) {
	if r.Wildcard {
		a.Flags |= event.WildcardMentioned
	}
	a.FlagsOf = maps.Clone(personal)
	if interactive(who.Client) {
		a.FlagsOf[who.User] |= event.Read
	}
}

// flagged returns rows of flags, by user.
func flagged(flags map[id.User]event.Flags) []store.Flagged {
	rows := make([]store.Flagged, 0, len(flags))
	for _, user := range slices.Sorted(maps.Keys(flags)) {
		rows = append(rows, store.Flagged{User: user, Flags: flags[user]})
	}
	return rows
}
