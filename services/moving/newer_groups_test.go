package moving_test

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// groups are the groups that each organization of newer archives has, and a custom one.
func groups() rows {
	named := rows{}
	for i, name := range []string{"everyone", "members", "fullmembers", "moderators", "administrators", "owners", "nobody"} {
		named = append(named, map[string]any{"usergroup_ptr": i + 1, "realm": 1, "name": "role:" + name, "is_system_group": true})
	}
	return append(named, map[string]any{"usergroup_ptr": 8, "realm": 1, "name": "role:everyone", "is_system_group": false})
}

// Newer archives have a separate table for the names of groups, groups in groups, and groups for roles and for single
// settings.
func TestNewerGroups(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	db := storetest.Connect(t, w.DatabaseURL)
	people, ids, members := rows{}, rows{}, rows{}
	for i := range 6 {
		people = append(people, person(i+1, fmt.Sprintf("%c@x.example", 'a'+i), fmt.Sprintf("%c.", 'A'+i)))
	}
	for i := range 30 { // also groups that are used only in settings
		ids = append(ids, map[string]any{"id": i + 1})
	}
	for group, users := range map[int][]int{2: {1, 2, 3, 4, 5, 6}, 4: {6}, 20: {1, 404}, 21: {2, 1}, 22: {3}, 23: {4}, 25: {5}, 29: {404}} {
		for _, user := range users {
			members = append(members, map[string]any{"user_group": group, "user_profile": user})
		}
	}
	named := append(groups()[:7], []map[string]any{
		{"usergroup_ptr": 20, "realm": 1, "name": "crew", "description": "All of us", "is_system_group": false},
		{"usergroup_ptr": 21, "realm": 1, "name": "deck", "is_system_group": false},
		{"usergroup_ptr": 22, "realm": 1, "name": "sails", "is_system_group": false},
		{"usergroup_ptr": 23, "realm": 1, "name": "sleepers", "is_system_group": false, "deactivated": true},
		{"usergroup_ptr": 24, "realm": 1, "name": "helm", "is_system_group": false},
		{"usergroup_ptr": 25, "realm": 1, "name": "deck", "is_system_group": false},
	}...)
	inner := rows{
		{"supergroup": 20, "subgroup": 21}, {"supergroup": 21, "subgroup": 22}, {"supergroup": 22, "subgroup": 20}, // a cycle
		{"supergroup": 24, "subgroup": 4}, {"supergroup": 24, "subgroup": 24}, {"supergroup": 24, "subgroup": 404},
	}
	made, left := newer(t, w, "groups", map[string]rows{
		"zerver_userprofile": people, "zerver_usergroup": ids, "zerver_namedusergroup": named, "zerver_groupgroupmembership": inner, "zerver_usergroupmembership": members,
	})
	const shown = `select regexp_replace(name, '[0-9]+', '') || ' (' || description || '): ' || cardinality(members) || ' ' || coalesce((select string_agg(full_name, '' order by full_name)
		from users where users.org_id = user_groups.org_id and user_id = any (members)), '') from user_groups where org_id = $1 order by group_id`
	if diff := gocmp.Diff([]string{"crew (All of us): 3 A.B.C.", "deck (): 3 A.B.C.", "sails (): 3 A.B.C.", "helm (): 1 F.", "group  (): 1 E."}, storetest.Values[string](db, shown, made)); diff != "" {
		t.Error(diff)
	}
	if diff := gocmp.Diff(map[string]int{
		"user groups that contain groups get their members": 4, "deactivated user groups": 1, "unknown members of groups": 1,
		"user groups with an invalid name, or with one that another group has, get a new name": 1,
	}, left); diff != "" {
		t.Error(diff)
	}

	// Older archives have one table, which contains groups for roles.
	made, left = newer(t, w, "older", map[string]rows{
		"zerver_userprofile":         people,
		"zerver_usergroup":           {{"id": 2, "name": "@role:members", "is_system_group": true}, {"id": 20, "name": "crew", "description": "", "is_system_group": false}},
		"zerver_usergroupmembership": members,
	})
	if diff := gocmp.Diff([]string{"crew (): 1 A."}, storetest.Values[string](db, shown, made)); diff != "" || len(left) != 1 {
		t.Error(diff, left)
	}
}

// The limit on members of groups applies to all forms in archives.
func TestManyGroupMembers(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	people, members, named, inner := rows{}, rows{}, groups()[:7], rows{}
	for i := range group.MaxMembers + 100 {
		people = append(people, person(i+1, fmt.Sprintf("a%d@x.example", i), "Ann"))
		members = append(members, map[string]any{"user_group": 100 + i%2, "user_profile": i + 1}, map[string]any{"user_group": 2, "user_profile": i + 1})
	}
	for i := range group.MaxGroups + 1 {
		named = append(named, map[string]any{"usergroup_ptr": 100 + i, "realm": 1, "name": fmt.Sprintf("group of %d", i), "is_system_group": false})
	}
	for i := range group.MaxGroups { // each has all members of the first two, and those with a role
		inner = append(inner, map[string]any{"supergroup": 100 + i, "subgroup": 100}, map[string]any{"supergroup": 100 + i, "subgroup": 101}, map[string]any{"supergroup": 100 + i, "subgroup": 2})
	}
	for i := range group.MaxMemberships - 3*group.MaxGroups + 7 {
		inner = append(inner, map[string]any{"supergroup": 1 << 40, "subgroup": i})
	}
	for of := range group.MaxMemberships/group.MaxMembers - 2 { // together with the others, all that are allowed, plus 100
		for i := range group.MaxMembers {
			members = append(members, map[string]any{"user_group": 110 + of, "user_profile": i + 1})
		}
	}
	made, left := newer(t, w, "many", map[string]rows{
		"zerver_userprofile": people, "zerver_namedusergroup": named, "zerver_groupgroupmembership": inner, "zerver_usergroupmembership": members,
	})
	db := storetest.Connect(t, w.DatabaseURL)
	if got := storetest.Values[int64](db, "select unnest(array[count(*), max(cardinality(members)), sum(cardinality(members))]) from user_groups where org_id = $1", made); !slices.Equal(got, []int64{group.MaxGroups, group.MaxMembers, group.MaxMemberships}) {
		t.Errorf("groups, their most members, and all: %v", got)
	}
	if diff := gocmp.Diff(map[string]int{
		"user groups beyond 500": 1, "user groups that contain groups get their members": group.MaxGroups,
		"user groups with more members than groups may have": group.MaxGroups, "members of nested groups beyond the limit of a group": 7,
		"members of groups beyond the limit of a group": 100 + 100,
	}, left); diff != "" {
		t.Error(diff)
	}
}
