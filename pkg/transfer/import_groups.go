package transfer

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/spelling"
)

// groupColumns is a row of user_groups.
type groupColumns struct {
	GroupID     id.Group  `json:"group_id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Members     []id.User `json:"members"`
	ExternalID  *string   `json:"external_id"`
}

// userGroups imports groups. This server has no nested groups, so groups also get the members of the groups in them.
func (m *importing) userGroups(ctx context.Context) error {
	found := groupsFound{report: m.report, inside: map[int64][]int64{}, members: map[int64][]id.User{}}
	if err := m.findGroups(ctx, &found); err != nil {
		return err
	}
	if err := m.findMembers(ctx, &found); err != nil {
		return err
	}
	rows, err := newObjects[groupColumns](ctx, m, kind{"group", "user_groups", "user_group_ids"}, m.groups)
	if err != nil {
		return err
	}
	m.mentions.Groups = map[string]id.Group{}
	left := group.MaxMemberships
	for _, row := range found.groups {
		members := found.all(row, min(group.MaxMembers, left))
		left -= len(members)
		if err := m.userGroup(ctx, rows, row, members); err != nil {
			return err
		}
	}
	return rows.flush(ctx)
}

// groupsFound is the groups of an archive.
type groupsFound struct {
	report  *Report
	groups  []archive.Group
	inside  map[int64][]int64 // groups in groups
	edges   int               // size of inside
	members map[int64][]id.User
	known   int // size of members
}

// add adds a group, unless it is one of the groups for roles that the reference creates.
func (g *groupsFound) add(row archive.Group) {
	switch {
	case row.System:
	case len(g.groups) == group.MaxGroups:
		g.report.leave("user groups beyond 500", row.Name)
	default:
		g.groups = append(g.groups, row)
	}
}

// reach returns a group and all groups in it, directly or indirectly, each once.
func (g *groupsFound) reach(from int64) []int64 {
	reached, seen := []int64{from}, map[int64]bool{from: true}
	for i := 0; i < len(reached); i++ {
		for _, inner := range g.inside[reached[i]] {
			if !seen[inner] {
				reached, seen[inner] = append(reached, inner), true
			}
		}
	}
	return reached
}

// all returns up to limit members of a group and of the groups in it.
func (g *groupsFound) all(row archive.Group, limit int) []id.User {
	reached := g.reach(row.ID)
	if len(reached) > 1 {
		g.report.leave("user groups that contain groups get their members", row.Name)
	}
	all := []id.User{}
	for _, one := range reached {
		all = append(all, g.members[one]...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) > limit {
		g.report.leave("user groups with more members than groups may have", row.Name)
		all = all[:limit]
	}
	return all
}

// findGroups reads the groups, and which groups are in which.
func (m *importing) findGroups(ctx context.Context, found *groupsFound) error {
	tables := map[string]archive.Row{
		archive.Groups: archive.Rows(func(row archive.Group) error {
			found.add(row)
			return nil
		}),
		archive.GroupGroups: archive.Rows(func(row archive.GroupGroup) error {
			if found.edges == group.MaxMemberships {
				m.report.leave("members of nested groups beyond the limit of a group", strconv.FormatInt(row.Inner, 10))
				return nil
			}
			found.inside[row.Outer] = append(found.inside[row.Outer], row.Inner)
			found.edges++
			return nil
		}),
	}
	if m.further.named { // then the other table also has groups that settings refer to
		delete(tables, archive.Groups)
		tables[archive.NamedGroups] = archive.Rows(func(row archive.NamedGroup) error {
			if row.Deactivated {
				m.report.leave("deactivated user groups", row.Name)
				return nil
			}
			found.add(archive.Group{ID: row.ID, Name: row.Name, Description: row.Description, System: row.System})
			return nil
		})
	}
	return m.tables(ctx, tables)
}

// findMembers reads the members of the groups found, and of the groups in them.
func (m *importing) findMembers(ctx context.Context, found *groupsFound) error {
	wanted := map[int64]bool{}
	for _, row := range found.groups {
		for _, one := range found.reach(row.ID) {
			wanted[one] = true
		}
	}
	return m.tables(ctx, map[string]archive.Row{archive.GroupMembers: archive.Rows(func(row archive.GroupMember) error {
		who, ok := m.users[row.User]
		switch {
		case !wanted[row.Group] || slices.Contains(found.members[row.Group], who):
		case !ok:
			m.report.leave("unknown members of groups", strconv.FormatInt(row.User, 10))
		case len(found.members[row.Group]) == group.MaxMembers || found.known == group.MaxMemberships:
			m.report.leave("members of groups beyond the limit of a group", strconv.FormatInt(row.User, 10))
		default:
			found.members[row.Group] = append(found.members[row.Group], who)
			found.known++
		}
		return nil
	})})
}

// userGroup imports a group, unless an interrupted import has.
func (m *importing) userGroup(ctx context.Context, rows *objects[id.Group, groupColumns], row archive.Group, members []id.User) error {
	made, done, err := rows.id(ctx, row.ID)
	if err != nil {
		return err
	}
	g := groupColumns{GroupID: made, Name: cut(spelling.Name(row.Name), 100), Description: cut(row.Description, 1000), Members: members}
	if _, taken := m.mentions.Groups[g.Name]; !group.ValidName(g.Name) || taken {
		m.report.leave("user groups with an invalid name, or with one that another group has, get a new name", row.Name)
		g.Name = fmt.Sprintf("group %d", made)
	}
	if provided(row.ExternalID) {
		g.ExternalID = &row.ExternalID
	}
	m.mentions.Groups[g.Name] = made
	m.report.count("user groups", 1)
	if done {
		return nil
	}
	return rows.add(ctx, row.ID, g)
}
