package archive

// Tables of realm.json.
const (
	Realms          = "zerver_realm"
	Users           = "zerver_userprofile"
	DummyUsers      = "zerver_userprofile_mirrordummy"   // who took part in the past, and never had an account
	SystemUsers     = "zerver_userprofile_crossrealm"    // bots of the server itself
	UserDefaults    = "zerver_realmuserdefault"          // settings of new accounts
	Methods         = "zerver_realmauthenticationmethod" // of newer archives: in place of [Realm.Methods]
	Domains         = "zerver_realmdomain"
	Emoji           = "zerver_realmemoji"
	Linkifiers      = "zerver_realmfilter"
	ProfileFields   = "zerver_customprofilefield"
	ProfileValues   = "zerver_customprofilefieldvalue"
	Streams         = "zerver_stream"
	DefaultStreams  = "zerver_defaultstream"
	StreamGroups    = "zerver_defaultstreamgroup" // which the reference leaves out of its archives
	Huddles         = "zerver_huddle"
	Recipients      = "zerver_recipient"
	Subscriptions   = "zerver_subscription"
	Groups          = "zerver_usergroup"
	NamedGroups     = "zerver_namedusergroup" // of newer archives: what Groups had in older ones, except for who is in them
	GroupMembers    = "zerver_usergroupmembership"
	GroupGroups     = "zerver_groupgroupmembership"
	Clients         = "zerver_client"
	MutedTopics     = "zerver_mutedtopic"
	UserTopics      = "zerver_usertopic"
	AlertWords      = "zerver_alertword"
	Statuses        = "zerver_userstatus"
	Services        = "zerver_service"
	BotConfigs      = "zerver_botconfigdata"
	BotStorage      = "zerver_botstoragedata"
	Reactions       = "zerver_reaction"
	Scheduled       = "zerver_scheduledmessage"
	Submessages     = "zerver_submessage"
	AuditLog        = "zerver_realmauditlog"
	Messages        = "zerver_message"     // of the files with messages
	UserMessages    = "zerver_usermessage" // of the files with messages: what each reader did with them
	Attachments     = "zerver_attachment"  // of attachment.json
	AttachmentFile  = "attachment.json"
	RealmFile       = "realm.json"
	RecordsFile     = "records.json" // of each folder with files
	UploadFolder    = "uploads"
	AvatarFolder    = "avatars"
	EmojiFolder     = "emoji"
	IconFolder      = "realm_icons"
	NotificationBot = "notification-bot@zulip.com" // what the format calls the bot that the server's notices come from
	GatewayBot      = "emailgateway@zulip.com"     // and that which strangers' mail comes from
)
