package permit

import (
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
)

// Who names the callers that an endpoint is for (rest-api.md, section 1.7). The zero value names
// nobody and is a programming error: every endpoint has to say.
type Who int

// The groups of callers. Incoming webhook bots belong to none of them but the last two.
const (
	Anyone               Who = iota + 1 // every account
	Human                               // every account but bots
	NonGuest                            // every account but guests
	Member                              // neither guests nor bots
	Admin                               // administrators and owners, their bots too
	Owner                               // owners
	AnyoneIncludingHooks                // every account, incoming webhook bots too
	Hook                                // incoming webhook bots alone
)

// What [Who.Check] fails with.
var (
	// ErrBot says that the caller is a bot where only people may call.
	ErrBot = fault.Plain("This endpoint does not accept bot requests.")
	// ErrGuest says that the caller is a guest.
	ErrGuest = fault.Bad("Not allowed for guest users")
	// ErrNotAdmin says that the caller is neither administrator nor owner.
	ErrNotAdmin = fault.New(fault.Invalid, fault.CodeUnauthorizedPrincipal, "Must be an organization administrator")
	// ErrNotOwner says that the caller isn't an owner.
	ErrNotOwner = fault.New(fault.Invalid, fault.CodeUnauthorizedPrincipal, "Must be an organization owner")
	// ErrHook says that the caller is an incoming webhook bot (rest-api.md, section 1.4, row 14).
	ErrHook = fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "This API is not available to incoming webhook bots.")
	// ErrNotHook says that the caller isn't an incoming webhook bot. A key of a person or of another bot
	// has more rights, and addresses with keys in them end up in other people's logs.
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

// CheckHook is the part of [Who.Check] that belongs to authentication and comes before rate
// limits: it returns [ErrHook] for an incoming webhook bot that isn't included, and [ErrNotHook] for
// anybody else where only these bots may call.
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

// Check returns nil when the caller belongs to the group, and otherwise the fault that says why
// not. It panics for a value that is none of the groups.
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
