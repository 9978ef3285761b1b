package stream

import (
	"context"
	"fmt"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// The errors of editing (rest-api.md, section 3.9), besides [ErrInvalidID], [permit.ErrNotOwner] and those of invalid
// names.
var (
	// ErrSameName says that the new name is the old one.
	ErrSameName = fault.Plain("Stream already has that name!")
	// ErrNameTaken says that another active stream has the new name.
	ErrNameTaken = fault.Bad("Stream name '%s' is already taken.")
)

// Change describes a change of a stream. Fields that are nil are not changed.
type Change struct {
	Name        *string
	Description *string // Markdown; line feeds become blanks
	PostPolicy  *permit.PostPolicy
	// Retention may be changed only by owners.
	Retention *Retention
	// Private may be changed only with access to the stream, or with Anyway.
	Private *bool
	// Anyway is set for changes by the server itself, which has access to every stream.
	Anyway bool
	// HistoryPublic is used only together with Private. The history of a stream that becomes public is always public;
	// that of a private one only if this is true.
	HistoryPublic *bool
}

// Change changes a stream of the organization. The caller must be an administrator. If it fails, nothing is changed.
func (s *Service) Change(ctx context.Context, who actor.Actor, stream id.Stream, change Change) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error { return s.ChangeIn(ctx, tx, who, stream, change) })
}

// ChangeIn is [Service.Change] as part of a transaction that has written nothing so far.
func (s *Service) ChangeIn(ctx context.Context, tx *store.Tx, who actor.Actor, stream id.Stream, change Change) error {
	// Messages that are being sent are stored before the change, later ones after it.
	before, err := lockActive(ctx, tx, who, stream, true)
	if err != nil {
		return err
	}
	after, err := s.withChange(ctx, tx, who, before, change)
	if err != nil {
		return err
	}
	row, err := tx.UpdateStream(ctx, after)
	switch {
	case change.Name != nil && store.IsDuplicate(err):
		return ErrNameTaken.Format(strings.TrimSpace(*change.Name)) // by another transaction, just now
	case err != nil:
		return fmt.Errorf("change stream %d: %w", stream, err)
	}
	return s.emitChange(ctx, tx, who, before.Stream, row, change)
}

// lockActive takes the lock on a stream's subscriptions and, if defaults is true, the one on the list of default
// streams. It must come before the transaction's first write. It returns the stream if it is active and the caller is
// an administrator, or [ErrInvalidID].
func lockActive(ctx context.Context, tx *store.Tx, who actor.Actor, stream id.Stream, defaults bool) (Visible, error) {
	if !who.Role.IsAdmin() {
		return Visible{}, ErrInvalidID
	}
	if err := tx.LockSubscriptions(ctx, stream); err != nil {
		return Visible{}, err
	}
	if defaults {
		if err := tx.LockDefaultStreams(ctx); err != nil {
			return Visible{}, err
		}
	}
	seen, err := ByIDForAdmin(ctx, tx, who, stream)
	if err == nil && seen.Deactivated {
		err = ErrInvalidID
	}
	return seen, err
}

// withChange checks a change, and returns the changed stream.
func (s *Service) withChange(
	ctx context.Context, tx *store.Tx, who actor.Actor, seen Visible, change Change,
) (sqlc.UpdateStreamParams, error) {
	after := sqlc.UpdateStreamParams{
		StreamID: seen.StreamID, Name: seen.Name, Description: seen.Description, RenderedDescription: seen.RenderedDescription,
		InviteOnly: seen.InviteOnly, HistoryPublic: seen.HistoryPublic, PostPolicy: seen.PostPolicy, RetentionDays: seen.RetentionDays,
	}
	none := sqlc.UpdateStreamParams{}
	if change.Retention != nil {
		if err := permit.Owner.Check(who); err != nil {
			return none, err
		}
		after.RetentionDays = change.Retention.Days
	}
	if change.Description != nil {
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return none, err
		}
		after.Description = OneLine(*change.Description)
		after.RenderedDescription, err = s.render.RenderDescription(ctx, after.Description, markdown.Context{OrgURL: o.URI})
		if err != nil {
			return none, fmt.Errorf("render description of stream %d: %w", seen.StreamID, err)
		}
	}
	if change.Name != nil {
		name, err := newName(ctx, tx, who, seen, *change.Name)
		if err != nil {
			return none, err
		}
		after.Name = name
	}
	if change.PostPolicy != nil {
		after.PostPolicy = int16(*change.PostPolicy)
	}
	if change.Private != nil {
		if !change.Anyway && !permit.ReadStream(who.Role, seen.View()) {
			return none, ErrInvalidID
		}
		after.InviteOnly = *change.Private
		after.HistoryPublic = !*change.Private || change.HistoryPublic != nil && *change.HistoryPublic
	}
	after.Newer = after.Name != seen.Name || after.PostPolicy != seen.PostPolicy ||
		after.InviteOnly != seen.InviteOnly || after.HistoryPublic != seen.HistoryPublic
	return after, nil
}

// newName checks a new name for a stream and returns it in its stored form.
func newName(ctx context.Context, tx *store.Tx, who actor.Actor, seen Visible, wanted string) (string, error) {
	name, err := CleanName(wanted)
	if err != nil {
		return "", err
	}
	if name == seen.Name {
		return "", ErrSameName
	}
	other, err := tx.StreamByName(ctx, who.User, name)
	switch {
	case err == nil && other.Stream.StreamID != seen.StreamID:
		return "", ErrNameTaken.Format(name)
	case err != nil && !store.IsNotFound(err):
		return "", fmt.Errorf("read stream %q: %w", name, err)
	default:
		return name, nil // free, or the stream's own with other letter case
	}
}
