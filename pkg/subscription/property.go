package subscription

import (
	"context"
	"regexp"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// The errors of changing properties of subscriptions (rest-api.md, section 3.7), besides [stream.ErrInvalidID].
var (
	// ErrUnknownProperty says that subscriptions have no such property.
	ErrUnknownProperty = fault.Plain("Unknown subscription property: %s")
	// ErrNotSubscribed says that the caller isn't subscribed to the stream.
	ErrNotSubscribed = fault.Plain("Not subscribed to stream id %d")
	// ErrNotBoolean says that the value must be a boolean.
	ErrNotBoolean = fault.Plain("%s is not a boolean")
	// ErrNotString says that the value must be a string.
	ErrNotString = fault.Plain("%s is not a string")
	// ErrNotColor says that the value must be a color.
	ErrNotColor = fault.Plain("%s is not a valid hex color code")
)

// Property is a new value for a property of one of the caller's subscriptions.
type Property struct {
	Stream id.Stream
	Name   string
	Value  any // a string for a color, a bool for all others
}

const (
	colorProperty      = "color"
	mutedProperty      = "is_muted"
	inHomeViewProperty = "in_home_view" // the older form of is_muted, its opposite
)

// IsColor reports whether a property is a color, a string. All others are booleans.
func IsColor(property string) bool { return property == colorProperty }

var hexColor = regexp.MustCompile(`^#[a-fA-F0-9]{3,6}$`)

// SetProperties changes properties of the caller's subscriptions, in order. If one can't be changed, none is.
func (s *Service) SetProperties(ctx context.Context, who actor.Actor, properties []Property) error {
	if len(properties) == 0 {
		return nil
	}
	if len(properties) > maxProperties {
		return ErrManyProperties.Format(len(properties), maxProperties)
	}
	write := s.writeInTurn
	if len(properties) <= portionKnown {
		write = s.write
	}
	return write(ctx, who, func(tx *store.Tx, _ actor.Actor) error {
		own, err := subscribedTo(ctx, tx, who, properties)
		if err != nil {
			return err
		}
		changes := newPropertyChanges()
		for _, p := range properties {
			if err := changes.add(who, own, p); err != nil {
				return err
			}
		}
		if err := changes.save(ctx, tx, who.User); err != nil {
			return err
		}
		return tx.Emit(ctx, changes.events...)
	})
}

// subscribedTo locks and reads the streams of the properties: an event about a subscription that ends meanwhile would come after
// the one about its end.
func subscribedTo(ctx context.Context, tx *store.Tx, who actor.Actor, properties []Property) (map[id.Stream]stream.Visible, error) {
	streams := lists.Map(properties, func(p Property) int64 { return int64(p.Stream) })
	slices.Sort(streams)
	streams = slices.Compact(streams)
	if err := tx.HoldPlaces(ctx, streams); err != nil {
		return nil, err
	}
	if err := tx.LockAccount(ctx, who.User); err != nil {
		return nil, err
	}
	rows, err := tx.OwnSubscriptions(ctx, who.User, streams)
	own := make(map[id.Stream]stream.Visible, len(rows))
	for _, row := range rows {
		own[row.Stream.StreamID] = stream.Visible{Stream: row.Stream, Subscribed: row.Subscribed}
	}
	return own, err
}

// propertyChanges are the changes of a request: the last value of each property of each stream, and an
// event for each value.
type propertyChanges struct {
	colors map[id.Stream]string
	flags  map[string]map[id.Stream]bool // by the name of the property
	events []event.Event
}

func newPropertyChanges() propertyChanges {
	return propertyChanges{map[id.Stream]string{}, map[string]map[id.Stream]bool{
		mutedProperty: {}, "pin_to_top": {}, "desktop_notifications": {}, "audible_notifications": {}, "push_notifications": {},
		"email_notifications": {}, "wildcard_mentions_notify": {},
	}, nil}
}

// add checks one value and adds it to the changes.
func (c *propertyChanges) add(who actor.Actor, own map[id.Stream]stream.Visible, p Property) error {
	name := p.Name
	if name == inHomeViewProperty {
		name = mutedProperty
	}
	if !IsColor(name) && c.flags[name] == nil {
		return ErrUnknownProperty.Format(p.Name)
	}
	seen, ok := own[p.Stream]
	switch {
	case !ok || !permit.ReadStream(who.Role, seen.View()):
		return stream.ErrInvalidID
	case !seen.Subscribed:
		return ErrNotSubscribed.Format(p.Stream)
	}
	changed := event.SubscriptionUpdated{
		User: who.User, Email: who.Email, Stream: p.Stream, StreamName: seen.Name, Property: name, Value: p.Value,
	}
	if IsColor(name) {
		color, ok := p.Value.(string)
		switch {
		case !ok:
			return ErrNotString.Format(p.Name)
		case !hexColor.MatchString(color):
			return ErrNotColor.Format(p.Name)
		}
		c.colors[p.Stream] = color
	} else {
		value, ok := p.Value.(bool)
		if !ok {
			return ErrNotBoolean.Format(p.Name)
		}
		if name == mutedProperty {
			muted := value == (p.Name == mutedProperty)
			changed.Property, changed.Value, value = inHomeViewProperty, !muted, muted
		}
		c.flags[name][p.Stream] = value
	}
	c.events = append(c.events, changed)
	return nil
}

// save stores the values, with one statement for each property.
func (c *propertyChanges) save(ctx context.Context, tx *store.Tx, user id.User) error {
	if streams, colors := columns(c.colors); len(streams) > 0 {
		if err := tx.SetSubscriptionColors(ctx, user, streams, colors); err != nil {
			return err
		}
	}
	for property, values := range c.flags {
		streams, flags := columns(values)
		if len(streams) == 0 {
			continue
		}
		err := tx.SetSubscriptionFlags(ctx, sqlc.SetSubscriptionFlagsParams{Property: property, UserID: user, StreamIds: streams, Values: flags})
		if err != nil {
			return err
		}
	}
	return nil
}

// columns returns streams and their values as parallel lists, as queries take them.
func columns[T any](of map[id.Stream]T) (streams []int64, values []T) {
	for s, value := range of {
		streams, values = append(streams, int64(s)), append(values, value)
	}
	return streams, values
}
