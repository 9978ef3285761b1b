package permit

import (
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
)

// noTopic is the topic of messages that were sent without one. Everyone may set it.
const noTopic = "(no topic)"

const (
	// editGrace is how long after the time limit edits are accepted, for authors who began in time.
	editGrace = 20 * time.Second
	// topicEditLimit is how long after sending others may change a message's topic.
	topicEditLimit = 24 * time.Hour
)

// Errors of changing and deleting messages (rest-api.md, sections 2.7 and 2.8).
var (
	// ErrEdit says that the caller may not change the message.
	ErrEdit = fault.Bad("You don't have permission to edit this message")
	// ErrEditLate says that the time limit for changing the message has passed.
	ErrEditLate = fault.Bad("The time limit for editing this message has passed")
	// ErrDelete says that the caller may not delete the message.
	ErrDelete = fault.Bad("You don't have permission to delete this message")
	// ErrDeleteLate says that the time limit for deleting the message has passed.
	ErrDeleteLate = fault.Bad("The time limit for deleting this message has passed")
)

// MessageEdit describes a change of a message.
type MessageEdit struct {
	Own     bool          // whether the caller sent it
	Topic   string        // before the change
	Age     time.Duration // since it was sent
	Content bool          // whether the content changes

	// ContentLimit is the organization's time limit for changes of contents; 0: none.
	ContentLimit time.Duration
	// CommunityTopics says whether everyone may change topics.
	CommunityTopics bool
}

// EditMessage decides whether the caller may change a message (rest-api.md, section 2.7). Only its sender may change
// the content. Its sender and administrators may change the topic at any time, others for a day.
func EditMessage(who actor.Role, e MessageEdit) error {
	admin, nameless := who.IsAdmin(), e.Topic == noTopic
	switch {
	case !e.Own && (e.Content || !nameless && !admin && !e.CommunityTopics):
		return ErrEdit
	case e.Content && e.ContentLimit > 0 && e.Age > e.ContentLimit+editGrace:
		return ErrEditLate
	case !e.Own && !admin && !nameless && e.Age > topicEditLimit+editGrace:
		return ErrEditLate
	}
	return nil
}

// MessageDeletion describes the deletion of a message that the caller has access to.
type MessageDeletion struct {
	Own     bool          // whether the caller sent it
	Age     time.Duration // since it was sent
	Allowed bool          // whether the organization allows members to delete their messages
	Limit   time.Duration // the time limit for that; 0: none
}

// DeleteMessage decides whether the caller may delete a message (rest-api.md, section 2.8).
func DeleteMessage(who actor.Role, d MessageDeletion) error {
	switch {
	case who.IsAdmin():
		return nil
	case !d.Own || !d.Allowed:
		return ErrDelete
	case d.Limit > 0 && d.Age > d.Limit:
		return ErrDeleteLate
	}
	return nil
}
