package permit

import "chatserver.dev/pkg/actor"

// BotPolicy says which bots members may make who aren't administrators, with the interface's own numbers (rest-api.md,
// section 8.6).
type BotPolicy int

// The policies.
const (
	BotsByEveryone BotPolicy = 1
	NoGenericBots  BotPolicy = 2 // all other kinds
	BotsByAdmins   BotPolicy = 3
)

// MakeBot returns nil if the caller, who is a member, may make a bot of a kind, and otherwise [ErrNotAdmin].
func MakeBot(who actor.Role, policy BotPolicy, kind actor.BotType) error {
	switch {
	case who.IsAdmin(), policy == BotsByEveryone, policy == NoGenericBots && kind != actor.GenericBot:
		return nil
	}
	return ErrNotAdmin
}
