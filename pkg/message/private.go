package message

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

func (s *Service) sendPrivate(ctx context.Context, who actor.Actor, draft Draft, to PeopleRef) (id.Message, error) {
	if len(to.IDs)+len(to.Emails) == 0 {
		return 0, ErrNoRecipients
	}
	people, persons, conversation, err := s.readConversation(ctx, who, to)
	if err != nil {
		return 0, err
	}
	content, err := CheckContent(draft.Content)
	if err != nil {
		return 0, err
	}
	if err := checkPrivate(who, people, persons); err != nil {
		return 0, err
	}
	if draft.later != nil && draft.later.reminder && len(people) > 1 {
		return 0, ErrRemindOthers
	}
	body, err := s.renderDraft(ctx, who, content, draft, nil)
	if err != nil {
		return 0, err
	}
	if conversation == 0 {
		conversation, err = store.Write(ctx, s.DB, who.Org(), func(tx *store.Tx) (id.Conversation, error) {
			return createConversation(ctx, tx, ids(people))
		})
		if err != nil {
			return 0, err
		}
	}
	m, err := privateMessage(who, conversation, persons, body, draft)
	if err != nil {
		return 0, err
	}
	m.BotCalls = calls(who, outgoing(people), store.ByPrivateMessage)
	message, _, err := s.deliver(ctx, who, m, draft)
	return message, err
}

// readConversation returns the participants of a conversation, also as clients see them, and its id; 0: there is none yet.
func (s *Service) readConversation(
	ctx context.Context, who actor.Actor, to PeopleRef,
) (people []user.User, persons []event.Person, conversation id.Conversation, err error) {
	err = s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error {
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		recipients, err := findPeople(ctx, tx, o, to)
		if err != nil {
			return err
		}
		if people, err = participants(ctx, tx, who, recipients); err != nil {
			return err
		}
		persons = personsOf(o, people)
		conversation, err = tx.ConversationOfMembers(ctx, ids(people))
		if store.IsNotFound(err) {
			return nil
		}
		return err
	})
	return people, persons, conversation, err
}

// personsOf returns accounts as others see them.
func personsOf(o org.Org, people []user.User) []event.Person {
	return lists.Map(people, func(u user.User) event.Person {
		return event.Person{ID: u.ID, Email: user.DisplayEmail(o, u), FullName: u.FullName}
	})
}

// findPeople returns the recipients, or an error that names the first one that doesn't exist.
func findPeople(ctx context.Context, tx *store.Tx, o org.Org, to PeopleRef) ([]user.User, error) {
	if n := len(to.IDs) + len(to.Emails); n > MaxRecipients {
		return nil, ErrManyRecipients.Format(n, MaxRecipients)
	}
	people, unknown, err := user.Find(ctx, tx, o, user.Refs(to), func(user.User) bool { return true })
	switch unknown := unknown.(type) {
	case id.User:
		return nil, ErrInvalidUser.Format(unknown)
	case string:
		return nil, ErrInvalidEmail.Format(unknown)
	}
	return people, err
}

// participants returns the recipients and the sender, by id.
func participants(ctx context.Context, tx *store.Tx, who actor.Actor, people []user.User) ([]user.User, error) {
	members := slices.Clone(people)
	if !slices.ContainsFunc(members, func(u user.User) bool { return u.ID == who.User }) {
		self, err := user.ByID(ctx, tx, who.User)
		if err != nil {
			return nil, fmt.Errorf("read sender: %w", err)
		}
		members = append(members, self)
	}
	slices.SortFunc(members, func(a, b user.User) int { return int(a.ID - b.ID) })
	return slices.CompactFunc(members, func(a, b user.User) bool { return a.ID == b.ID }), nil
}

// checkPrivate returns an error if who can't write to these members. persons are the
// members as others see them.
func checkPrivate(who actor.Actor, members []user.User, persons []event.Person) error {
	others := slices.DeleteFunc(slices.Clone(members), func(u user.User) bool { return u.ID == who.User })
	if who.Sending.PrivateDisabled && !who.IsBot() && (len(others) != 1 || !others[0].IsBot()) {
		return ErrPrivateOff
	}
	for i, u := range members {
		if !u.Active && u.ID != who.User {
			return ErrGoneUser.Format(persons[i].Email)
		}
	}
	return nil
}

func createConversation(ctx context.Context, tx *store.Tx, members []id.User) (id.Conversation, error) {
	conversation, err := tx.CreateConversation(ctx, members)
	if err != nil {
		return 0, err
	}
	return conversation, tx.AddConversationMembers(ctx, id.Convert[int64](members), conversation)
}

// privateMessage returns the row of a private message.
func privateMessage(
	who actor.Actor, conversation id.Conversation, persons []event.Person, body Rendered, draft Draft,
) (_ store.NewMessage, err error) {
	e, m := compose(who, "private", "", body, draft)
	members := lists.Map(persons, func(p event.Person) id.User { return p.ID })
	if len(persons) == 2 {
		persons = slices.Clone(persons)
		slices.SortFunc(persons, func(a, b event.Person) int { return strings.Compare(a.Email, b.Email) })
	}
	e.DisplayRecipient, e.RecipientID = persons, int64(conversation)
	flags := personal(body, func(u id.User) bool { return slices.Contains(members, u) })
	m.Audience.Users = members
	receiverFlags(who, body, flags, &m.Audience)
	m.Conversation, m.FlaggedAnyway = conversation, flagged(flags)
	m.Payload, err = e.EncodeAfterID()
	return m, err
}

func ids(users []user.User) []id.User {
	return lists.Map(users, func(u user.User) id.User { return u.ID })
}
