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

// Faults of changing a message (rest-api.md, section 2.7), besides message.ErrInvalid,
// permit.ErrEdit, permit.ErrEditLate, stream.ErrInvalidID and what can be wrong with a content or a
// topic.
var (
	// ErrEditingOff says that nothing may be changed in the organization.
	ErrEditingOff = fault.Plain("Your organization has turned off message editing")
	// ErrModeAlone says that the mode includes other messages, but the change has nothing that they
	// share.
	ErrModeAlone = fault.Plain("Invalid propagate_mode without topic edit")
	// ErrNothing says that the request changes nothing.
	ErrNothing = fault.Plain("Nothing to change")
	// ErrPrivateTopic says that a private message has no topic.
	ErrPrivateTopic = fault.Bad("Private messages cannot have topics.")
	// ErrMove says that only administrators move messages to other streams.
	ErrMove = fault.Bad("You don't have permission to move this message")
	// ErrMoveContent says that a message can't be moved and rewritten at once.
	ErrMoveContent = fault.Bad("Cannot change message content while changing stream")
	// ErrMovePrivate says that a message can't be moved from or to a private stream, or out of a
	// private conversation.
	ErrMovePrivate = fault.Bad("Streams must be public")
)

// Mode says which messages get a new topic or stream beside the one that is named.
type Mode string

// The modes, as the interface names them.
const (
	One   Mode = "change_one"
	Later Mode = "change_later" // and later ones of its topic
	All   Mode = "change_all"   // and all others of its topic
)

// Change is what to change in a message; nil: nothing.
type Change struct {
	Content *string
	Topic   *string
	Stream  *id.Stream
	Mode    Mode
	// TellOld and TellNew say whether the notification bot announces a move to another stream in the
	// old and in the new topic.
	TellOld, TellNew bool
}

// moves reports whether other messages, or the order of topics, may be concerned.
func (c Change) moves() bool { return c.Topic != nil || c.Stream != nil }

// deletedContent stands for a content that was emptied.
const deletedContent = "(deleted)"

// check checks whether somebody may change a message, as far as the change and the message show,
// and returns content and topic as they are stored.
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
