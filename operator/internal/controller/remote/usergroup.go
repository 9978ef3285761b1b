package remote

import (
	"slices"
	"strconv"
	"strings"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
)

// mostAbsent is the maximum number of members without an account that the status names.
const mostAbsent = 20

// groupsOf returns the user groups in the spec; nil: none are managed.
func groupsOf(o *v1alpha1.Organization) (all []adminapi.UserGroupSpec) {
	if o.Spec.UserGroups != nil {
		all = []adminapi.UserGroupSpec{}
	}
	for _, g := range o.Spec.UserGroups {
		all = append(all, adminapi.UserGroupSpec{Name: g.Name, Description: g.Description, Members: g.Members, Adopt: g.Adopt})
	}
	return all
}

// groupStatus returns the status of the user groups in the spec; current is their state in the server.
func groupStatus(o *v1alpha1.Organization, current []adminapi.UserGroup) (all []v1alpha1.OrganizationUserGroupStatus) {
	for _, wanted := range o.Spec.UserGroups {
		at := slices.IndexFunc(current, func(g adminapi.UserGroup) bool { return g.Name == wanted.Name })
		if at < 0 {
			continue // it has just been renamed
		}
		members := map[string]bool{}
		for _, email := range current[at].Members {
			members[strings.ToLower(email)] = true
		}
		absent := slices.DeleteFunc(slices.Clone(wanted.Members), func(email string) bool { return members[strings.ToLower(email)] })
		all = append(all, v1alpha1.OrganizationUserGroupStatus{
			Name: wanted.Name, ID: strconv.FormatInt(current[at].ID, 10), Members: int32(len(current[at].Members)),
			Absent: absent[:min(len(absent), mostAbsent)],
		})
	}
	return all
}
