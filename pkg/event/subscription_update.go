package event

import "chatserver.dev/pkg/id"

// SubscriptionUpdated tells somebody that they changed a property of a subscription (events.md,
// section 3.9). The property is_muted is told as in_home_view, its opposite.
type SubscriptionUpdated struct {
	User       id.User   `json:"-"`
	Email      string    `json:"email"` // the user's, as others see it
	Stream     id.Stream `json:"stream_id"`
	StreamName string    `json:"name"`
	Property   string    `json:"property"`
	Value      any       `json:"value"` // a string for color, a bool for all others
}

// EventType gives the type on the wire.
func (SubscriptionUpdated) EventType() string { return typeSubscription }

// Audience is whose subscription it is.
func (e SubscriptionUpdated) Audience() Audience { return Audience{Users: []id.User{e.User}} }

// Change is nil.
func (SubscriptionUpdated) Change() *Change { return nil }

// MarshalJSON gives the event as clients get it.
func (e SubscriptionUpdated) MarshalJSON() ([]byte, error) {
	type members SubscriptionUpdated
	body, err := marshal(members(e))
	if err != nil {
		return nil, err
	}
	return splice(`{"op":"update"`, body), nil
}
