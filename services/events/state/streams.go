package state

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
)

// Subscriptions are the streams that the caller can see, by whether the caller is or was subscribed (events.md, section
// 1.6.3). Each list is sorted by name.
type Subscriptions struct {
	Subscribed      []event.Subscription           `json:"subscriptions"`    // streams that the caller is subscribed to
	Unsubscribed    []event.Subscription           `json:"unsubscribed"`     // streams that the caller was subscribed to
	NeverSubscribed []subscription.NeverSubscribed `json:"never_subscribed"` // all other streams
}

// Streams are the streams that the caller can read and that have subscribers, by name.
type Streams struct {
	StreamList           []event.Stream `json:"streams"`                       // by name
	MaxNameLength        int            `json:"stream_name_max_length"`        // characters
	MaxDescriptionLength int            `json:"stream_description_max_length"` // characters
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

// seen returns the streams that the caller can see. They are read once for all parts.
func (r *reading) seen(ctx context.Context) (stream.State, error) {
	if r.streams == nil {
		read, err := stream.ReadState(ctx, r.tx, r.who)
		if err != nil {
			return stream.State{}, err
		}
		r.streams = &read
	}
	return *r.streams, nil
}

func readStreams(ctx context.Context, r *reading, into *State) error {
	read, err := r.seen(ctx)
	into.Streams = &Streams{read.Streams, stream.MaxName, stream.MaxDescription}
	return err
}

func readDefaultStreams(ctx context.Context, r *reading, into *State) error {
	read, err := r.seen(ctx)
	into.DefaultStreams = read.Defaults
	return err
}

func readDefaultStreamGroups(ctx context.Context, r *reading, into *State) (err error) {
	into.DefaultStreamGroups = []event.DefaultStreamGroup{}
	if r.who.Role != actor.Guest {
		into.DefaultStreamGroups, err = stream.Groups(ctx, r.tx)
	}
	return err
}
