package event

import "chatserver.dev/pkg/id"

// RealmUpdated is sent to everybody when a setting of the organization changed (events.md, section 3.14).
type RealmUpdated struct {
	everyone

	Property string `json:"property"` // as in the state of a registration, without "realm_"
	Value    any    `json:"value"`
	// ExtraData goes with the property plan_type.
	ExtraData *RealmPlan `json:"extra_data,omitempty"`
}

// RealmPlan is what an organization's plan allows.
type RealmPlan struct {
	UploadQuota *int64 `json:"upload_quota"` // bytes of all uploaded files; null: without limit
}

// Kind implements [Event].
func (RealmUpdated) Kind() Kind { return Kind{"realm", "update"} }

// RealmGroupUpdated is sent to everybody when one of a group of settings changed that are sent together (events.md,
// section 3.14).
type RealmGroupUpdated struct {
	everyone

	Property string `json:"property"` // of the group
	// Data has all settings of the group, also those that are as before.
	Data map[string]any `json:"data"`
}

// Kind implements [Event].
func (RealmGroupUpdated) Kind() Kind { return Kind{"realm", "update_dict"} }

// RealmDeactivated is sent to everybody when the organization was deactivated: clients log out (events.md, section
// 3.14).
type RealmDeactivated struct {
	everyone

	RealmID id.Org `json:"realm_id"`
}

// Kind implements [Event].
func (RealmDeactivated) Kind() Kind { return Kind{"realm", "deactivated"} }
