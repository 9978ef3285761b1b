package state

import (
	"context"
	"slices"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/status"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

// Request is what of the state a client wants, and in which form.
type Request struct {
	// Selectors choose the parts, by the names of event types; nil: all.
	Selectors          []string
	ClientHostedAvatar bool
	SlimPresence       bool
	IncludeSubscribers bool
	StreamNames        bool // names of streams in muted topics, in place of ids
	// What the client can cope with (events.md, section 1.3).
	NotificationSettingsNull bool
	AvatarURLOptional        bool
}

// Wants reports whether the part is asked for.
func (r Request) Wants(selector string) bool {
	return r.Selectors == nil || slices.Contains(r.Selectors, selector)
}

// State is the initial state. Each part is nil where it wasn't asked for.
type State struct {
	*AlertWords
	*ProfileFields
	*Hotspots
	*NewestMessage
	*MutedTopics
	*Presences
	*Realm
	*Domains
	*Emoji
	*Linkifiers
	*UserGroups
	*Users
	*Bots
	*EmbeddedBots
	*WebhookBots
	*Conversations
	*Subscriptions
	*Unread
	*Starred
	*Streams
	*DefaultStreams
	*DefaultStreamGroups
	*StopWords
	*Display
	*Notifications
	*UserStatus
	*VideoCalls
}

// Deps are what a reader works with.
type Deps struct {
	Orgs          *org.Service
	Subscriptions *subscription.Service
	Statuses      *status.Service
	// Webhooks are the names of the server's incoming integrations.
	Webhooks []string
	// JitsiURL is the public instance that video calls are made with, unless set; "": meet.jit.si.
	JitsiURL string
	// Development says that this isn't a server for real use.
	Development bool
	Now         func() time.Time
}

// Reader reads initial states. It is safe for concurrent use.
type Reader struct {
	Deps
	generation int64 // when the server started, in Unix seconds
}

// New makes a reader.
func New(d Deps) *Reader {
	if d.JitsiURL == "" {
		d.JitsiURL = "https://meet.jit.si"
	}
	return &Reader{d, d.Now().Unix()}
}

// Read reads the state for a caller. tx must be a snapshot.
func (r *Reader) Read(ctx context.Context, tx *store.Tx, who actor.Actor, request Request) (State, error) {
	state := State{}
	reading := (*reading)(nil)
	for _, part := range parts() {
		if !part.wantedBy(request) {
			continue
		}
		if reading == nil {
			begun, err := r.begin(ctx, tx, who, request)
			if err != nil {
				return State{}, err
			}
			reading = begun
		}
		if err := part.read(ctx, reading, &state); err != nil {
			return State{}, err
		}
	}
	return state, nil
}

// part is a part of the state.
type part struct {
	selectors []string // any of them asks for the part
	all       bool     // all of them are needed
	read      func(ctx context.Context, r *reading, into *State) error
}

func (p part) wantedBy(request Request) bool {
	for _, selector := range p.selectors {
		if request.Wants(selector) != p.all {
			return !p.all
		}
	}
	return p.all
}

func parts() []part {
	return []part{
		{[]string{"alert_words"}, false, readAlertWords},
		{[]string{"custom_profile_fields"}, false, readProfileFields},
		{[]string{"hotspots"}, false, readHotspots},
		{[]string{"message"}, false, readNewestMessage},
		{[]string{"muted_topics"}, false, readMutedTopics},
		{[]string{"presence"}, false, readPresences},
		{[]string{"realm"}, false, readRealm},
		{[]string{"realm_domains"}, false, readDomains},
		{[]string{"realm_emoji"}, false, readEmoji},
		{[]string{"realm_filters"}, false, readLinkifiers},
		{[]string{"realm_user_groups"}, false, readUserGroups},
		{[]string{"realm_user", "realm_bot"}, false, readAccounts},
		{[]string{"realm_embedded_bots"}, false, readEmbeddedBots},
		{[]string{"realm_incoming_webhook_bots"}, false, readWebhookBots},
		{[]string{"recent_private_conversations"}, false, readConversations},
		{[]string{"subscription"}, false, readSubscriptions},
		{[]string{"message", "update_message_flags"}, true, readUnread},
		{[]string{"starred_messages"}, false, readStarred},
		{[]string{"stream", "default_streams"}, false, readStreams},
		{[]string{"default_stream_groups"}, false, readDefaultStreamGroups},
		{[]string{"stop_words"}, false, readStopWords},
		{[]string{"update_display_settings"}, false, readDisplay},
		{[]string{"update_global_notifications"}, false, readNotifications},
		{[]string{"user_status"}, false, readUserStatus},
		{[]string{"video_calls"}, false, readVideoCalls},
	}
}

// reading is one registration's way through the parts.
type reading struct {
	*Reader
	Request
	tx   *store.Tx
	org  org.Org
	self user.User
	who  actor.Actor // self, as of the snapshot
}

func (r *Reader) begin(ctx context.Context, tx *store.Tx, who actor.Actor, request Request) (*reading, error) {
	o, err := r.Orgs.Load(ctx, tx)
	if err != nil {
		return nil, err
	}
	self, err := user.ByID(ctx, tx, who.User)
	if err != nil {
		return nil, err
	}
	return &reading{r, request, tx, o, self, self.Actor(o, nil)}, nil
}
