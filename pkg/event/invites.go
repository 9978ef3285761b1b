package event

// InvitesChanged is sent to administrators when an invitation was made, revoked or accepted (events.md, section 3.20).
type InvitesChanged struct{}

// Kind implements [Event].
func (InvitesChanged) Kind() Kind { return Kind{Type: "invites_changed"} }

// Audience is administrators.
func (InvitesChanged) Audience() Audience { return Audience{Admins: true} }
