package message

import (
	"context"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// Place is the place of messages: a topic of a stream, or a private conversation.
type Place struct {
	Stream       id.Stream       `json:"stream,omitempty"` // zero for a conversation
	Topic        string          `json:"topic,omitempty"`
	Conversation id.Conversation `json:"conversation,omitempty"` // zero for a stream
}

// PrepareAnswer renders a bot's answer to the message that called it. A bot may answer wherever it was called, unless the
// stream is archived or a member of the conversation is deactivated. Content that is too long is truncated. widget is as in
// [Draft]. send sends the answer in the same transaction, and may fail with [store.ErrStale].
func (s *Service) PrepareAnswer(
	ctx context.Context, tx *store.Tx, bot actor.Actor, to Place, content string, widget *string,
) (send func(ctx context.Context) error, err error) {
	if content, err = CheckContent(CutContent(content)); err != nil {
		return nil, err
	}
	var body Rendered
	if widget == nil {
		body, err = s.Render(ctx, bot, content, tx) // commands in the content don't create widgets
	} else {
		body, err = s.renderDraft(ctx, bot, content, Draft{Widget: widget}, tx)
	}
	if err != nil {
		return nil, err
	}
	var m store.NewMessage
	if to.Stream != 0 {
		m, err = answerToStream(ctx, tx, bot, to, content, body)
	} else {
		m, err = s.answerToPeople(ctx, tx, bot, to.Conversation, content, body)
	}
	return sender(tx, m), err
}

func answerToStream(ctx context.Context, tx *store.Tx, bot actor.Actor, to Place, content string, body Rendered) (store.NewMessage, error) {
	facts, err := stream.FactsByID(ctx, tx, bot, to.Stream)
	switch {
	case store.IsNotFound(err):
		return store.NewMessage{}, unknownStreamID(to.Stream)
	case err != nil:
		return store.NewMessage{}, err
	case facts.Deactivated:
		return store.NewMessage{}, permit.ErrPost.Format(facts.Name)
	}
	return streamMessage(bot, facts, to.Topic, content, body, Draft{})
}

func (s *Service) answerToPeople(ctx context.Context, tx *store.Tx, who actor.Actor, to id.Conversation, content string, body Rendered) (store.NewMessage, error) {
	o, err := s.orgs.Load(ctx, tx)
	if err != nil {
		return store.NewMessage{}, err
	}
	members, err := tx.ConversationMembers(ctx, to)
	if err != nil {
		return store.NewMessage{}, err
	}
	people, err := user.ByIDs(ctx, tx, members)
	if err != nil {
		return store.NewMessage{}, err
	}
	persons := lists.Map(people, func(u user.User) event.Person {
		return event.Person{ID: u.ID, Email: user.DisplayEmail(o, u), FullName: u.FullName}
	})
	if err := checkPrivate(who, people, persons); err != nil {
		return store.NewMessage{}, err
	}
	m, err := privateMessage(who, to, persons, content, body, Draft{})
	m.Calls = calls(who, outgoing(people), store.ByPrivateMessage)
	return m, err
}

// CutTo cuts a text to at most size bytes, between two characters.
func CutTo(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

// Truncated is the end of truncated content.
const Truncated = "\n[message truncated]"

// CutContent truncates content to MaxContent. It ends with a whole line if the truncation loses less than half, and never
// within an HTML entity.
func CutContent(content string) string {
	if len(content) <= MaxContent {
		return content
	}
	content = CutTo(content, MaxContent-len(Truncated))
	end := len(content)
	if line := strings.LastIndexByte(content, '\n'); line > end/2 {
		content = content[:line]
	} else if start := strings.LastIndexByte(content, '&'); start >= end-len("&#124;") && !strings.Contains(content[start:], ";") {
		content = content[:start]
	}
	return content + Truncated
}
