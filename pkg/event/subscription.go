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
	// InHomeView is the older form of IsMuted: its opposite.
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

// SubscriptionAdded tells someone which streams they were subscribed to (events.md, section 3.9).
type SubscriptionAdded struct {
	User          id.User
	Subscriptions []Subscription // with subscribers
}

// EventType gives the type on the wire.
func (SubscriptionAdded) EventType() string { return typeSubscription }

// Audience is the new subscriber.
func (e SubscriptionAdded) Audience() Audience { return Audience{Users: []id.User{e.User}} }

// Change gives the new memberships.
func (e SubscriptionAdded) Change() *Change {
	change := Change{Subscribed: make([]Membership, len(e.Subscriptions))}
	for i, s := range e.Subscriptions {
		change.Subscribed[i] = Membership{Stream: s.ID, User: e.User}
	}
	return &change
}

// MarshalJSON gives the event as clients get it.
func (e SubscriptionAdded) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		Op            string         `json:"op"`
		Subscriptions []Subscription `json:"subscriptions"`
	}{"add", e.Subscriptions})
}

// StreamName is what is left to say of a stream that someone was unsubscribed from.
type StreamName struct {
	ID   id.Stream `json:"stream_id"`
	Name string    `json:"name"`
}

// SubscriptionRemoved tells someone which streams they were unsubscribed from.
type SubscriptionRemoved struct {
	User    id.User
	Streams []StreamName
}

// EventType gives the type on the wire.
func (SubscriptionRemoved) EventType() string { return typeSubscription }

// Audience is the former subscriber.
func (e SubscriptionRemoved) Audience() Audience { return Audience{Users: []id.User{e.User}} }

// Change gives the memberships that ended.
func (e SubscriptionRemoved) Change() *Change {
	change := Change{Unsubscribed: make([]Membership, len(e.Streams))}
	for i, s := range e.Streams {
		change.Unsubscribed[i] = Membership{Stream: s.ID, User: e.User}
	}
	return &change
}

// MarshalJSON gives the event as clients get it.
func (e SubscriptionRemoved) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		Op            string       `json:"op"`
		Subscriptions []StreamName `json:"subscriptions"`
	}{"remove", e.Streams})
}

// PeerAdded tells others who see a stream that someone was subscribed to it. It comes after the
// [SubscriptionAdded] of all who were subscribed at the same time.
type PeerAdded struct {
	Stream  Stream
	User    id.User
	Altered []id.User // all who were subscribed at the same time: they know the whole list
}

// EventType gives the type on the wire.
func (PeerAdded) EventType() string { return typeSubscription }

// Audience gives who sees the stream, without those altered (events.md, section 7, row 18).
func (e PeerAdded) Audience() Audience { return peerAudience(e.Stream, e.Altered) }

// Change is nil: [SubscriptionAdded] has it.
func (PeerAdded) Change() *Change { return nil }

// MarshalJSON gives the event as clients get it.
func (e PeerAdded) MarshalJSON() ([]byte, error) { return peerJSON("peer_add", e.Stream.ID, e.User) }

// PeerRemoved tells others who see a stream that someone was unsubscribed from it. It comes after
// the [SubscriptionRemoved] of all who were unsubscribed at the same time.
type PeerRemoved struct {
	Stream  Stream
	User    id.User
	Altered []id.User // all who were unsubscribed at the same time
}

// EventType gives the type on the wire.
func (PeerRemoved) EventType() string { return typeSubscription }

// Audience gives who sees the stream, without those altered.
func (e PeerRemoved) Audience() Audience { return peerAudience(e.Stream, e.Altered) }

// Change is nil: [SubscriptionRemoved] has it.
func (PeerRemoved) Change() *Change { return nil }

// MarshalJSON gives the event as clients get it.
func (e PeerRemoved) MarshalJSON() ([]byte, error) {
	return peerJSON("peer_remove", e.Stream.ID, e.User)
}

const typeSubscription = "subscription"

func peerJSON(op string, stream id.Stream, user id.User) ([]byte, error) {
	return marshal(struct {
		Op     string    `json:"op"`
		Stream id.Stream `json:"stream_id"`
		User   id.User   `json:"user_id"`
	}{op, stream, user})
}

func peerAudience(s Stream, altered []id.User) Audience {
	audience := streamAudience(s)
	audience.Except = altered
	return audience
}
