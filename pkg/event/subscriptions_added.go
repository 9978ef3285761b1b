package event

import (
	"encoding/json"
	"fmt"
	"reflect"

	"chatserver.dev/pkg/id"
)

// SubscriptionsAdded is [SubscriptionAdded] for several people. The recorded event has each stream once, with its
// subscribers, and the personal part for each person. A receiver gets only their own part, in the form of a
// [SubscriptionAdded].
type SubscriptionsAdded []SubscriptionAdded

// Kind implements [Event].
func (SubscriptionsAdded) Kind() Kind { return Kind{"subscription", "add"} }

// Audience is the new subscribers.
func (e SubscriptionsAdded) Audience() Audience {
	to := Audience{}
	for _, added := range e {
		to.Users = append(to.Users, added.User)
	}
	return to
}

// Change returns the new memberships.
func (e SubscriptionsAdded) Change() *Change {
	change := Change{}
	for _, added := range e {
		change.Subscribed = append(change.Subscribed, added.Change().Subscribed...)
	}
	return &change
}

// personalOpening is the beginning of these events' JSON.
const personalOpening = `{"type":"subscription","op":"add","personal":{`

// own is the personal part of a subscription.
type own struct {
	Stream id.Stream `json:"stream_id"`
	Personal
}

// MarshalJSON returns the event as recorded. Its member subscriptions is complete, with the personal part of the first
// person: releases that don't support the member personal deliver it to all.
func (e SubscriptionsAdded) MarshalJSON() ([]byte, error) {
	recorded := struct {
		Personal      map[id.User][]own `json:"personal"`
		Subscriptions []Subscription    `json:"subscriptions"`
	}{make(map[id.User][]own, len(e)), nil}
	known := map[id.Stream]bool{}
	for _, added := range e {
		for _, s := range added.Subscriptions {
			recorded.Personal[added.User] = append(recorded.Personal[added.User], own{s.ID, s.Personal})
			if !known[s.ID] {
				known[s.ID] = true
				recorded.Subscriptions = append(recorded.Subscriptions, s)
			}
		}
	}
	return marshal(recorded)
}

// personalParts is a decoded event, from which each receiver's event is assembled.
type personalParts struct {
	own    map[id.User][]json.RawMessage
	shared map[id.Stream][]byte // members of the stream that aren't in own, from their comma on
}

func readPersonal(payload []byte) (*personalParts, error) {
	recorded := struct {
		Personal      map[id.User][]json.RawMessage `json:"personal"`
		Subscriptions []json.RawMessage             `json:"subscriptions"`
	}{}
	if err := json.Unmarshal(payload, &recorded); err != nil {
		return nil, fmt.Errorf("decode subscriptions of several people: %w", err)
	}
	parts := &personalParts{own: recorded.Personal, shared: make(map[id.Stream][]byte, len(recorded.Subscriptions))}
	for _, encoded := range recorded.Subscriptions {
		named := own{}
		if err := json.Unmarshal(encoded, &named); err != nil {
			return nil, fmt.Errorf("decode subscription: %w", err)
		}
		rest, err := edit(encoded, func(members map[string]json.RawMessage) {
			for _, field := range reflect.VisibleFields(reflect.TypeFor[own]()) {
				delete(members, field.Tag.Get("json"))
			}
		})
		if err != nil {
			return nil, err
		}
		parts.shared[named.Stream] = append([]byte(","), rest[1:]...)
	}
	return parts, nil
}

// of returns one receiver's event.
func (p *personalParts) of(user id.User) ([]byte, error) {
	body := []byte(`{"type":"subscription","op":"add","subscriptions":[`)
	for i, mine := range p.own[user] {
		named := own{}
		if err := json.Unmarshal(mine, &named); err != nil {
			return nil, fmt.Errorf("decode subscription of user %d: %w", user, err)
		}
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, mine[:len(mine)-1]...)
		body = append(body, p.shared[named.Stream]...)
	}
	return append(body, "]}"...), nil
}
