package stream

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Facts are the facts of a stream that sending to it depends on. They are current while the stream's version is the same
// and, if a subscription permits the sender to send, while that is active.
type Facts struct {
	permit.PostTarget
	ID       id.Stream
	Version  int64
	Occupied bool // an active account is subscribed
}

// FactsByID returns the facts, for sender, of a stream of the organization, which may be deactivated, or
// store.ErrNotFound.
func FactsByID(ctx context.Context, tx *store.Tx, sender actor.Actor, stream id.Stream) (Facts, error) {
	row, err := tx.StreamFactsByID(ctx, sender.User, sender.BotOwner, stream)
	return facts(row), err
}

// FactsByName returns the facts, for sender, of the active stream with a name, without regard to case, or
// store.ErrNotFound.
func FactsByName(ctx context.Context, tx *store.Tx, sender actor.Actor, name string) (Facts, error) {
	row, err := tx.StreamFactsByName(ctx, sender.User, sender.BotOwner, name)
	return facts(sqlc.StreamFactsByIDRow(row)), err
}

// FactsOfNew returns the facts, for the server itself, of a stream that the transaction has just created.
func FactsOfNew(row sqlc.Stream) Facts {
	return Facts{
		PostTarget: permit.PostTarget{
			Name: row.Name, InviteOnly: row.InviteOnly, IsWebPublic: row.IsWebPublic, Policy: permit.PostPolicy(row.PostPolicy),
		},
		ID: row.StreamID, Version: row.Version,
	}
}

func facts(row sqlc.StreamFactsByIDRow) Facts {
	return Facts{
		PostTarget: permit.PostTarget{
			Name: row.Name, InviteOnly: row.InviteOnly, IsWebPublic: row.IsWebPublic, Deactivated: row.Deactivated,
			Policy: permit.PostPolicy(row.PostPolicy), SenderSubscribed: row.SenderSubscribed, OwnerSubscribed: row.OwnerSubscribed,
		},
		ID: row.StreamID, Version: row.Version, Occupied: row.Occupied,
	}
}
