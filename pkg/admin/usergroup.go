package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// Reasons why a user group is refused, in addition to those for people's requests.
var (
	ErrGroupName  = fault.Bad("A user group's name must have 1 to 100 characters, without control characters.")
	ErrGroupTwice = fault.Bad("The user group '%s' is listed twice.")
	ErrGroupTaken = fault.Bad("The user group '%s' is managed by an identity provider: choose another name, or remove it there.")
)

// noun is the name of a user group in errors.
const noun Kind = "user group"

// groups are the user groups of an organization.
type groups struct {
	byKey, byName map[string]sqlc.UserGroup
	members       map[string]id.User // accounts of wanted members, by lower-case address
}

// ensureGroups creates and updates the user groups in a spec, and removes managed ones that aren't in it. It reports
// whether anything changed. Each group is a separate change, as in ensureLists.
func (s *Service) ensureGroups(ctx context.Context, found id.Org, wanted []adminapi.UserGroupSpec) (differed bool, err error) {
	keys := map[string]bool{}
	wanted = lists.Map(wanted, func(spec adminapi.UserGroupSpec) adminapi.UserGroupSpec {
		spec.Name = spelling.Compose(spec.Name)
		return spec
	})
	for _, spec := range wanted {
		if !group.ValidName(spec.Name) {
			return false, ErrGroupName
		}
		if keys[spec.Name] {
			return false, ErrGroupTwice.Format(spec.Name)
		}
		keys[spec.Name] = true
	}
	who, current := actor.Actor{}, groups{}
	err = s.DB.Read(ctx, found, func(tx *store.Tx) error {
		if _, who, err = s.system(ctx, tx); err != nil {
			return err
		}
		current, err = readGroups(ctx, tx, wanted)
		return err
	})
	if err != nil {
		return false, err
	}
	for _, key := range slices.Sorted(maps.Keys(current.byKey)) {
		if keys[key] {
			continue
		}
		if err := s.UserGroups.Remove(ctx, who, current.byKey[key].GroupID); err != nil {
			return differed, err
		}
		delete(current.byName, current.byKey[key].Name)
		differed = true
	}
	isNew := func(spec adminapi.UserGroupSpec) int {
		if _, kept := current.byKey[spec.Name]; kept {
			return 0
		}
		return 1
	}
	wanted = slices.Clone(wanted)
	// Known ones come first: people may have given one of them the name of another that is to be created.
	slices.SortStableFunc(wanted, func(a, b adminapi.UserGroupSpec) int { return isNew(a) - isNew(b) })
	for _, spec := range wanted {
		changed, err := s.ensureGroup(ctx, who, current, spec)
		if err != nil {
			return differed, err
		}
		differed = differed || changed
	}
	return differed, nil
}

func readGroups(ctx context.Context, tx *store.Tx, wanted []adminapi.UserGroupSpec) (current groups, err error) {
	rows, err := tx.UserGroups(ctx)
	if err != nil {
		return current, fmt.Errorf("read user groups: %w", err)
	}
	current = groups{map[string]sqlc.UserGroup{}, map[string]sqlc.UserGroup{}, map[string]id.User{}}
	for _, row := range rows {
		current.byName[row.Name] = row
		if row.ExternalKey != nil {
			current.byKey[*row.ExternalKey] = row
		}
	}
	addresses := []string(nil)
	for _, spec := range wanted {
		addresses = append(addresses, lists.Map(spec.Members, strings.ToLower)...)
	}
	people, err := tx.UsersByEmail(ctx, addresses)
	if err != nil {
		return current, fmt.Errorf("find members of user groups: %w", err)
	}
	for _, row := range people {
		if !row.System {
			current.members[strings.ToLower(row.Email)] = row.UserID
		}
	}
	return current, nil
}

// ensureGroup creates or updates a user group, and reports whether anything changed. Members without an account are left out.
func (s *Service) ensureGroup(ctx context.Context, who actor.Actor, current groups, spec adminapi.UserGroupSpec) (differed bool, err error) {
	members := []id.User{}
	for _, email := range spec.Members {
		if member, ok := current.members[strings.ToLower(email)]; ok {
			members = append(members, member)
		}
	}
	slices.Sort(members)
	members = slices.Compact(members)
	row, kept := current.byKey[spec.Name]
	if !kept {
		there, taken := current.byName[spec.Name]
		switch {
		case !taken:
			_, err := s.UserGroups.Create(ctx, who, group.Draft{Name: spec.Name, Description: deref(spec.Description), Members: members, Key: &spec.Name})
			return err == nil, err
		case there.ExternalID != nil:
			return false, ErrGroupTaken.Format(spec.Name)
		case !spec.Adopt:
			return false, ErrExists.Format(noun, spec.Name)
		}
		row = there
	}
	same := row.Name == spec.Name && or(spec.Description, row.Description) == row.Description &&
		(spec.Members == nil || slices.Equal(members, row.Members))
	if kept && same {
		return false, nil
	}
	err = s.UserGroups.Replace(ctx, who, row.GroupID, func(_ *store.Tx, now group.Draft) (group.Draft, error) {
		now.Name, now.Description, now.Key = spec.Name, or(spec.Description, now.Description), &spec.Name
		if spec.Members != nil {
			now.Members = members
		}
		return now, nil
	})
	if err == nil && row.Name != spec.Name {
		delete(current.byName, row.Name)
	}
	return err == nil, err
}

// readManagedGroups returns the managed user groups, by key.
func readManagedGroups(ctx context.Context, tx *store.Tx) ([]adminapi.UserGroup, error) {
	rows, err := tx.UserGroups(ctx)
	if err != nil {
		return nil, fmt.Errorf("read user groups: %w", err)
	}
	rows = slices.DeleteFunc(rows, func(row sqlc.UserGroup) bool { return row.ExternalKey == nil })
	slices.SortFunc(rows, func(a, b sqlc.UserGroup) int { return strings.Compare(*a.ExternalKey, *b.ExternalKey) })
	all := []id.User(nil)
	for _, row := range rows {
		all = append(all, row.Members...)
	}
	people, err := user.ByIDs(ctx, tx, slices.Compact(slices.Sorted(slices.Values(all))))
	if err != nil {
		return nil, err
	}
	addresses := map[id.User]string{}
	for _, u := range people {
		addresses[u.ID] = u.RealEmail
	}
	return append([]adminapi.UserGroup{}, lists.Map(rows, func(row sqlc.UserGroup) adminapi.UserGroup {
		members := lists.Map(row.Members, func(member id.User) string { return addresses[member] })
		slices.Sort(members)
		return adminapi.UserGroup{ID: int64(row.GroupID), Name: row.Name, Description: row.Description, Members: listed(members)}
	})...), nil
}
