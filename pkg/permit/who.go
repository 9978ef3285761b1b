package permit

import (
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
)

// Who is a group of callers that an endpoint accepts (rest-api.md, section 1.7). The zero value is invalid, because
// each endpoint must declare a group.
type Who int

// The groups of callers. Only the last two contain incoming webhook bots.
const (
	Anyone               Who = iota + 1 // every account
	Human                               // every account except bots
	NonGuest                            // every account except guests
	Member                              // neither guests nor bots
	Admin                               // administrators and owners, including bots
	Owner                               // owners
	AnyoneIncludingHooks                // every account, including incoming webhook bots
	Hook                                // only incoming webhook bots
)

// Errors of [Who.Check].
var (
	// ErrBot says that the caller is a bot and only people may call.
	ErrBot = fault.Plain("This endpoint does not accept bot requests.")
	// ErrGuest says that the caller is a guest.
	ErrGuest = fault.Bad("Not allowed for guest users")
	// ErrNotAdmin says that the caller is neither administrator nor owner.
	ErrNotAdmin = fault.New(fault.Invalid, fault.CodeUnauthorizedPrincipal, "Must be an organization administrator")
	// ErrNotOwner says that the caller isn't an owner.
	ErrNotOwner = fault.New(fault.Invalid, fault.CodeUnauthorizedPrincipal, "Must be an organization owner")
	// ErrHook says that the caller is an incoming webhook bot (rest-api.md, section 1.4, row 14).
	ErrHook = fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "This API is not available to incoming webhook bots.")
	// ErrNotHook says that the caller isn't an incoming webhook bot. Keys of people and of other bots have more
	// permissions, and URLs that contain keys end up in other systems' logs.
	ErrNotHook = fault.New(fault.Unauthenticated, fault.CodeUnauthorized,
		"This address takes only the API key of an incoming webhook bot; this key belongs to another kind of account.")
)

// String returns the group's name for documentation.
func (w Who) String() string {
	if !w.Valid() {
		return fmt.Sprintf("Who(%d)", int(w))
	}
	return [...]string{
		Anyone: "anyone", Human: "human", NonGuest: "non-guest", Member: "member", Admin: "admin", Owner: "owner",
		AnyoneIncludingHooks: "anyone, including incoming webhook bots", Hook: "incoming webhook bots",
	}[w]
}

// Valid reports whether w is one of the groups.
func (w Who) Valid() bool { return w >= Anyone && w <= Hook }

// CheckHook is the part of [Who.Check] that belongs to authentication and comes before rate limits. It returns
// [ErrHook] if the caller is an incoming webhook bot and the group has none, and [ErrNotHook] if the caller isn't one
// and the group has only these.
func (w Who) CheckHook(caller actor.Actor) error {
	hook := caller.Bot == actor.IncomingWebhook
	switch {
	case hook && w != AnyoneIncludingHooks && w != Hook:
		return ErrHook
	case !hook && w == Hook:
		return ErrNotHook
	default:
		return nil
	}
}

// Check returns nil if the caller belongs to the group, and otherwise the fault with the reason. It panics if w is
// invalid.
func (w Who) Check(caller actor.Actor) error {
	if err := w.CheckHook(caller); err != nil {
		return err
	}
	guest := caller.Role >= actor.Guest
	switch w {
	case Anyone, AnyoneIncludingHooks, Hook:
		return nil
	case Human:
		return refuse(caller.IsBot(), ErrBot)
	case NonGuest:
		return refuse(guest, ErrGuest)
	case Member:
		if guest {
			return ErrGuest
		}
		return refuse(caller.IsBot(), ErrBot)
	case Admin:
		return refuse(!caller.Role.IsAdmin(), ErrNotAdmin)
	case Owner:
		return refuse(caller.Role != actor.Owner, ErrNotOwner)
	default:
		panic(fmt.Sprintf("permit: %v is no group of callers", w))
	}
}

func refuse(when bool, with error) error {
	if when {
		return with
	}
	return nil
}
