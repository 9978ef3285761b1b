package event

import "chatserver.dev/pkg/id"

// RealmUpdated tells everybody of a setting of the organization that changed (events.md, section 3.14).
type RealmUpdated struct {
	Op       string `json:"op"`       // update
	Property string `json:"property"` // as in the state of a registration, without "realm_"
	Value    any    `json:"value"`
}

// NewRealmUpdated makes the event.
func NewRealmUpdated(property string, value any) RealmUpdated {
	return RealmUpdated{Op: "update", Property: property, Value: value}
}

// EventType is realm.
func (RealmUpdated) EventType() string { return "realm" }

// Audience is everyone.
func (RealmUpdated) Audience() Audience { return Audience{Everyone: true} }

// Change is nothing.
func (RealmUpdated) Change() *Change { return nil }

// RealmGroupUpdated tells everybody of settings of the organization that clients hear of together
// (events.md, section 3.14).
type RealmGroupUpdated struct {
	Op       string `json:"op"`       // update_dict
	Property string `json:"property"` // of the group
	// Data has all settings of the group, also those that are as before.
	Data map[string]any `json:"data"`
}

// NewRealmGroupUpdated makes the event for settings of the group "default".
func NewRealmGroupUpdated(data map[string]any) RealmGroupUpdated {
	return RealmGroupUpdated{Op: "update_dict", Property: "default", Data: data}
}

// EventType is realm.
func (RealmGroupUpdated) EventType() string { return "realm" }

// Audience is everyone.
func (RealmGroupUpdated) Audience() Audience { return Audience{Everyone: true} }

// Change is nothing.
func (RealmGroupUpdated) Change() *Change { return nil }

// RealmDeactivated tells everybody that the organization was deactivated: clients log out (events.md,
// section 3.14).
type RealmDeactivated struct {
	Op      string `json:"op"` // deactivated
	RealmID id.Org `json:"realm_id"`
}

// NewRealmDeactivated makes the event.
func NewRealmDeactivated(org id.Org) RealmDeactivated {
	return RealmDeactivated{Op: "deactivated", RealmID: org}
}

// EventType is realm.
func (RealmDeactivated) EventType() string { return "realm" }

// Audience is everyone.
func (RealmDeactivated) Audience() Audience { return Audience{Everyone: true} }

// Change is nothing.
func (RealmDeactivated) Change() *Change { return nil }
