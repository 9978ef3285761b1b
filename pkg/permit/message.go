package permit

import (
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
)

// noTopic is the topic of messages that were sent without one; everybody may set it.
const noTopic = "(no topic)"

const (
	// editGrace is how much later than the limit an edit may come: its author began in time.
	editGrace = 20 * time.Second
	// topicEditLimit is how long others may change a message's topic.
	topicEditLimit = 24 * time.Hour
)

// What changing and deleting messages fails with (rest-api.md, sections 2.7 and 2.8).
var (
	// ErrEdit says that the message isn't the caller's to change.
	ErrEdit = fault.Bad("You don't have permission to edit this message")
	// ErrEditLate says that it is too late to change it.
	ErrEditLate = fault.Bad("The time limit for editing this message has passed")
	// ErrDelete says that the message isn't the caller's to delete.
	ErrDelete = fault.Bad("You don't have permission to delete this message")
	// ErrDeleteLate says that it is too late to delete it.
	ErrDeleteLate = fault.Bad("The time limit for deleting this message has passed")
)

// MessageEdit is what decides whether somebody may change a message.
type MessageEdit struct {
	Own     bool          // the caller sent it
	Topic   string        // as it is
	Age     time.Duration // since it was sent
	Content bool          // its content is to change

	// ContentLimit is the organization's for contents; 0: none.
	ContentLimit time.Duration
	// CommunityTopics says that everybody may change topics.
	CommunityTopics bool
}

// EditMessage decides whether a message may be changed (rest-api.md, section 2.7): the content by its
// sender alone, the topic by its sender and by administrators at any time, by others for a day.
func EditMessage(who actor.Role, e MessageEdit) error {
	admin, nameless := who.IsAdmin(), e.Topic == noTopic
	switch {
	case !e.Own && (e.Content || !nameless && !admin && !e.CommunityTopics):
		return ErrEdit
	case e.Content && e.ContentLimit > 0 && e.Age > e.ContentLimit+editGrace:
		return ErrEditLate
	case !e.Content && !e.Own && !admin && !nameless && e.Age > topicEditLimit+editGrace:
		return ErrEditLate
	}
	return nil
}

// MessageDeletion is what decides whether somebody may delete a message that they see.
type MessageDeletion struct {
	Own     bool          // the caller sent it
	Age     time.Duration // since it was sent
	Allowed bool          // the organization lets people delete their messages
	Limit   time.Duration // for how long; 0: forever
}

// DeleteMessage decides whether a message may be deleted (rest-api.md, section 2.8).
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
