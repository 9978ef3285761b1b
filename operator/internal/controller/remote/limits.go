package remote

import (
	"encoding/json"
	"fmt"

	"chatserver.dev/operator/api/v1alpha1"
)

// limit is a limit that a ChatServer sets for each organization.
type limit struct {
	setting  string // the organization's own, by its name in the server
	field    string // of the ChatServer
	value    int64
	zeroMore bool // 0 means no limit
}

// limitsOf returns the limits in a ChatServer's spec.
func limitsOf(server *v1alpha1.ChatServer) (all []limit) {
	if files := server.Spec.Files; files != nil && files.OrganizationQuota != nil {
		all = append(all, limit{"upload_quota", "files.organizationQuota", files.OrganizationQuota.Value(), true})
	}
	if most := server.Spec.Settings.MaxStreams; most != nil {
		all = append(all, limit{"max_streams", "settings.maxStreams", int64(*most), false})
	}
	if most := server.Spec.Settings.MaxStreamsPerDay; most != nil {
		all = append(all, limit{"max_streams_per_day", "settings.maxStreamsPerDay", int64(*most), false})
	}
	return all
}

// beyond returns a [*blocked] if the spec of an Organization in another namespace than its ChatServer exceeds a limit of
// that: the team that runs the server decides how much of it others use.
func beyond(server *v1alpha1.ChatServer, o *v1alpha1.Organization, settings map[string]any) error {
	if o.Namespace == server.Namespace {
		return nil
	}
	for _, l := range limitsOf(server) {
		wanted := int64(0)
		encoded, err := json.Marshal(settings[l.setting])
		if settings[l.setting] == nil || err != nil || json.Unmarshal(encoded, &wanted) != nil {
			continue // not set, or refused by the server
		}
		if wanted > l.value || wanted == 0 && l.zeroMore {
			return &blocked{
				mode: stalled, watched: true, condition: v1alpha1.ConditionSynced, reason: v1alpha1.ReasonRefused,
				message: fmt.Sprintf("the setting %s exceeds spec.%s of ChatServer %s/%s, %d: lower it, or leave it out. "+
					"Only Organizations in the namespace of the ChatServer may have more", l.setting, l.field, server.Namespace, server.Name, l.value),
			}
		}
	}
	return nil
}
