package permit

import (
	"time"

	"chatserver.dev/pkg/actor"
)

// StreamPolicy says who may create streams, or subscribe others to them (rest-api.md, section 8.4). Administrators
// always may, guests never.
type StreamPolicy int

// The policies, with the numbers of the interface.
const (
	ByMembers     StreamPolicy = 1
	ByAdmins      StreamPolicy = 2
	ByFullMembers StreamPolicy = 3
)

// Allows reports whether the policy allows the action to an account. The role and age of a bot are its own, not its
// owner's.
func (policy StreamPolicy) Allows(who actor.Actor, now time.Time) bool {
	switch {
	case who.Role.IsAdmin():
		return true
	case who.Role >= actor.Guest:
		return false
	case policy == ByFullMembers:
		return fullMember(who, now)
	default:
		return policy == ByMembers
	}
}

// fullMember reports whether an account is older than its organization's waiting period, counted in
// whole days (rest-api.md, section 8.5).
func fullMember(who actor.Actor, now time.Time) bool {
	return now.Sub(who.Joined) >= who.WaitingPeriod
}
