package permit

import (
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
)

// PostPolicy says who may send to a stream, with the numbers of the interface.
type PostPolicy int16

// The policies. Administrators, owners and their bots may always send.
const (
	PostAnyone     PostPolicy = 1
	PostAdmins     PostPolicy = 2
	PostNewMembers PostPolicy = 3 // only accounts younger than the organization's waiting period
)

// PostTarget describes the stream and the sender's relation to it.
type PostTarget struct {
	Name             string
	InviteOnly       bool
	IsWebPublic      bool
	Deactivated      bool
	Policy           PostPolicy
	SenderSubscribed bool
	OwnerSubscribed  bool // for a bot: whether its owner is subscribed
}

// Errors of [Post] (rest-api.md, section 2.2.3).
var (
	// ErrPostAdmins says that only administrators may send to the stream.
	ErrPostAdmins = fault.Bad("Only organization administrators can send to this stream.")
	// ErrPostNewMembers says that only new members may send to the stream.
	ErrPostNewMembers = fault.Bad("Only new members can send to this stream.")
	// ErrPost says that the stream is private and the sender isn't subscribed.
	ErrPost = fault.Bad("Not authorized to send to stream '%s'")
)

// Post decides whether the sender may send to a stream (rest-api.md, section 2.2.3). accessBy is the account whose
// subscription grants the permission: the sender or, for a bot, its owner. It is 0 if no subscription is needed. Unlike
// the specification, outgoing webhook bots are no exception: everybody may create one.
func Post(now time.Time, sender actor.Actor, to PostTarget) (accessBy id.User, err error) {
	if to.Deactivated {
		return 0, ErrPost.Format(to.Name)
	}
	if err := postPolicy(now, sender, to.Policy); err != nil {
		return 0, err
	}
	switch {
	case to.IsWebPublic, !to.InviteOnly && sender.Role < actor.Guest:
		return 0, nil
	case to.SenderSubscribed:
		return sender.User, nil
	case to.OwnerSubscribed && sender.IsBot():
		return sender.BotOwner, nil
	default:
		return 0, ErrPost.Format(to.Name)
	}
}

func postPolicy(now time.Time, sender actor.Actor, policy PostPolicy) error {
	ownedByAdmin := sender.IsBot() && sender.BotOwner != 0 && sender.OwnerRole.IsAdmin()
	if sender.Role.IsAdmin() || ownedByAdmin {
		return nil
	}
	switch policy {
	case PostAdmins:
		return ErrPostAdmins
	case PostNewMembers:
		// A bot counts as new as long as its owner does. Otherwise anyone could get the permission with a new bot.
		joined := sender.Joined
		if sender.IsBot() && sender.BotOwner != 0 {
			joined = sender.OwnerJoined
		}
		return refuse(now.Sub(joined) >= sender.WaitingPeriod, ErrPostNewMembers)
	case PostAnyone:
		return nil
	default:
		return ErrPostAdmins // with an unknown policy, only administrators may send
	}
}
