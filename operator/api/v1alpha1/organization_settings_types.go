package v1alpha1

// MembersOrAdministrators are people in an organization.
// +kubebuilder:validation:Enum=Members;Administrators
type MembersOrAdministrators string

// People in an organization.
const (
	OnlyMembers        MembersOrAdministrators = "Members" // all except guests
	OnlyAdministrators MembersOrAdministrators = "Administrators"
)

// StreamPeople are people who may do something with streams.
// +kubebuilder:validation:Enum=Members;FullMembers;Administrators
type StreamPeople string

// People who may do something with streams.
const (
	StreamMembers        StreamPeople = "Members"     // all except guests
	StreamFullMembers    StreamPeople = "FullMembers" // members after join.waitingPeriodDays
	StreamAdministrators StreamPeople = "Administrators"
)

// BotMakers are people who may make bots.
// +kubebuilder:validation:Enum=Members;WebhooksOnly;Administrators
type BotMakers string

// People who may make bots.
const (
	BotsByMembers        BotMakers = "Members"
	BotsWebhooksOnly     BotMakers = "WebhooksOnly" // members, but no generic bots
	BotsByAdministrators BotMakers = "Administrators"
)

// AddressReaders are people who see the real addresses of others.
// +kubebuilder:validation:Enum=Everybody;Administrators;Nobody
type AddressReaders string

// People who see real addresses.
const (
	AddressesForEverybody      AddressReaders = "Everybody"
	AddressesForAdministrators AddressReaders = "Administrators"
	AddressesForNobody         AddressReaders = "Nobody"
)

// OrganizationPermissions determine who may do what. Fields that aren't set are not managed.
type OrganizationPermissions struct {
	// CreateStreams is who creates streams.
	// +optional
	CreateStreams *StreamPeople `json:"createStreams,omitempty"`
	// InviteToStreams is who subscribes others to streams.
	// +optional
	InviteToStreams *StreamPeople `json:"inviteToStreams,omitempty"`
	// CreateBots is who makes bots.
	// +optional
	CreateBots *BotMakers `json:"createBots,omitempty"`
	// EditUserGroups is who makes and changes user groups.
	// +optional
	EditUserGroups *MembersOrAdministrators `json:"editUserGroups,omitempty"`
	// AddEmoji is who adds custom emoji.
	// +optional
	AddEmoji *MembersOrAdministrators `json:"addEmoji,omitempty"`
	// SeeAddresses is who sees the real addresses of people.
	// +optional
	SeeAddresses *AddressReaders `json:"seeAddresses,omitempty"`
	// PrivateMessages lets people send private messages.
	// +optional
	PrivateMessages *bool `json:"privateMessages,omitempty"`
	// ChangeNames lets people change their own name.
	// +optional
	ChangeNames *bool `json:"changeNames,omitempty"`
	// ChangeAddresses lets people change their own address.
	// +optional
	ChangeAddresses *bool `json:"changeAddresses,omitempty"`
	// ChangeAvatars lets people change their own picture.
	// +optional
	ChangeAvatars *bool `json:"changeAvatars,omitempty"`
}

// OrganizationMessages configures messages and topics. Fields that aren't set are not managed.
type OrganizationMessages struct {
	// Editing lets people edit their own messages.
	// +optional
	Editing *bool `json:"editing,omitempty"`
	// EditLimitSeconds is how long after sending a message people may edit it; 0: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	EditLimitSeconds *int32 `json:"editLimitSeconds,omitempty"`
	// Deleting lets people delete their own messages.
	// +optional
	Deleting *bool `json:"deleting,omitempty"`
	// DeleteLimitSeconds is how long after sending a message people may delete it; 0: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	DeleteLimitSeconds *int32 `json:"deleteLimitSeconds,omitempty"`
	// EditingTopicsOfOthers lets people change the topic of others' messages for a day.
	// +optional
	EditingTopicsOfOthers *bool `json:"editingTopicsOfOthers,omitempty"`
	// EditHistory lets people see earlier versions of edited messages.
	// +optional
	EditHistory *bool `json:"editHistory,omitempty"`
	// TopicsRequired makes clients ask for a topic.
	// +optional
	TopicsRequired *bool `json:"topicsRequired,omitempty"`
	// ImagePreviews shows images below messages that have links to them.
	// +optional
	ImagePreviews *bool `json:"imagePreviews,omitempty"`
}

// OrganizationDefaults are the defaults of new accounts. Fields that aren't set are not managed.
type OrganizationDefaults struct {
	// Language of new accounts and of notices in streams: en, de.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=50
	Language *string `json:"language,omitempty"`
	// TwentyFourHourTime shows times as 13:00.
	// +optional
	TwentyFourHourTime *bool `json:"twentyFourHourTime,omitempty"`
}

// Weekday is a day of the week.
// +kubebuilder:validation:Enum=Monday;Tuesday;Wednesday;Thursday;Friday;Saturday;Sunday
type Weekday string

// OrganizationMail configures the organization's mail. Fields that aren't set are not managed.
type OrganizationMail struct {
	// MessageContent includes the text of messages in mail.
	// +optional
	MessageContent *bool `json:"messageContent,omitempty"`
	// Digests sends digests to people who have been away.
	// +optional
	Digests *bool `json:"digests,omitempty"`
	// DigestDay is the day on which digests are sent.
	// +optional
	DigestDay *Weekday `json:"digestDay,omitempty"`
}

// OrganizationDomain is a domain whose addresses may join.
type OrganizationDomain struct {
	// Domain is its name.
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$')`,message="domain is a name in lower case with at least one dot: corp.example"
	Domain string `json:"domain"`
	// AllowSubdomains lets addresses of domains below it join, too.
	// +optional
	AllowSubdomains bool `json:"allowSubdomains,omitempty"`
}

// OrganizationLinkifier makes links of texts that match a pattern.
type OrganizationLinkifier struct {
	// Pattern is a regular expression with named groups, such as #(?P<id>[0-9]+).
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=500
	Pattern string `json:"pattern"`
	// URLFormat is the address, with the groups, such as https://tracker.example/%(id)s.
	// +kubebuilder:validation:MaxLength=500
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^https?://.+$')`,message="urlFormat begins with http:// or https://: https://tracker.example/%(id)s"
	URLFormat string `json:"urlFormat"`
}
