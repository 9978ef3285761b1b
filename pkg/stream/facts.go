package stream

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Facts are what a sender must know of a stream. They hold as long as the stream's version is the
// same and, if a subscription grants the right to send, as long as that lasts.
type Facts struct {
	permit.PostTarget
	ID            id.Stream
	Version       int64
	HistoryPublic bool
	FirstMessage  id.Message // 0: none yet
	Occupied      bool       // an active account is subscribed
}

// FactsByID reads what sender must know of a stream of the organization, even of a deactivated one.
// The error is store.ErrNotFound where there is none.
func FactsByID(ctx context.Context, tx *store.Tx, sender actor.Actor, stream id.Stream) (Facts, error) {
	row, err := tx.StreamFactsByID(ctx, sender.User, sender.BotOwner, stream)
	return facts(row), err
}

// FactsByName reads what sender must know of the active stream with a name, whatever its case. The
// error is store.ErrNotFound where there is none.
func FactsByName(ctx context.Context, tx *store.Tx, sender actor.Actor, name string) (Facts, error) {
	row, err := tx.StreamFactsByName(ctx, sender.User, sender.BotOwner, name)
	return facts(sqlc.StreamFactsByIDRow(row)), err
}

// FactsOfNew are the facts of a stream that the transaction has just made, for the server itself.
func FactsOfNew(row sqlc.Stream) Facts {
	return Facts{
		PostTarget: permit.PostTarget{
			Name: row.Name, InviteOnly: row.InviteOnly, IsWebPublic: row.IsWebPublic, Policy: permit.PostPolicy(row.PostPolicy),
		},
		ID: row.StreamID, Version: row.Version, HistoryPublic: row.HistoryPublic,
	}
}

func facts(row sqlc.StreamFactsByIDRow) Facts {
	f := Facts{
		PostTarget: permit.PostTarget{
			Name: row.Name, InviteOnly: row.InviteOnly, IsWebPublic: row.IsWebPublic, Deactivated: row.Deactivated,
			Policy: permit.PostPolicy(row.PostPolicy), SenderSubscribed: row.SenderSubscribed, OwnerSubscribed: row.OwnerSubscribed,
		},
		ID: row.StreamID, Version: row.Version, HistoryPublic: row.HistoryPublic, Occupied: row.Occupied,
	}
	if row.FirstMessageID != nil {
		f.FirstMessage = *row.FirstMessageID
	}
	return f
}
