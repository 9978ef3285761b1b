package revision

import (
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
)

// Faults of changing a message (rest-api.md, section 2.7), besides message.ErrInvalid, permit.ErrEdit,
// permit.ErrEditLate, stream.ErrInvalidID and the errors of a content or a topic.
var (
	// ErrEditingOff says that the organization has turned off message editing.
	ErrEditingOff = fault.Plain("Your organization has turned off message editing")
	// ErrModeAlone says that the mode includes other messages, but the change is one of the content only.
	ErrModeAlone = fault.Plain("Invalid propagate_mode without topic edit")
	// ErrNothing says that the request contains no change.
	ErrNothing = fault.Plain("Nothing to change")
	// ErrPrivateTopic says that a private message has no topic.
	ErrPrivateTopic = fault.Bad("Private messages cannot have topics.")
	// ErrMove says that only administrators may move messages to other streams.
	ErrMove = fault.Bad("You don't have permission to move this message")
	// ErrMoveContent says that a message can't be moved and edited at once.
	ErrMoveContent = fault.Bad("Cannot change message content while changing stream")
	// ErrMovePrivate says that a message can't be moved from or to a private stream, or out of a
	// private conversation.
	ErrMovePrivate = fault.Bad("Streams must be public")
)

// Mode says which messages, besides the given one, get a new topic or stream.
type Mode string

// The modes, with the names of the interface.
const (
	One   Mode = "change_one"
	Later Mode = "change_later" // and later ones of its topic
	All   Mode = "change_all"   // and all others of its topic
)

// Change is a change of a message; nil fields don't change.
type Change struct {
	Content *string
	Topic   *string
	Stream  *id.Stream
	Mode    Mode
	// TellOld and TellNew say whether the notification bot announces a move to another stream in the old and in the
	// new topic.
	TellOld, TellNew bool
}

// moves reports whether the change may affect other messages, or the order of topics.
func (c Change) moves() bool { return c.Topic != nil || c.Stream != nil }

// deletedContent replaces an empty new content.
const deletedContent = "(deleted)"

// check checks everything about a change that depends only on the change and the message. It returns the change with
// content and topic in their stored form.
func check(who actor.Actor, o org.Org, m message.Visible, c Change, now time.Time) (Change, error) {
	err := permit.EditMessage(who.Role, permit.MessageEdit{
		Own: m.Sender == who.User, Topic: m.Topic, Age: now.Sub(m.Sent), Content: c.Content != nil,
		ContentLimit:    time.Duration(o.Settings.MessageContentEditLimitSeconds) * time.Second,
		CommunityTopics: o.Settings.AllowCommunityTopicEditing,
	})
	switch {
	case err != nil:
		return c, err
	case c.Content == nil && !c.moves():
		return c, ErrNothing
	case c.Mode != One && m.StreamID != 0 && !permit.ReadStream(who.Role, m.Stream):
		return c, permit.ErrEdit // the topic may have messages that they have never seen
	case c.Topic != nil:
		topic, err := message.CheckTopic(c.Topic)
		if err != nil {
			return c, err
		}
		if m.StreamID == 0 {
			return c, ErrPrivateTopic
		}
		c.Topic = &topic
	}
	if c.Content != nil {
		content := strings.TrimSpace(*c.Content)
		if content == "" {
			content = deletedContent
		}
		if content, err = message.CheckContent(content); err != nil {
			return c, err
		}
		c.Content = &content
	}
	return c, nil
}

// without returns the change without fields that have no effect.
func (c Change) without(m message.Visible) Change {
	if c.Stream != nil && *c.Stream == m.StreamID {
		c.Stream = nil
	}
	if c.Topic != nil && *c.Topic == m.Topic && (c.Stream != nil || c.Mode == One) {
		c.Topic = nil
	}
	return c
}
