package event

import (
	"slices"
	"strings"

	"chatserver.dev/pkg/id"
)

// Registered is a kind of events in the form that clients get.
type Registered struct {
	Kind
	// Members is a value of the struct with the event's JSON members, except for id, type and op.
	Members any
}

// Registry returns the kinds of events that occur (events.md, section 3), sorted by type. Documentation is
// generated from it. An event that isn't in it never enters the queue of a client that asks for its type by name.
func Registry() []Registered {
	events := []Event{
		AlertWords{},
		AttachmentAdded{},
		AttachmentUpdated{},
		AttachmentRemoved{},
		DefaultStreams{},
		InvitesChanged{},
		DefaultStreamGroups{},
		DomainAdded{},
		DomainChanged{},
		DomainRemoved{},
		Linkifiers{},
		MessagesDeleted{},
		MutedTopics{},
		Presence{},
		ReactionChanged{},
		RealmUpdated{},
		RealmGroupUpdated{},
		RealmDeactivated{},
		RealmEmoji{},
		RealmExports{},
		RealmBotAdd{},
		RealmBotUpdate{},
		RealmBotRemove{},
		RealmBotDelete{},
		RealmUserAdd{},
		RealmUserUpdate{},
		RealmUserRemove{},
		StreamCreated{},
		StreamUpdated{},
		StreamDeleted{},
		StreamOccupied{},
		StreamVacated{},
		SubscriptionAdded{},
		SubscriptionUpdated{},
		SubscriptionRemoved{},
		PeerAdded{},
		PeerRemoved{},
		Typing{},
		DisplaySetting{},
		NotificationSetting{},
		MessageUpdated{},
		MessageFlagsUpdated{},
		UserStatus{},
		SubmessageAdded{},
		Hotspots{},
		ProfileFieldsChanged{},
		GroupAdded{},
		GroupUpdated{},
		GroupMembersAdded{},
		GroupMembersRemoved{},
		GroupRemoved{},
	}
	all := []Registered{{Kind{Type: typeMessage}, deliveredMessage{}}}
	for _, e := range events {
		registered := Registered{e.Kind(), e}
		switch e := e.(type) {
		case MessagesDeleted:
			registered.Members = deliveredDeletion{MessagesDeleted: e}
		case MessageUpdated:
			registered.Members = deliveredUpdate{MessageUpdated: e}
		case Presence:
			registered.Members = deliveredPresence{recorded: e}
		}
		all = append(all, registered)
	}
	slices.SortStableFunc(all, func(a, b Registered) int { return strings.Compare(a.Type, b.Type) })
	return all
}

// The delivered forms of events that differ from the recorded form, see [Recorded.Append].
type (
	// deliveredMessage is sent to those who received a message (events.md, section 3.2).
	deliveredMessage struct {
		Flags []string `json:"flags"` // of the receiver's copy
		// The local_id of the request that sent it, in the queue that the request named alone.
		LocalID string      `json:"local_message_id,omitempty"`
		Message sentMessage `json:"message"`
	}
	sentMessage struct {
		ID        id.Message `json:"id"`        // rises with each message
		Timestamp int64      `json:"timestamp"` // when it was sent, in Unix seconds
		MessageFields
		chosenForm
	}
	deliveredUpdate struct {
		Flags []string `json:"flags"` // of the receiver's copy of the message that was named
		MessageUpdated
	}
	deliveredDeletion struct {
		MessageID  id.Message   `json:"message_id,omitempty"`  // instead of message_ids, for clients without bulk_message_deletion
		MessageIDs []id.Message `json:"message_ids,omitempty"` // all of one topic
		MessagesDeleted
	}
	deliveredPresence struct {
		Email string `json:"email,omitempty"` // as others see it; absent for clients that want presences slim
		recorded
	}
	recorded = Presence // which has a member of this name
)

// Types returns the types of events that clients can register for (events.md, section 3), sorted: those that
// occur, and those in the interface that don't occur yet. Heartbeats aren't among them, since every queue gets them.
func Types() []string {
	types := []string{
		"has_zoom_token", "restart",
	}
	for _, registered := range Registry() {
		types = append(types, registered.Type)
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// Known returns the names that are types of events, each once. The result is never nil.
func Known(names []string) []string {
	known := []string{}
	for _, name := range Types() {
		if slices.Contains(names, name) {
			known = append(known, name)
		}
	}
	return known
}
