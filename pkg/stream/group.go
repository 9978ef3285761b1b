package stream

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
)

// Limits of groups of default streams. The response to every registration contains all of them.
const (
	MaxGroups       = 50
	MaxGroupStreams = 100
)

// Faults of groups of default streams (rest-api.md, section 3.10), besides [ErrInvalidName].
var (
	ErrIsDefault       = fault.Bad("'%s' is a default stream and cannot be added to '%s'")
	ErrGroupName       = fault.Bad("Invalid default stream group name '%s'")
	ErrLongGroupName   = fault.Bad("Default stream group name too long (limit: 60 characters)")
	ErrNullInGroupName = fault.Bad("Default stream group name '%s' contains NULL (0x00) characters.")
	ErrGroupExists     = fault.Bad("Default stream group '%s' already exists")
	ErrNoGroupChange   = fault.Plain(`You must pass "new_description" or "new_group_name".`)
	ErrNoGroup         = fault.Bad("Default stream group with id '%d' does not exist.")
	ErrGroupNamed      = fault.Bad("This default stream group is already named '%s'")
	ErrGroupOp         = fault.Plain(`Invalid value for "op". Specify one of "add" or "remove".`)
	ErrInGroup         = fault.Bad("Stream '%s' is already present in default stream group '%s'")
	ErrNotInGroup      = fault.Bad("Stream '%s' is not present in default stream group '%s'")
	ErrManyGroups      = fault.Bad("Too many default stream groups (limit: 50)")
	ErrManyInGroup     = fault.Bad("Too many streams in a default stream group (limit: 100)")
)

// Groups returns the groups of default streams of the transaction's organization, by name.
func Groups(ctx context.Context, tx *store.Tx) ([]event.DefaultStreamGroup, error) {
	rows, err := tx.DefaultStreamGroups(ctx)
	if err != nil {
		return nil, err
	}
	streams, err := tx.StreamsOfGroups(ctx)
	if err != nil {
		return nil, err
	}
	of := map[int64][]event.Stream{}
	for _, row := range streams {
		of[row.GroupID] = append(of[row.GroupID], Object(row.Stream))
	}
	groups := make([]event.DefaultStreamGroup, len(rows))
	for i, row := range rows {
		groups[i] = event.DefaultStreamGroup{ID: row.GroupID, Name: row.Name, Description: row.Description, Streams: append([]event.Stream{}, of[row.GroupID]...)}
	}
	return groups, nil
}

// CreateGroup creates a group of streams that who has access to and that aren't default streams. Its caller, like those
// of the methods below, has checked that who is an administrator.
func (s *Service) CreateGroup(ctx context.Context, who actor.Actor, name, description string, streams []string) error {
	return s.changeGroups(ctx, who, streams, func(tx *store.Tx, groups []event.DefaultStreamGroup, named []Visible) error {
		for _, stream := range named {
			if stream.IsDefault {
				return ErrIsDefault.Format(stream.Name, name)
			}
		}
		name, err := cleanGroupName(name)
		switch {
		case err != nil:
			return err
		case slices.ContainsFunc(groups, func(g event.DefaultStreamGroup) bool { return g.Name == name }):
			return ErrGroupExists.Format(name)
		case len(groups) >= MaxGroups:
			return ErrManyGroups
		}
		group, err := tx.CreateDefaultStreamGroup(ctx, name, description)
		if err != nil {
			return err
		}
		return tx.AddToDefaultStreamGroup(ctx, group, numbers(named))
	})
}

// EditGroup changes the name and the description of a group, unless they are nil.
func (s *Service) EditGroup(ctx context.Context, who actor.Actor, group int64, name, description *string) error {
	if (name == nil || *name == "") && description == nil {
		return ErrNoGroupChange
	}
	return s.changeGroups(ctx, who, nil, func(tx *store.Tx, groups []event.DefaultStreamGroup, _ []Visible) error {
		before, err := groupAmong(groups, group)
		if err != nil {
			return err
		}
		after := before
		if name != nil {
			after.Name, err = cleanGroupName(*name)
			switch {
			case err != nil:
				return err
			case after.Name == before.Name:
				return ErrGroupNamed.Format(after.Name)
			case slices.ContainsFunc(groups, func(g event.DefaultStreamGroup) bool { return g.Name == after.Name }):
				return ErrGroupExists.Format(after.Name)
			}
		}
		if description != nil {
			after.Description = *description
		}
		return tx.UpdateDefaultStreamGroup(ctx, after.Name, after.Description, group)
	})
}

// ChangeGroup adds streams to a group or removes them. op is "add" or "remove".
func (s *Service) ChangeGroup(ctx context.Context, who actor.Actor, group int64, op string, streams []string) error {
	return s.changeGroups(ctx, who, streams, func(tx *store.Tx, groups []event.DefaultStreamGroup, named []Visible) error {
		in, err := groupAmong(groups, group)
		if err != nil {
			return err
		}
		has := lists.Set(lists.Map(in.Streams, func(s event.Stream) id.Stream { return s.ID }))
		for _, stream := range named {
			switch {
			case op == "add" && stream.IsDefault:
				return ErrIsDefault.Format(stream.Name, in.Name)
			case op == "add" && has[stream.StreamID]:
				return ErrInGroup.Format(stream.Name, in.Name)
			case op == "remove" && !has[stream.StreamID]:
				return ErrNotInGroup.Format(stream.Name, in.Name)
			}
		}
		switch {
		case op == "remove":
			return tx.TakeFromDefaultStreamGroup(ctx, group, numbers(named))
		case op != "add":
			return ErrGroupOp
		case len(in.Streams)+len(named) > MaxGroupStreams:
			return ErrManyInGroup
		}
		return tx.AddToDefaultStreamGroup(ctx, group, numbers(named))
	})
}

// DeleteGroup deletes a group; its streams stay.
func (s *Service) DeleteGroup(ctx context.Context, who actor.Actor, group int64) error {
	return s.changeGroups(ctx, who, nil, func(tx *store.Tx, groups []event.DefaultStreamGroup, _ []Visible) error {
		if _, err := groupAmong(groups, group); err != nil {
			return err
		}
		return tx.DeleteDefaultStreamGroup(ctx, group)
	})
}

// changeGroups runs how and emits the event. how receives all groups, and the named streams, each once, which can't be
// deactivated meanwhile.
func (s *Service) changeGroups(
	ctx context.Context, who actor.Actor, names []string, how func(tx *store.Tx, groups []event.DefaultStreamGroup, named []Visible) error,
) error {
	if len(names) > MaxGroupStreams {
		return ErrManyInGroup
	}
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		named, err := allByName(ctx, tx, who, names)
		if err != nil {
			return err
		}
		for _, stream := range slices.Sorted(slices.Values(numbers(named))) {
			if err := tx.LockSubscriptions(ctx, id.Stream(stream)); err != nil {
				return err
			}
		}
		if err := tx.LockDefaultStreams(ctx); err != nil {
			return err
		}
		if named, err = allByName(ctx, tx, who, names); err != nil { // as they are now
			return err
		}
		groups, err := Groups(ctx, tx)
		if err != nil {
			return err
		}
		if err := how(tx, groups, named); err != nil {
			return err
		}
		return emitGroups(ctx, tx)
	})
}

// emitGroups emits the event with the complete list of groups.
func emitGroups(ctx context.Context, tx *store.Tx) error {
	groups, err := Groups(ctx, tx)
	if err != nil {
		return err
	}
	return tx.Emit(ctx, event.DefaultStreamGroups{Groups: groups})
}

// allByName returns the streams with these names, each once, or [ErrInvalidName] for the first that who may not access.
func allByName(ctx context.Context, tx *store.Tx, who actor.Actor, names []string) (all []Visible, err error) {
	for _, name := range names {
		seen, err := ByName(ctx, tx, who, name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(other Visible) bool { return other.StreamID == seen.StreamID }) {
			all = append(all, seen)
		}
	}
	return all, nil
}

func groupAmong(groups []event.DefaultStreamGroup, number int64) (event.DefaultStreamGroup, error) {
	i := slices.IndexFunc(groups, func(g event.DefaultStreamGroup) bool { return g.ID == number })
	if i < 0 {
		return event.DefaultStreamGroup{}, ErrNoGroup.Format(number)
	}
	return groups[i], nil
}

func cleanGroupName(name string) (string, error) {
	clean := spelling.Name(name)
	switch {
	case spelling.IsBlank(clean):
		return "", ErrGroupName.Format(name)
	case utf8.RuneCountInString(clean) > MaxName:
		return "", ErrLongGroupName
	case strings.ContainsRune(clean, 0):
		return "", ErrNullInGroupName.Format(name)
	}
	return clean, nil
}

func numbers(streams []Visible) []int64 {
	return lists.Map(streams, func(s Visible) int64 { return int64(s.StreamID) })
}
