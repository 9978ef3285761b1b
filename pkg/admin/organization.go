package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/policy"
	"chatserver.dev/pkg/store"
)

// attempts is how often findOrMake searches for an organization that another call may be creating.
const attempts = 3

// EnsureOrganization creates or updates the organization with a key.
func (s *Service) EnsureOrganization(ctx context.Context, key string, spec adminapi.OrganizationSpec) (adminapi.Ensured[adminapi.Organization], error) {
	none := adminapi.Ensured[adminapi.Organization]{}
	if err := checkKey(key); err != nil {
		return none, err
	}
	for _, email := range spec.Owners {
		if err := checkEmail(email); err != nil {
			return none, err
		}
	}
	if err := checkLists(spec); err != nil {
		return none, err
	}
	found, from, err := s.findOrMake(ctx, key, spec)
	if err != nil {
		return none, err
	}
	lists, err := s.ensureLists(ctx, found, spec) // first, since emails_restricted_to_domains needs domains
	if err != nil {
		return none, err
	}
	changed, err := s.repair(ctx, found, spec)
	if err != nil {
		return none, err
	}
	changed = append(changed, lists...)
	if from == adopted {
		changed = append(changed, fieldKey)
	}
	owners := false
	for _, email := range spec.Owners {
		ensured, err := s.ensureOwner(ctx, found, email, adminapi.OwnerSpec{})
		if err != nil {
			return none, err
		}
		owners = owners || ensured.Created || len(ensured.Changed) > 0
	}
	if owners {
		changed = append(changed, "owners")
	}
	if spec.UserGroups != nil { // last, since owners may be members
		differed, err := s.ensureGroups(ctx, found, spec.UserGroups)
		if err != nil {
			return none, err
		}
		if differed {
			changed = append(changed, "user_groups")
		}
	}
	if from == created {
		changed = nil
	}
	state, err := s.Organization(ctx, key)
	return adminapi.Ensured[adminapi.Organization]{State: state, Created: from == created, Changed: listed(changed)}, err
}

// origin is where the organization with a key comes from.
type origin int

const (
	known   origin = iota // it had it before the call
	adopted               // it was there, but not managed
	created
)

// findOrMake returns the organization with a key; if there is none, it adopts or creates one. It finds one that another call
// creates or adopts at the same time.
func (s *Service) findOrMake(ctx context.Context, key string, spec adminapi.OrganizationSpec) (found id.Org, from origin, err error) {
	for attempt := 1; ; attempt++ {
		found, err = s.DB.OrganizationByKey(ctx, key)
		if !store.IsNotFound(err) {
			return found, known, err
		}
		if spec.AdoptFrom != "" {
			from = adopted
			if found, err = s.find(ctx, spec.AdoptFrom); err == nil {
				err = s.adopt(ctx, found, key, spec)
			}
		} else {
			found, from, err = s.make(ctx, key, spec)
		}
		meanwhile := store.IsDuplicate(err) || store.IsNotFound(err) || errors.Is(err, ErrExists) || errors.Is(err, errKept) || errors.Is(err, ErrNoObject)
		if !meanwhile || attempt == attempts {
			return found, from, err
		}
	}
}

// make adopts or creates the organization with a subdomain.
func (s *Service) make(ctx context.Context, key string, spec adminapi.OrganizationSpec) (made id.Org, from origin, err error) {
	if spec.Subdomain == nil {
		return 0, known, fault.Missing("subdomain")
	}
	switch found, err := s.DB.FindOrganization(ctx, *spec.Subdomain); {
	case err == nil:
		return found, adopted, s.adopt(ctx, found, key, spec)
	case !store.IsNotFound(err):
		return 0, known, err
	}
	if spec.Name == nil {
		return 0, known, fault.Missing("name")
	}
	draft := org.Draft{Subdomain: *spec.Subdomain, Name: *spec.Name, Description: deref(spec.Description)}
	if err := org.CheckTexts(draft.Name, draft.Description); err != nil {
		return 0, known, err
	}
	settings, err := encoded(spec.Settings)
	if err != nil {
		return 0, known, err
	}
	if draft.Settings, _, err = org.MergeSettings(s.Orgs.Config().DefaultsOf(draft.Subdomain), settings); err != nil {
		return 0, known, err
	}
	if _, chosen := settings["authentication_methods"]; !chosen {
		draft.Settings.AuthenticationMethods = nil
	}
	uri := s.Orgs.Config().URI(draft.Subdomain)
	if draft.RenderedDescription, err = s.Render.RenderDescription(ctx, draft.Description, markdown.Context{OrgURL: uri}); err != nil {
		return 0, known, fmt.Errorf("render description of a new organization: %w", err)
	}
	o, err := s.Orgs.Create(ctx, draft, func(tx *store.Tx, made org.Org) error {
		if err := policy.CheckStreams(ctx, tx, settings); err != nil {
			return err
		}
		if _, err := s.Streams.CreateGeneral(ctx, tx, made); err != nil {
			return err
		}
		return tx.SetOrganizationKey(ctx, key)
	})
	if errors.Is(err, org.ErrSubdomainTaken) {
		err = ErrExists.Format("organization", s.called(draft.Subdomain))
	}
	return o.ID, created, err
}

// called returns the name of the organization at a subdomain in errors: its URL if the subdomain is empty.
func (s *Service) called(subdomain string) string { return cmp.Or(subdomain, s.Orgs.Config().URI("")) }

// adopt sets the key of an organization that isn't managed, or has been managed under the key adopt_from until now.
func (s *Service) adopt(ctx context.Context, found id.Org, key string, spec adminapi.OrganizationSpec) error {
	return s.DB.Write(ctx, found, func(tx *store.Tx) error {
		row, err := tx.LockOrganization(ctx)
		was := deref(row.ExternalKey)
		switch {
		case err != nil:
			return fmt.Errorf("lock organization %d: %w", found, err)
		case spec.AdoptFrom != "" && was != spec.AdoptFrom: // it has just been adopted
			return ErrNoObject.Format("organization", spec.AdoptFrom)
		case spec.AdoptFrom == "" && was != "":
			return kept("organization", s.called(row.Subdomain), was)
		case was == "" && !spec.Adopt:
			return ErrExists.Format("organization", s.called(row.Subdomain))
		case row.Deleting:
			return org.ErrDeleting
		case spec.Subdomain != nil && *spec.Subdomain != row.Subdomain:
			return ErrFixed.Format("subdomain")
		}
		return tx.SetOrganizationKey(ctx, key)
	})
}

// repair changes the fields that differ, and returns their names.
func (s *Service) repair(ctx context.Context, found id.Org, spec adminapi.OrganizationSpec) (changed []string, err error) {
	settings, err := encoded(spec.Settings)
	if err != nil {
		return nil, err
	}
	change := org.Change{Name: spec.Name, Description: spec.Description, Settings: settings, Deactivated: spec.Suspended}
	err = s.DB.Read(ctx, found, func(tx *store.Tx) error {
		o, err := s.Orgs.Load(ctx, tx)
		if err == nil && spec.Subdomain != nil && *spec.Subdomain != o.Subdomain {
			err = ErrFixed.Format("subdomain")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	_, changed, err = s.Policy.Change(ctx, found, change)
	if i := slices.Index(changed, "deactivated"); i >= 0 {
		changed[i] = "suspended"
	}
	return changed, err
}

// Organization returns the current state of the organization with a key.
func (s *Service) Organization(ctx context.Context, key string) (state adminapi.Organization, err error) {
	err = s.read(ctx, key, func(tx *store.Tx) error {
		row, err := tx.OwnOrganization(ctx)
		if err != nil {
			return fmt.Errorf("read organization %d: %w", tx.Org(), err)
		}
		o, err := s.Orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		state = adminapi.Organization{
			ID: int64(o.ID), Key: deref(row.ExternalKey), Subdomain: o.Subdomain, URL: o.URI, Name: o.Name, Description: o.Description,
			Suspended: o.Deactivated, Deleting: row.Deleting, Owners: []string{}, CreatedAt: o.Created.UTC(),
		}
		if state.Settings, err = o.Settings.Values(); err != nil {
			return err
		}
		if err := readLists(ctx, tx, &state); err != nil {
			return err
		}
		state.Owners, err = tx.ActiveOwners(ctx, int16(actor.Owner))
		if err != nil {
			return fmt.Errorf("read owners of organization %d: %w", o.ID, err)
		}
		return nil
	})
	return state, err
}

// encoded returns each setting as JSON.
func encoded(settings map[string]any) (map[string]json.RawMessage, error) {
	each := make(map[string]json.RawMessage, len(settings))
	for name, value := range settings {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("encode setting %q: %w", name, err)
		}
		each[name] = text
	}
	return each, nil
}

// listed returns the list, or an empty one for nil, so that JSON has no null.
func listed(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}
