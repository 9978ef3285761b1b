package event

import "chatserver.dev/pkg/id"

// Subscription is a stream together with what is personal to one subscriber (events.md, section
// 1.6.3). Null notification settings inherit the account's.
type Subscription struct {
	Stream
	Personal
	// EmailAddress is where mail to the stream goes; empty where the server takes none.
	EmailAddress string `json:"email_address"`
	// WeeklyTraffic is the rounded number of messages a week; null for a stream younger than a week.
	WeeklyTraffic *int `json:"stream_weekly_traffic"`
	// Subscribers are the active accounts subscribed, ascending; absent where not asked for.
	Subscribers []id.User `json:"subscribers,omitzero"`
}

// Personal is the part of a [Subscription] that is its subscriber's own.
type Personal struct {
	// Color is the subscriber's color for the stream, # and hexadecimal digits.
	Color string `json:"color"`
	// IsMuted is true where messages don't count as unread and stay out of the view of all messages.
	IsMuted bool `json:"is_muted"`
	// InHomeView is the older form of is_muted: its opposite.
	InHomeView bool `json:"in_home_view"`
	// PinToTop is true where the stream is shown before others.
	PinToTop bool `json:"pin_to_top"`
	// DesktopNotifications overrides the account's setting.
	DesktopNotifications *bool `json:"desktop_notifications"`
	// AudibleNotifications overrides the account's setting.
	AudibleNotifications *bool `json:"audible_notifications"`
	// PushNotifications overrides the account's setting.
	PushNotifications *bool `json:"push_notifications"`
	// EmailNotifications overrides the account's setting.
	EmailNotifications *bool `json:"email_notifications"`
	// WildcardMentionsNotify overrides the account's setting.
	WildcardMentionsNotify *bool `json:"wildcard_mentions_notify"`
}

// SubscriptionAdded is sent to somebody who was subscribed to streams (events.md, section 3.9).
type SubscriptionAdded struct {
	User          id.User        `json:"-"`
	Subscriptions []Subscription `json:"subscriptions"` // with subscribers
}

// Kind implements [Event].
func (SubscriptionAdded) Kind() Kind { return Kind{"subscription", "add"} }

// Audience is the new subscriber.
func (e SubscriptionAdded) Audience() Audience { return Audience{Users: []id.User{e.User}} }

// Change returns the new memberships.
func (e SubscriptionAdded) Change() *Change {
	change := Change{Subscribed: make([]Membership, len(e.Subscriptions))}
	for i, s := range e.Subscriptions {
		change.Subscribed[i] = Membership{Stream: s.ID, User: e.User}
	}
	return &change
}

// StreamName names a stream that somebody was unsubscribed from.
type StreamName struct {
	ID   id.Stream `json:"stream_id"`
	Name string    `json:"name"`
}

// SubscriptionRemoved is sent to somebody who was unsubscribed from streams (events.md, section 3.9).
type SubscriptionRemoved struct {
	User    id.User      `json:"-"`
	Streams []StreamName `json:"subscriptions"`
}

// Kind implements [Event].
func (SubscriptionRemoved) Kind() Kind { return Kind{"subscription", "remove"} }

// Audience is the former subscriber.
func (e SubscriptionRemoved) Audience() Audience { return Audience{Users: []id.User{e.User}} }

// Change returns the removed memberships.
func (e SubscriptionRemoved) Change() *Change {
	change := Change{Unsubscribed: make([]Membership, len(e.Streams))}
	for i, s := range e.Streams {
		change.Unsubscribed[i] = Membership{Stream: s.ID, User: e.User}
	}
	return &change
}

// PeerAdded is sent to others who see a stream that somebody was subscribed to (events.md, section 3.9). It comes
// after the [SubscriptionAdded] of all who were subscribed at the same time. It is also sent, after [RealmUserAdd], when
// a subscriber's account is active again.
type PeerAdded struct {
	Stream id.Stream `json:"stream_id"`
	User   id.User   `json:"user_id"`

	Private bool      `json:"-"` // the stream is
	Altered []id.User `json:"-"` // all who were subscribed at the same time: they know the whole list
}

// Kind implements [Event].
func (PeerAdded) Kind() Kind { return Kind{"subscription", "peer_add"} }

// Audience is who sees the stream, without those altered (events.md, section 7, row 18).
func (e PeerAdded) Audience() Audience { return peerAudience(e.Stream, e.Private, e.Altered) }

// PeerRemoved is sent to others who see a stream that somebody was unsubscribed from (events.md, section 3.9). It
// comes after the [SubscriptionRemoved] of all who were unsubscribed at the same time.
type PeerRemoved struct {
	Stream id.Stream `json:"stream_id"`
	User   id.User   `json:"user_id"`

	Private bool      `json:"-"` // the stream is
	Altered []id.User `json:"-"` // all who were unsubscribed at the same time
}

// Kind implements [Event].
func (PeerRemoved) Kind() Kind { return Kind{"subscription", "peer_remove"} }

// Audience is who sees the stream, without those altered.
func (e PeerRemoved) Audience() Audience { return peerAudience(e.Stream, e.Private, e.Altered) }

func peerAudience(stream id.Stream, private bool, altered []id.User) Audience {
	audience := seenBy(stream, private)
	audience.Except = altered
	return audience
}
