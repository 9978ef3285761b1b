package state

import (
	"context"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
)

// Subscriptions are the streams that the caller can know of, by what they are to the caller (events.md,
// section 1.6.3). Each list is sorted by name.
type Subscriptions struct {
	Subscribed      []event.Subscription           `json:"subscriptions"`    // those that the caller is subscribed to
	Unsubscribed    []event.Subscription           `json:"unsubscribed"`     // those that the caller was subscribed to
	NeverSubscribed []subscription.NeverSubscribed `json:"never_subscribed"` // all others
}

// Streams are the streams that the caller can read and that have subscribers, by name.
type Streams struct {
	StreamList           []event.Stream `json:"streams"`                       // by name
	MaxNameLength        int            `json:"stream_name_max_length"`        // characters
	MaxDescriptionLength int            `json:"stream_description_max_length"` // characters
}

// DefaultStreams are the streams that new accounts are subscribed to, by name; none for guests.
type DefaultStreams struct {
	DefaultStreamList []event.Stream `json:"realm_default_streams"` // by name
}

// DefaultStreamGroups are sets of streams that new accounts can choose; there are none yet.
type DefaultStreamGroups struct {
	DefaultStreamGroupList []DefaultStreamGroup `json:"realm_default_stream_groups"` // sets of streams to choose from
}

// DefaultStreamGroup is a set of streams that new accounts can choose.
type DefaultStreamGroup struct {
	ID          int64          `json:"id"`          // unique over the server
	Name        string         `json:"name"`        // for people
	Description string         `json:"description"` // for people
	Streams     []event.Stream `json:"streams"`     // by name
}

func readSubscriptions(ctx context.Context, r *reading, into *State) error {
	options := subscription.StateOptions{Subscribers: r.IncludeSubscribers}
	if !r.NotificationSettingsNull {
		own := r.self.Settings
		options.Inherit = &subscription.Inherited{
			Desktop: own.EnableStreamDesktopNotifications, Audible: own.EnableStreamAudibleNotifications,
			Push: own.EnableStreamPushNotifications, Email: own.EnableStreamEmailNotifications,
		}
	}
	read, err := r.Subscriptions.State(ctx, r.tx, r.who, options)
	into.Subscriptions = &Subscriptions{read.Subscribed, read.Unsubscribed, read.NeverSubscribed}
	return err
}

func readStreams(ctx context.Context, r *reading, into *State) error {
	read, err := stream.ReadState(ctx, r.tx, r.who)
	if r.Wants("stream") {
		into.Streams = &Streams{read.Streams, stream.MaxName, stream.MaxDescription}
	}
	if r.Wants("default_streams") {
		into.DefaultStreams = &DefaultStreams{read.Defaults}
	}
	return err
}

func readDefaultStreamGroups(_ context.Context, _ *reading, into *State) error {
	into.DefaultStreamGroups = &DefaultStreamGroups{[]DefaultStreamGroup{}}
	return nil
}
