package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// Reasons why a stream is refused, in addition to those for people's requests.
var (
	ErrStreamDescription = fault.Bad("A stream's description must have at most 1024 characters.")
	ErrPostPolicy        = fault.Bad("post_policy must be 1, 2 or 3.")
	ErrRetention         = fault.Bad("retention_days must be -1, 0 or more.")
	ErrPrivateDefault    = fault.Bad("A private stream can't be a default stream.")
)

// EnsureStream creates or updates the stream with a key. If it was archived, EnsureStream creates it
// again.
func (s *Service) EnsureStream(ctx context.Context, orgKey, key string, spec adminapi.StreamSpec) (adminapi.Ensured[adminapi.Stream], error) {
	ensured := adminapi.Ensured[adminapi.Stream]{}
	if err := errors.Join(checkKey(key), checkStream(spec)); err != nil {
		return ensured, err
	}
	found, err := s.find(ctx, orgKey)
	if err != nil {
		return ensured, err
	}
	_, err = s.write(ctx, found, func(tx *store.Tx, o org.Org, who actor.Actor) error {
		row, was, err := findStream(ctx, tx, o, key, spec)
		if err != nil {
			return err
		}
		ensured = adminapi.Ensured[adminapi.Stream]{Created: row.StreamID == 0 || row.Deactivated, Changed: []string{}}
		if ensured.Created {
			row, err = s.makeStream(ctx, tx, markdown.Context{OrgURL: o.URI}, row, spec)
		} else {
			row, ensured.Changed, err = s.editStream(ctx, tx, who, row, spec)
		}
		if err != nil {
			return err
		}
		if was.key != key || was.object != int64(row.StreamID) {
			if err := keep(ctx, tx, Stream, was, key, int64(row.StreamID), was.details); err != nil {
				return err
			}
			if !ensured.Created {
				ensured.Changed = append(ensured.Changed, fieldKey)
			}
		}
		ensured.State = streamState(key, row)
		return nil
	})
	if store.IsDuplicate(err) { // somebody has just created it
		err = ErrExists.Format("stream", deref(spec.Name))
	}
	return ensured, err
}

func checkStream(spec adminapi.StreamSpec) error {
	switch {
	case utf8.RuneCountInString(deref(spec.Description)) > stream.MaxDescription:
		return ErrStreamDescription
	case spec.PostPolicy != nil && (*spec.PostPolicy < 1 || *spec.PostPolicy > 3):
		return ErrPostPolicy
	case spec.RetentionDays != nil && (*spec.RetentionDays < -1 || *spec.RetentionDays > 1<<31-1):
		return ErrRetention
	case spec.Name == nil:
		return nil
	}
	_, err := stream.CleanName(*spec.Name)
	return err
}

// findStream returns the stream with a key, or the one to adopt, and how it was managed; the zero row: there is none. It locks the
// stream, and the list of default streams. If the stream was archived, another one of its name is as good.
func findStream(
	ctx context.Context, tx *store.Tx, o org.Org, key string, spec adminapi.StreamSpec,
) (row sqlc.Stream, was held, err error) {
	if was, err = objectFrom(ctx, tx, Stream, key, spec.AdoptFrom); err != nil {
		return row, was, err
	}
	number, name := id.Stream(was.object), deref(spec.Name)
	if number != 0 {
		if row, err = streamRow(ctx, tx, number); err != nil {
			return row, was, err
		}
		name = or(spec.Name, row.Name)
	}
	if name != "" && (number == 0 || row.Deactivated) {
		named, err := streamNamed(ctx, tx, o, name, spec.Adopt)
		if err != nil {
			return row, was, err
		}
		number = cmp.Or(named, number)
	}
	if number != 0 {
		if err := tx.LockSubscriptions(ctx, number); err != nil {
			return row, was, err
		}
	}
	if spec.Default != nil {
		if err := tx.LockDefaultStreams(ctx); err != nil {
			return row, was, fmt.Errorf("lock default streams: %w", err)
		}
	}
	if number != 0 {
		row, err = streamRow(ctx, tx, number)
	}
	return row, was, err
}

func streamRow(ctx context.Context, tx *store.Tx, number id.Stream) (sqlc.Stream, error) {
	found, err := tx.StreamByID(ctx, 0, number)
	if err != nil {
		return sqlc.Stream{}, fmt.Errorf("read stream %d: %w", number, err)
	}
	return found.Stream, nil
}

// streamNamed returns the stream to take over by its name; 0: none has it. One that was created in the same transaction as its
// organization needs no adopt.
func streamNamed(ctx context.Context, tx *store.Tx, o org.Org, name string, adopt bool) (id.Stream, error) {
	name, err := stream.CleanName(name)
	if err != nil {
		return 0, err
	}
	row, err := tx.StreamByName(ctx, 0, name)
	if store.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read stream %q: %w", name, err)
	}
	number := row.Stream.StreamID
	return number, adoptable(ctx, tx, Stream, name, int64(number), adopt || row.Stream.CreatedAt.Equal(o.Created))
}

// makeStream creates a stream. Fields that the spec doesn't set are those of the archived one, if any.
func (s *Service) makeStream(
	ctx context.Context, tx *store.Tx, in markdown.Context, was sqlc.Stream, spec adminapi.StreamSpec,
) (sqlc.Stream, error) {
	name := was.Name
	if spec.Name != nil {
		name, _ = stream.CleanName(*spec.Name)
	}
	if name == "" {
		return sqlc.Stream{}, fault.Missing("name")
	}
	settings := stream.Settings{
		InviteOnly: deref(spec.Private), HistoryPublic: deref(spec.HistoryPublic), RetentionDays: was.RetentionDays,
		PostPolicy: permit.PostPolicy(or(spec.PostPolicy, int(permit.PostAnyone))),
	}
	if spec.RetentionDays != nil {
		settings.RetentionDays = days(*spec.RetentionDays)
	}
	draft := stream.Draft{Name: name, Description: or(spec.Description, was.Description)}
	if settings.InviteOnly && deref(spec.Default) {
		return sqlc.Stream{}, ErrPrivateDefault
	}
	made, err := stream.Create(ctx, tx, s.Render, in, []stream.Draft{draft}, settings)
	if err != nil {
		return sqlc.Stream{}, err
	}
	row := made[0]
	if deref(spec.Default) {
		row.IsDefault = true
		return row, stream.SetDefault(ctx, tx, row.StreamID, true)
	}
	return row, nil
}

// editStream changes the fields that differ, and returns their names.
func (s *Service) editStream(
	ctx context.Context, tx *store.Tx, who actor.Actor, row sqlc.Stream, spec adminapi.StreamSpec,
) (sqlc.Stream, []string, error) {
	change, changed := difference(row, spec)
	isDefault := or(spec.Default, row.IsDefault)
	if isDefault && or(change.Private, row.InviteOnly) {
		return row, nil, ErrPrivateDefault
	}
	if len(changed) > 0 {
		if err := s.Streams.ChangeIn(ctx, tx, who, row.StreamID, change); err != nil {
			return row, nil, err
		}
	}
	if isDefault != row.IsDefault {
		changed = append(changed, "default")
		if err := stream.SetDefault(ctx, tx, row.StreamID, isDefault); err != nil {
			return row, nil, err
		}
	}
	after, err := streamRow(ctx, tx, row.StreamID)
	return after, changed, err
}

// difference returns the required changes of a stream.
func difference(row sqlc.Stream, spec adminapi.StreamSpec) (change stream.Change, changed []string) {
	change, changed = stream.Change{Anyway: true}, []string{}
	if spec.Name != nil {
		if name, err := stream.CleanName(*spec.Name); err == nil && name != row.Name {
			change.Name, changed = &name, append(changed, "name")
		}
	}
	if spec.Description != nil && stream.OneLine(*spec.Description) != row.Description {
		change.Description, changed = spec.Description, append(changed, "description")
	}
	private := or(spec.Private, row.InviteOnly)
	history := or(spec.HistoryPublic, row.InviteOnly && row.HistoryPublic) || !private
	if private != row.InviteOnly || history != row.HistoryPublic {
		change.Private, change.HistoryPublic = &private, &history
		if private != row.InviteOnly {
			changed = append(changed, "private")
		}
		if history != row.HistoryPublic {
			changed = append(changed, "history_public")
		}
	}
	if spec.PostPolicy != nil && *spec.PostPolicy != int(row.PostPolicy) {
		change.PostPolicy, changed = new(permit.PostPolicy(*spec.PostPolicy)), append(changed, "post_policy")
	}
	if spec.RetentionDays != nil && *spec.RetentionDays != int(deref(row.RetentionDays)) {
		change.Retention, changed = &stream.Retention{Days: days(*spec.RetentionDays)}, append(changed, "retention_days")
	}
	return change, changed
}

// days returns the retention as stored with streams.
func days(n int) *int32 {
	if n == 0 {
		return nil
	}
	return new(int32(n))
}

func streamState(key string, row sqlc.Stream) adminapi.Stream {
	return adminapi.Stream{
		ID: int64(row.StreamID), Key: key, Name: row.Name, Description: row.Description, Private: row.InviteOnly,
		HistoryPublic: row.HistoryPublic, PostPolicy: int(row.PostPolicy), RetentionDays: int(deref(row.RetentionDays)),
		Default: row.IsDefault, Active: !row.Deactivated,
	}
}
