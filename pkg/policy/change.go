package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
)

// Change changes an organization for programs, which have access to all of its streams. changed are the names of the
// changed fields, as [org.Service.Change] returns them. It fails with the errors of that, and with
// [stream.ErrInvalidID].
func (s *Service) Change(ctx context.Context, in id.Org, change org.Change) (after org.Org, changed []string, err error) {
	if change, err = s.rendered(ctx, in, change); err != nil {
		return org.Org{}, nil, err
	}
	left := int64(0)
	err = s.DB.Write(ctx, in, func(tx *store.Tx) error {
		if err := lockStreams(ctx, tx, change.Settings); err != nil {
			return err
		}
		before, err := s.Orgs.Lock(ctx, tx)
		if err != nil {
			return err
		}
		if err := CheckStreams(ctx, tx, change.Settings); err != nil {
			return err
		}
		after, changed, left, err = s.change(ctx, tx, before, change)
		return err
	})
	if err != nil {
		return org.Org{}, nil, err
	}
	return after, changed, s.addresses.Await(ctx, s.DB, in, left, s.Now)
}

// change changes an organization. left is the number of the change that [Service.addresses] must continue, or 0.
func (s *Service) change(ctx context.Context, tx *store.Tx, before org.Org, change org.Change) (after org.Org, changed []string, left int64, err error) {
	after, changed, err = s.Orgs.Change(ctx, tx, change)
	if err != nil {
		return after, changed, 0, err
	}
	if rest, needed := affected(before, after); needed {
		left, err = s.addresses.Begin(ctx, tx, rest)
	}
	return after, changed, left, err
}

// rendered returns a change with the HTML of the description, if it has one. Texts are rendered before the
// transaction that stores them. Linkifiers that are added later apply when the description changes again.
func (s *Service) rendered(ctx context.Context, in id.Org, change org.Change) (org.Change, error) {
	if change.Description == nil || org.CheckTexts("any", *change.Description) != nil {
		return change, nil //nolint:nilerr // what is too long is refused later
	}
	place := markdown.Context{Org: in}
	err := s.DB.Read(ctx, in, func(tx *store.Tx) error {
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		place.OrgURL = o.URI
		place.Linkifiers, err = s.Linkifiers.In(ctx, tx, actor.New(in, actor.Actor{Sending: actor.Sending{Patterns: o.Patterns}}))
		return err
	})
	if err != nil {
		return change, err
	}
	if change.RenderedDescription, err = s.Render.RenderDescription(ctx, *change.Description, place); err != nil {
		return change, fmt.Errorf("render description of organization %d: %w", in, err)
	}
	return change, nil
}

// lockStreams locks the streams in settings, so that none of them is archived at the same time.
func lockStreams(ctx context.Context, tx *store.Tx, settings map[string]json.RawMessage) error {
	for _, number := range slices.Compact(slices.Sorted(maps.Values(streamsOf(settings)))) {
		if number > 0 {
			if err := tx.LockSubscriptions(ctx, id.Stream(number)); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckStreams checks that the streams in settings, by their JSON names, exist. It fails with [stream.ErrInvalidID].
func CheckStreams(ctx context.Context, tx *store.Tx, settings map[string]json.RawMessage) error {
	streams := streamsOf(settings)
	for _, name := range slices.Sorted(maps.Keys(streams)) { // so that the error is always the same
		number := streams[name]
		if number == org.NoStream {
			continue
		}
		if _, err := active(ctx, tx, 0, number); err != nil {
			if errors.Is(err, stream.ErrInvalidID) {
				err = stream.ErrInvalidID.With("setting", name)
			}
			return err
		}
	}
	return nil
}

// reachable checks that the caller has access to the streams in settings that weren't set before.
func reachable(ctx context.Context, tx *store.Tx, who actor.Actor, before org.Org, settings map[string]json.RawMessage) error {
	was := map[string]int64{
		org.AnnouncementsSetting: before.Settings.NotificationsStreamID, org.SignupsSetting: before.Settings.SignupNotificationsStreamID,
	}
	for name, number := range streamsOf(settings) {
		if number == org.NoStream || number == was[name] {
			continue
		}
		seen, err := active(ctx, tx, who.User, number)
		if err == nil && !permit.ReadStream(who.Role, seen.View()) {
			err = stream.ErrInvalidID
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// active returns an active stream as the account sees it.
func active(ctx context.Context, tx *store.Tx, by id.User, number int64) (stream.Visible, error) {
	row, err := tx.StreamByID(ctx, by, id.Stream(number))
	switch {
	case store.IsNotFound(err) || err == nil && row.Stream.Deactivated:
		return stream.Visible{}, stream.ErrInvalidID
	case err != nil:
		return stream.Visible{}, fmt.Errorf("read stream %d: %w", number, err)
	}
	return stream.Visible{Stream: row.Stream, Subscribed: row.Subscribed}, nil
}
