package remote

import (
	"encoding/json"
	"slices"

	"k8s.io/utils/ptr"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
)

// settingsOf returns the settings in the spec, by their names in the server. Fields that aren't set aren't managed:
// administrators may change them in the server. New settings are added here.
func settingsOf(o *v1alpha1.Organization) map[string]any {
	s := settings{}
	for name, value := range o.Spec.Settings {
		s[name] = json.RawMessage(value.Raw)
	}
	join := ptr.Deref(o.Spec.Join, v1alpha1.OrganizationJoin{})
	s.flag("invite_required", join.InviteRequired)
	set(s, "invite_by_admins_only", join.InvitedBy, func(by v1alpha1.MembersOrAdministrators) any { return by == v1alpha1.OnlyAdministrators })
	s.flag("emails_restricted_to_domains", join.RestrictedToDomains)
	s.not("disallow_disposable_email_addresses", join.DisposableAddresses)
	s.number("waiting_period_threshold", join.WaitingPeriodDays)
	s.flag("send_welcome_emails", join.WelcomeMail)

	limits := ptr.Deref(o.Spec.Limits, v1alpha1.OrganizationLimits{})
	s.number("message_retention_days", limits.MessageRetentionDays)
	s.number("max_streams", limits.MaxStreams)
	s.number("max_streams_per_day", limits.MaxStreamsPerDay)
	if quota := limits.UploadQuota; quota != nil {
		s["upload_quota"] = quota.Value()
	}

	may := ptr.Deref(o.Spec.Permissions, v1alpha1.OrganizationPermissions{})
	set(s, "create_stream_policy", may.CreateStreams, streamPolicy)
	set(s, "invite_to_stream_policy", may.InviteToStreams, streamPolicy)
	set(s, "bot_creation_policy", may.CreateBots, func(by v1alpha1.BotMakers) any {
		return place(by, v1alpha1.BotsByMembers, v1alpha1.BotsWebhooksOnly, v1alpha1.BotsByAdministrators)
	})
	set(s, "user_group_edit_policy", may.EditUserGroups, func(by v1alpha1.MembersOrAdministrators) any {
		return place(by, v1alpha1.OnlyMembers, v1alpha1.OnlyAdministrators)
	})
	set(s, "add_emoji_by_admins_only", may.AddEmoji, func(by v1alpha1.MembersOrAdministrators) any { return by == v1alpha1.OnlyAdministrators })
	set(s, "email_address_visibility", may.SeeAddresses, func(by v1alpha1.AddressReaders) any {
		return place(by, v1alpha1.AddressesForEverybody, "", v1alpha1.AddressesForAdministrators, v1alpha1.AddressesForNobody)
	})
	set(s, "private_message_policy", may.PrivateMessages, func(on bool) any { return place(on, true, false) })
	s.not("name_changes_disabled", may.ChangeNames)
	s.not("email_changes_disabled", may.ChangeAddresses)
	s.not("avatar_changes_disabled", may.ChangeAvatars)

	messages := ptr.Deref(o.Spec.Messages, v1alpha1.OrganizationMessages{})
	s.flag("allow_message_editing", messages.Editing)
	s.number("message_content_edit_limit_seconds", messages.EditLimitSeconds)
	s.flag("allow_message_deleting", messages.Deleting)
	s.number("message_content_delete_limit_seconds", messages.DeleteLimitSeconds)
	s.flag("allow_community_topic_editing", messages.EditingTopicsOfOthers)
	s.flag("allow_edit_history", messages.EditHistory)
	s.flag("mandatory_topics", messages.TopicsRequired)
	s.flag("inline_image_preview", messages.ImagePreviews)

	defaults := ptr.Deref(o.Spec.Defaults, v1alpha1.OrganizationDefaults{})
	set(s, "default_language", defaults.Language, func(language string) any { return language })
	s.flag("default_twenty_four_hour_time", defaults.TwentyFourHourTime)

	mail := ptr.Deref(o.Spec.Mail, v1alpha1.OrganizationMail{})
	s.flag("message_content_allowed_in_email_notifications", mail.MessageContent)
	s.flag("digest_emails_enabled", mail.Digests)
	set(s, "digest_weekday", mail.DigestDay, func(day v1alpha1.Weekday) any {
		return place(day, "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday") - 1
	})
	return s
}

// settings are an organization's settings, by name.
type settings map[string]any

func (s settings) flag(name string, value *bool) {
	set(s, name, value, func(on bool) any { return on })
}

// not sets the opposite of a field: some of the server's settings disable a feature.
func (s settings) not(name string, value *bool) {
	set(s, name, value, func(on bool) any { return !on })
}

func (s settings) number(name string, value *int32) {
	set(s, name, value, func(n int32) any { return n })
}

// set sets a setting to a field's value as converted by means, unless the field isn't set.
func set[T any](s settings, name string, value *T, means func(T) any) {
	if value != nil {
		s[name] = means(*value)
	}
}

// place returns the position of a value in a list, counted from 1.
func place[T comparable](value T, list ...T) int { return slices.Index(list, value) + 1 }

func streamPolicy(by v1alpha1.StreamPeople) any {
	return place(by, v1alpha1.StreamMembers, v1alpha1.StreamAdministrators, v1alpha1.StreamFullMembers)
}

// domainsOf returns the domains in the spec; nil: they aren't managed.
func domainsOf(o *v1alpha1.Organization) (all []adminapi.Domain) {
	if o.Spec.Domains != nil {
		all = []adminapi.Domain{}
	}
	for _, d := range o.Spec.Domains {
		all = append(all, adminapi.Domain{Domain: d.Domain, AllowSubdomains: d.AllowSubdomains})
	}
	return all
}

// linkifiersOf returns the linkifiers in the spec; nil: they aren't managed.
func linkifiersOf(o *v1alpha1.Organization) (all []adminapi.Linkifier) {
	if o.Spec.Linkifiers != nil {
		all = []adminapi.Linkifier{}
	}
	for _, l := range o.Spec.Linkifiers {
		all = append(all, adminapi.Linkifier{Pattern: l.Pattern, URLFormat: l.URLFormat})
	}
	return all
}
