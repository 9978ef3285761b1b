package org

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/jsonmembers"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// The errors of changing an organization (rest-api.md, section 8.1).
var (
	ErrName        = fault.Bad("An organization's name must have 1 to 40 characters.")
	ErrDescription = fault.Bad("An organization's description must have at most 1000 characters.")
	// ErrDeleting says that the organization is being deleted and can't be changed.
	ErrDeleting = fault.Bad("This organization is being deleted.")
	// ErrImporting says that the organization is being imported and can't be changed yet.
	ErrImporting = fault.New(fault.Conflict, "IMPORT_IN_PROGRESS", "This organization is being imported: try again when the import is complete, or delete the organization.")
)

// CheckImported fails with [ErrImporting] if the transaction's organization is being imported. It is deactivated then, and nobody
// may change that or anything else: the import would overwrite it, or couldn't continue.
func CheckImported(ctx context.Context, tx *store.Tx) error {
	importing, err := tx.Importing(ctx)
	if err == nil && importing {
		err = ErrImporting
	}
	return err
}

// Change says what to change of an organization. Members that are nil are not changed.
type Change struct {
	Name                *string
	Description         *string // Markdown
	RenderedDescription string  // HTML of Description
	// Settings are new values by JSON name, see [Settings].
	Settings    map[string]json.RawMessage
	Deactivated *bool
}

// Change changes the transaction's organization and emits events about actual changes. It returns the changed
// organization and the names of the changes: those of settings, and "name", "description" and "deactivated".
// It must come before the transaction's first write. It fails with [ErrName], [ErrDescription], [ErrDeleting],
// [ErrImporting], or the errors of [MergeSettings]. The caller checks that the streams in settings exist.
func (s *Service) Change(ctx context.Context, tx *store.Tx, change Change) (after Org, changed []string, err error) {
	row, err := tx.LockOrganization(ctx)
	before, err := s.read(row, err)
	if err != nil {
		return Org{}, nil, err
	}
	after, changed, err = withChange(before, change)
	if err != nil || len(changed) == 0 && maps.Equal(before.Methods, after.Methods) {
		return after, nil, err
	}
	if row.Deleting {
		return Org{}, nil, ErrDeleting
	}
	if err := CheckImported(ctx, tx); err != nil {
		return Org{}, nil, err
	}
	chosen := after.Settings
	chosen.AuthenticationMethods = after.Methods // as chosen, not as this server currently offers them
	settings, err := store.EncodeSettings(chosen, s.config.Defaults())
	if err != nil {
		return Org{}, nil, err
	}
	err = tx.UpdateOrganization(ctx, sqlc.UpdateOrganizationParams{
		Name: after.Name, Description: after.Description, RenderedDescription: after.RenderedDescription,
		Settings: settings, Deactivated: after.Deactivated,
	})
	if err != nil {
		return Org{}, nil, err
	}
	return after, changed, emitChanged(ctx, tx, after, changed)
}

func withChange(o Org, change Change) (after Org, changed []string, err error) {
	if change.Name != nil && *change.Name != o.Name {
		o.Name, changed = *change.Name, append(changed, "name")
	}
	if change.Description != nil && *change.Description != o.Description {
		o.Description, o.RenderedDescription, changed = *change.Description, change.RenderedDescription, append(changed, "description")
	}
	if err := CheckTexts(o.Name, o.Description); err != nil {
		return Org{}, nil, err
	}
	settings, names, err := MergeSettings(o.Settings, change.Settings)
	if err != nil {
		return Org{}, nil, err
	}
	o.Settings, changed = settings, append(changed, names...)
	if _, chosen := change.Settings["authentication_methods"]; chosen {
		o.Methods = settings.AuthenticationMethods
	}
	if change.Deactivated != nil && *change.Deactivated != o.Deactivated {
		o.Deactivated, changed = *change.Deactivated, append(changed, "deactivated")
	}
	return o, changed, nil
}

// CheckTexts checks a name and a description. It returns nil, [ErrName] or [ErrDescription].
func CheckTexts(name, description string) error {
	switch n := utf8.RuneCountInString(name); {
	case n < 1 || n > 40:
		return ErrName
	case utf8.RuneCountInString(description) > 1000:
		return ErrDescription
	default:
		return nil
	}
}

// emitChanged emits events about the named changes (events.md, section 3.14). Some share an event, and
// some have none.
func emitChanged(ctx context.Context, tx *store.Tx, o Org, changed []string) error {
	values, err := o.Settings.Values()
	if err != nil {
		return err
	}
	values["name"], values["description"] = o.Name, o.Description
	reported := map[string]bool{}
	for _, name := range changed {
		e := changeEvent(o, name, values)
		key, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("encode a change: %w", err)
		}
		if e == nil || reported[string(key)] {
			continue
		}
		reported[string(key)] = true
		if err := tx.Emit(ctx, e); err != nil {
			return err
		}
	}
	if slices.Contains(changed, "invite_by_admins_only") { // members' invitations become invalid, or valid again
		return tx.Emit(ctx, event.InvitesChanged{})
	}
	return nil
}

func changeEvent(o Org, name string, values map[string]any) event.Event {
	group := func(names ...string) event.Event {
		data := map[string]any{}
		for _, name := range names {
			data[name] = values[name]
		}
		return event.RealmGroupUpdated{Property: "default", Data: data}
	}
	switch name {
	case "authentication_methods":
		return group(name)
	case "allow_message_editing", "message_content_edit_limit_seconds", "allow_community_topic_editing":
		return group("allow_message_editing", "message_content_edit_limit_seconds", "allow_community_topic_editing")
	case "third_party_avatars", "max_streams", "max_streams_per_day": // clients don't have these
		return nil
	case "upload_quota":
		return event.RealmUpdated{Property: "plan_type", Value: PlanType, ExtraData: &event.RealmPlan{UploadQuota: o.Settings.Quota()}}
	case "deactivated":
		if !o.Deactivated {
			return nil // a deactivated organization has no clients
		}
		return event.RealmDeactivated{RealmID: o.ID}
	default:
		return event.RealmUpdated{Property: name, Value: values[name]}
	}
}

// Values returns the settings by JSON name.
func (s Settings) Values() (map[string]any, error) { return jsonmembers.Of(s) }
