package permit

import "chatserver.dev/pkg/actor"

// BotPolicy says which bots members who aren't administrators may create, with the numbers of the interface
// (rest-api.md, section 8.6).
type BotPolicy int

// The policies.
const (
	BotsByEveryone BotPolicy = 1
	NoGenericBots  BotPolicy = 2 // all other kinds
	BotsByAdmins   BotPolicy = 3
)

// MakeBot returns nil if the policy lets somebody with the role create a bot of the kind, and otherwise [ErrNotAdmin].
// The caller has checked that they are no guest.
func MakeBot(who actor.Role, policy BotPolicy, kind actor.BotType) error {
	switch {
	case who.IsAdmin(), policy == BotsByEveryone, policy == NoGenericBots && kind != actor.GenericBot:
		return nil
	}
	return ErrNotAdmin
}
