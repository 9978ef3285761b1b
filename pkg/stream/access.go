package stream

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// The errors of looking up a stream that doesn't exist, belongs to another organization, or isn't
// accessible to the caller (rest-api.md, section 1.9).
var (
	// ErrInvalidID is for streams named by id.
	ErrInvalidID = fault.Bad("Invalid stream id")
	// ErrInvalidName is for streams named by name, and for a blank name.
	ErrInvalidName = fault.Bad("Invalid stream name '%s'")
)

// Visible is a stream that an account may see.
type Visible struct {
	sqlc.Stream
	Subscribed bool // the account is subscribed
}

// View returns the stream as the rules of package permit need it.
func (s Visible) View() permit.StreamView {
	return permit.StreamView{InviteOnly: s.InviteOnly, IsWebPublic: s.IsWebPublic, Subscribed: s.Subscribed}
}

// ByID returns a stream if who may access it, or [ErrInvalidID].
func ByID(ctx context.Context, tx *store.Tx, who actor.Actor, stream id.Stream) (Visible, error) {
	return byID(ctx, tx, who, stream, false)
}

// ByIDForAdmin is [ByID], but an administrator reaches every stream of the organization.
func ByIDForAdmin(ctx context.Context, tx *store.Tx, who actor.Actor, stream id.Stream) (Visible, error) {
	return byID(ctx, tx, who, stream, who.Role.IsAdmin())
}

func byID(ctx context.Context, tx *store.Tx, who actor.Actor, stream id.Stream, every bool) (Visible, error) {
	row, err := tx.StreamByID(ctx, who.User, stream)
	return accessible(row, err, who, every, ErrInvalidID)
}

// ByName returns the active stream with a name if who may access it, or [ErrInvalidName] with the name as the caller
// wrote it. Case and surrounding blanks don't matter.
func ByName(ctx context.Context, tx *store.Tx, who actor.Actor, name string) (Visible, error) {
	row, err := tx.StreamByName(ctx, who.User, spelling.Name(name))
	return accessible(sqlc.StreamByIDRow(row), err, who, false, ErrInvalidName.Format(name))
}

// accessible returns the stream that a query found, or invalid if there is none or who may not access it.
func accessible(row sqlc.StreamByIDRow, err error, who actor.Actor, every bool, invalid error) (Visible, error) {
	seen := Visible{row.Stream, row.Subscribed}
	switch {
	case store.IsNotFound(err), err == nil && !every && !permit.ReadStream(who.Role, seen.View()):
		return Visible{}, invalid
	default:
		return seen, err
	}
}
