package feed

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/narrow"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// resolver looks up the streams and accounts in a narrow.
type resolver struct {
	tx      *store.Tx
	who     actor.Actor
	byID    map[id.User]bool
	byEmail map[string]user.User
	history bool // of a stream in the narrow
}

// resolve converts a narrow for the database. Its faults are narrow.ErrTerm.
func resolve(ctx context.Context, tx *store.Tx, o org.Org, who actor.Actor, n narrow.Narrow) (store.Narrow, error) {
	r := resolver{tx: tx, who: who}
	if err := r.findPeople(ctx, o, n); err != nil {
		return store.Narrow{}, err
	}
	resolved := store.Narrow{Reader: who.User, IsBot: who.IsBot()}
	for _, term := range n {
		if term.Kind == narrow.Search && !term.Negated {
			continue // they are handled together below
		}
		condition, err := r.condition(ctx, term)
		if err != nil {
			return store.Narrow{}, err
		}
		resolved.Terms = append(resolved.Terms, store.NarrowTerm{Condition: condition, Negated: term.Negated})
	}
	if words := n.Words(); words != "" {
		resolved.Terms = append(resolved.Terms, store.NarrowTerm{Condition: search(words)})
	}
	resolved.History = r.history && !n.Has(narrow.Private, narrow.Starred, narrow.Unread, narrow.Mentioned, narrow.Alerted)
	return resolved, nil
}

func search(text string) store.HasWords {
	words, literally := narrow.Searched(text)
	return store.HasWords{Words: words, Literally: literally}
}

func (r *resolver) condition(ctx context.Context, t narrow.Term) (store.Condition, error) {
	switch t.Kind {
	case narrow.Stream:
		return r.stream(ctx, t)
	case narrow.PublicStreams:
		r.history = r.history || !t.Negated && !r.who.Role.IsGuest()
		return store.InPublicStreams{}, nil
	case narrow.Topic:
		return store.InTopic{Topic: spelling.Name(t.Text)}, nil
	case narrow.Sender:
		sender, err := r.person(t)
		return store.SentBy{Sender: sender}, err
	case narrow.GroupWith:
		other, err := r.person(t)
		return store.InGroupWith{User: other}, err
	case narrow.With:
		return r.conversation(ctx, t)
	case narrow.Private:
		return store.IsPrivate{}, nil
	case narrow.Starred:
		return store.HasFlags{Flags: event.Starred}, nil
	case narrow.Alerted:
		return store.HasFlags{Flags: event.HasAlertWord}, nil
	case narrow.Unread:
		return store.IsUnread{}, nil
	case narrow.Mentioned:
		return store.IsMentioned{}, nil
	case narrow.HasAttachment:
		return store.HasAttribute{Bit: int16(message.HasAttachment)}, nil
	case narrow.HasImage:
		return store.HasAttribute{Bit: int16(message.HasImage)}, nil
	case narrow.HasLink:
		return store.HasAttribute{Bit: int16(message.HasLink)}, nil
	case narrow.Home:
		return store.InHome{}, nil
	case narrow.Message:
		return store.HasID{Messages: []id.Message{id.Message(t.IDs[0])}}, nil
	case narrow.Search:
		return search(t.Text), nil
	}
	return nil, fmt.Errorf("narrow has a term of the unknown kind %d", t.Kind)
}

// stream finds a stream. The reader needn't have access to it: they can still read messages that they have received.
func (r *resolver) stream(ctx context.Context, t narrow.Term) (store.Condition, error) {
	var found sqlc.StreamByIDRow
	var err error
	if t.ByID {
		found, err = r.tx.StreamByID(ctx, r.who.User, id.Stream(t.IDs[0]))
	} else {
		var named sqlc.StreamByNameRow
		named, err = r.tx.StreamByName(ctx, r.who.User, spelling.Name(t.Text))
		found = sqlc.StreamByIDRow(named)
	}
	if store.IsNotFound(err) {
		return nil, narrow.Unknown("unknown stream " + t.Describe())
	}
	if err != nil {
		return nil, fmt.Errorf("find stream %s of a narrow: %w", t.Text, err)
	}
	in := found.Stream
	view := permit.StreamView{InviteOnly: in.InviteOnly, IsWebPublic: in.IsWebPublic, Subscribed: found.Subscribed}
	r.history = r.history || !t.Negated && permit.ReadHistory(r.who.Role, view, in.HistoryPublic)
	return store.InStream{Stream: in.StreamID}, nil
}

// findPeople looks up all accounts in the narrow.
func (r *resolver) findPeople(ctx context.Context, o org.Org, n narrow.Narrow) error {
	wanted, emails := []id.User(nil), []string(nil)
	for _, t := range n {
		switch {
		case t.Kind != narrow.Sender && t.Kind != narrow.With && t.Kind != narrow.GroupWith:
		case t.ByID:
			wanted = append(wanted, id.Convert[id.User](t.IDs)...)
		default:
			emails = append(emails, addresses(t)...)
		}
	}
	if len(wanted) > 0 {
		people, err := user.ByIDs(ctx, r.tx, wanted)
		if err != nil {
			return err
		}
		r.byID = lists.Set(lists.Map(people, func(u user.User) id.User { return u.ID }))
	}
	if len(emails) > 0 {
		var err error
		if r.byEmail, err = user.ByEmails(ctx, r.tx, o, emails); err != nil {
			return err
		}
	}
	return nil
}

// addresses returns the addresses in a term: one, or several for a conversation.
func addresses(t narrow.Term) []string {
	if t.Kind == narrow.With {
		return strings.Split(t.Text, ",")
	}
	return []string{t.Text}
}

// people returns the accounts in a term. ok is false if one doesn't exist or if the term has none.
func (r *resolver) people(t narrow.Term) (people []id.User, ok bool) {
	if t.ByID {
		people = id.Convert[id.User](t.IDs)
		return people, len(people) > 0 && !slices.ContainsFunc(people, func(u id.User) bool { return !r.byID[u] })
	}
	for _, address := range addresses(t) {
		u, known := r.byEmail[address]
		if !known {
			return nil, false
		}
		people = append(people, u.ID)
	}
	return people, true
}

func (r *resolver) person(t narrow.Term) (id.User, error) {
	people, ok := r.people(t)
	if !ok {
		return 0, narrow.Unknown("unknown user " + t.Describe())
	}
	return people[0], nil
}

// conversation finds the conversation of the reader and the accounts in the term.
func (r *resolver) conversation(ctx context.Context, t narrow.Term) (store.Condition, error) {
	people, ok := r.people(t)
	if !ok {
		return nil, narrow.Unknown("unknown user in " + t.Describe())
	}
	members := append(people, r.who.User)
	slices.Sort(members)
	found, err := r.tx.ConversationOfMembers(ctx, slices.Compact(members))
	if err != nil && !store.IsNotFound(err) {
		return nil, fmt.Errorf("find conversation of a narrow: %w", err)
	}
	return store.InConversation{Conversation: found}, nil
}
