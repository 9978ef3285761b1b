package event

import "chatserver.dev/pkg/id"

// SubscriptionUpdated is sent to somebody who changed a property of a subscription (events.md, section 3.9). The
// property is_muted is reported as in_home_view, its opposite.
type SubscriptionUpdated struct {
	User       id.User   `json:"-"`
	Email      string    `json:"email"` // the user's, as others see it
	Stream     id.Stream `json:"stream_id"`
	StreamName string    `json:"name"`
	Property   string    `json:"property"`
	Value      any       `json:"value"` // a string for color, a bool for all others
}

// Kind implements [Event].
func (SubscriptionUpdated) Kind() Kind { return Kind{"subscription", "update"} }

// Audience is whose subscription it is.
func (e SubscriptionUpdated) Audience() Audience { return Audience{Users: []id.User{e.User}} }
