package feed

import (
	"context"
	"maps"
	"slices"
	"strings"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
	"chatserver.dev/pkg/yield"
)

// Form is the form in which a client gets messages.
type Form struct {
	// Markdown requests content as HTML instead of its source.
	Markdown bool
	// HostedAvatar requests null in place of the URL of a picture on another host, which the client can compute.
	HostedAvatar bool
}

// Message is a message as its reader gets it (rest-api.md, section 2.1).
type Message struct {
	// ID of the message; ids grow with time.
	ID id.Message `json:"id"`
	// Timestamp is when it was sent, in Unix seconds.
	Timestamp int64 `json:"timestamp"`
	event.MessageFields
	// Reactions are the emoji on it, the oldest first.
	Reactions []Reaction `json:"reactions"`
	// Content is the text, in the format that content_type names.
	Content string `json:"content"`
	// ContentType is text/html or text/x-markdown.
	ContentType string `json:"content_type"`
	// AvatarURL is the address of the sender's picture; null: the client can compute it.
	AvatarURL *string `json:"avatar_url"`
	// LastEdit is when it was edited last, in Unix seconds; absent: never.
	LastEdit *int64 `json:"last_edit_timestamp,omitempty"`
	// EditHistory has the edits, the newest first, if the organization lets people see them.
	EditHistory []message.Edit `json:"edit_history,omitempty"`
	// Flags are the reader's: read, starred, mentioned and so on.
	Flags []string `json:"flags"`
	// MatchContent is the HTML with the words of the search highlighted; absent: nothing was searched.
	MatchContent *string `json:"match_content,omitempty"`
	// MatchSubject is the same for the topic.
	MatchSubject *string `json:"match_subject,omitempty"`
}

// Reaction is an emoji that somebody put on a message.
type Reaction struct {
	event.Reaction
	// User is who added it.
	User Reactor `json:"user"`
}

// Reactor is the account behind a reaction.
type Reactor struct {
	// ID of the account.
	ID id.User `json:"id"`
	// Email as others see it.
	Email string `json:"email"`
	// FullName is the name at present.
	FullName string `json:"full_name"`
}

// scope is the organization that messages are read in, with the links in its topics.
type scope struct {
	org.Org
	topics *markdown.Topics
}

// messages returns the messages in the form for clients. If searched is set, the words are highlighted.
func (f Form) messages(ctx context.Context, tx *store.Tx, in scope, found []store.NarrowedMessage, searched bool, words string) ([]Message, error) {
	messages := make([]Message, len(found))
	if len(found) == 0 {
		return messages, nil
	}
	reactions, err := reactionsTo(ctx, tx, found)
	if err != nil {
		return nil, err
	}
	submessages, err := submessagesOf(ctx, tx, found)
	if err != nil {
		return nil, err
	}
	people, err := peopleIn(ctx, tx, found, reactions)
	if err != nil {
		return nil, err
	}
	matches := map[id.Message]Match{}
	if searched {
		if matches, err = highlight(ctx, tx, found, words); err != nil {
			return nil, err
		}
	}
	for i, m := range found {
		yield.IfDue(ctx)
		if messages[i], err = f.message(in, m, people); err != nil {
			return nil, err
		}
		for _, r := range reactions[m.ID] {
			by := people[r.UserID]
			messages[i].Reactions = append(messages[i].Reactions, Reaction{r, Reactor{by.ID, user.DisplayEmail(in.Org, by), by.FullName}})
		}
		if of := submessages[m.ID]; of != nil {
			messages[i].Submessages = of
		}
		if match, ok := matches[m.ID]; ok {
			messages[i].MatchContent, messages[i].MatchSubject = &match.Content, &match.Subject
		}
	}
	return messages, nil
}

func (f Form) message(in scope, m store.NarrowedMessage, people map[id.User]user.User) (out Message, err error) {
	sender, o := people[m.Sender], in.Org
	out = Message{
		ID: m.ID, Timestamp: m.Sent.Unix(), Flags: m.Flags.Names(), Reactions: []Reaction{},
		MessageFields: event.MessageFields{
			Type: "stream", SenderID: m.Sender, SenderEmail: user.DisplayEmail(o, sender), SenderFullName: sender.FullName,
			SenderRealm: o.Subdomain, Client: m.Client, Subject: m.Topic, TopicLinks: []string{},
			IsMe: message.Attributes(m.Attributes)&message.IsMe != 0, Submessages: []event.Submessage{},
			RecipientID: int64(m.Stream), StreamID: m.Stream, DisplayRecipient: m.StreamName,
		},
		Content: m.Content, ContentType: "text/x-markdown",
	}
	if m.Conversation != 0 {
		out.Type, out.RecipientID, out.DisplayRecipient = "private", int64(m.Conversation), participants(o, m.Members, people)
	} else {
		out.TopicLinks = in.topics.Links(m.Topic)
	}
	if f.Markdown {
		out.Content, out.ContentType = m.Rendered, "text/html"
	}
	if !f.HostedAvatar || !user.AvatarHosted(o, sender) {
		url := user.AvatarURL(o, sender)
		out.AvatarURL = &url
	}
	if m.Edited != nil {
		edited := m.Edited.Unix()
		out.LastEdit = &edited
		if o.Settings.AllowEditHistory {
			out.EditHistory, err = message.DecodeEdits(m.Edits)
		}
	}
	return out, err
}

// participants returns the participants of a conversation: two are sorted by address, more by id.
func participants(o org.Org, members []id.User, people map[id.User]user.User) []event.Person {
	persons := lists.Map(members, func(member id.User) event.Person {
		return event.Person{ID: member, Email: user.DisplayEmail(o, people[member]), FullName: people[member].FullName}
	})
	if len(persons) == 2 {
		slices.SortFunc(persons, func(a, b event.Person) int { return strings.Compare(a.Email, b.Email) })
	}
	return persons
}

func reactionsTo(ctx context.Context, tx *store.Tx, found []store.NarrowedMessage) (map[id.Message][]event.Reaction, error) {
	rows, err := tx.ReactionsTo(ctx, lists.Map(found, func(m store.NarrowedMessage) int64 { return int64(m.ID) }))
	reactions := map[id.Message][]event.Reaction{}
	for _, row := range rows {
		reactions[row.MessageID] = append(reactions[row.MessageID], event.Reaction{
			EmojiName: row.EmojiName, EmojiCode: row.EmojiCode, ReactionType: row.ReactionType, UserID: row.UserID,
		})
	}
	return reactions, err
}

// submessagesOf returns the submessages of messages, by message.
func submessagesOf(ctx context.Context, tx *store.Tx, found []store.NarrowedMessage) (map[id.Message][]event.Submessage, error) {
	with := []int64(nil)
	for _, m := range found {
		if message.Attributes(m.Attributes)&message.HasSubmessages != 0 {
			with = append(with, int64(m.ID))
		}
	}
	if with == nil {
		return nil, nil
	}
	rows, err := tx.SubmessagesOf(ctx, with)
	submessages := make(map[id.Message][]event.Submessage, len(with))
	for _, row := range rows {
		submessages[row.MessageID] = append(submessages[row.MessageID], event.Submessage{
			ID: row.SubmessageID, MessageID: row.MessageID, SenderID: row.SenderID, MsgType: row.MsgType, Content: row.Content,
		})
	}
	return submessages, err
}

// peopleIn returns all accounts in messages: senders, participants, and authors of reactions.
func peopleIn(ctx context.Context, tx *store.Tx, found []store.NarrowedMessage, reactions map[id.Message][]event.Reaction) (map[id.User]user.User, error) {
	people := map[id.User]user.User{}
	for _, m := range found {
		people[m.Sender] = user.User{}
		for _, member := range m.Members {
			people[member] = user.User{}
		}
		for _, r := range reactions[m.ID] {
			people[r.UserID] = user.User{}
		}
	}
	users, err := user.ByIDs(ctx, tx, slices.Collect(maps.Keys(people)))
	for _, u := range users {
		people[u.ID] = u
	}
	return people, err
}
