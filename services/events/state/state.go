package state

import (
	"context"
	"slices"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/narrow"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
)

// Request selects the parts of the state, and their form.
type Request struct {
	// Selectors select the parts by names of event types; nil: all.
	Selectors          []string
	ClientHostedAvatar bool
	SlimPresence       bool
	IncludeSubscribers bool
	StreamNames        bool // muted topics have names of streams in place of ids
	// Capabilities of the client (events.md, section 1.3).
	NotificationSettingsNull bool
	AvatarURLOptional        bool
}

// wants reports whether a part is requested.
func (r Request) wants(selector string) bool {
	return r.Selectors == nil || slices.Contains(r.Selectors, selector)
}

// State is the initial state. A part that wasn't requested is nil, and has no key in JSON. A list or an object that is
// requested but empty isn't nil.
type State struct {
	AlertWords []string `json:"alert_words,omitzero"` // the caller's alert words
	*ProfileFields
	Hotspots     []event.Hotspot `json:"hotspots,omitzero"`       // the next hint for a new user, or none
	MaxMessageID *id.Message     `json:"max_message_id,omitzero"` // the newest message that the caller received; -1: none
	MutedTopics  [][3]any        `json:"muted_topics,omitzero"`   // each: stream id, topic, and when it was muted in Unix seconds
	// By the address that others see, the last report of each client of a person, and the newest report as "aggregated";
	// with slim_presence, by id, when the person was last active and idle.
	Presences presence.Listing `json:"presences,omitzero"`
	*Realm
	RealmDomains    []org.Domain                 `json:"realm_domains,omitzero"`     // domains that new accounts' addresses must belong to, by name
	RealmEmoji      map[string]event.CustomEmoji `json:"realm_emoji,omitzero"`       // the organization's own emoji, by id, including deactivated ones
	RealmFilters    []event.Linkifier            `json:"realm_filters,omitzero"`     // linkifiers: pattern, format of the address, id
	RealmUserGroups []event.Group                `json:"realm_user_groups,omitzero"` // named groups of people, by id
	*Users
	RealmBots           []event.BotObject    `json:"realm_bots,omitzero"`                   // the bots that the caller manages
	EmbeddedBots        []BotProgram         `json:"realm_embedded_bots,omitzero"`          // programs that embedded bots can run; none yet
	WebhookBots         []BotProgram         `json:"realm_incoming_webhook_bots,omitzero"`  // incoming integrations
	RecentConversations []inbox.Conversation `json:"recent_private_conversations,omitzero"` // the one with the newest message first
	*Subscriptions
	UnreadMessages  *inbox.Unread `json:"unread_msgs,omitzero"`      // the caller's unread messages
	StarredMessages []id.Message  `json:"starred_messages,omitzero"` // ascending
	*Streams
	DefaultStreams      []event.Stream             `json:"realm_default_streams,omitzero"`       // streams that new accounts are subscribed to, by name; none for guests
	DefaultStreamGroups []event.DefaultStreamGroup `json:"realm_default_stream_groups,omitzero"` // sets of streams to choose from, by name; none for guests
	StopWords           []string                   `json:"stop_words,omitzero"`                  // words that searches ignore
	*Display
	*Notifications
	UserStatus   map[string]presence.UserStatus `json:"user_status,omitzero"`    // statuses of accounts that have one, by id
	HasZoomToken *bool                          `json:"has_zoom_token,omitzero"` // whether the caller is connected to Zoom
}

// part is a part of the state: its selector, and the function that reads it.
type part struct {
	selector string
	read     func(ctx context.Context, r *reading, into *State) error
}

func parts() []part {
	return []part{
		{"alert_words", readAlertWords},
		{"custom_profile_fields", readProfileFields},
		{"hotspots", readHotspots},
		{"message", readNewestMessage},
		{"message", readUnread},
		{"muted_topics", readMutedTopics},
		{"presence", readPresences},
		{"realm", readRealm},
		{"realm_domains", readDomains},
		{"realm_emoji", readEmoji},
		{"realm_filters", readLinkifiers},
		{"realm_user_groups", readGroups},
		{"realm_user", readUsers},
		{"realm_bot", readBots},
		{"realm_embedded_bots", constant(func(s *State) { s.EmbeddedBots = []BotProgram{} })},
		{"realm_incoming_webhook_bots", readWebhookBots},
		{"recent_private_conversations", readConversations},
		{"subscription", readSubscriptions},
		{"starred_messages", readStarred},
		{"stream", readStreams},
		{"default_streams", readDefaultStreams},
		{"default_stream_groups", readDefaultStreamGroups},
		{"stop_words", constant(func(s *State) { s.StopWords = narrow.StopWords() })},
		{"update_display_settings", readDisplay},
		{"update_global_notifications", readNotifications},
		{"user_status", readUserStatus},
		{"video_calls", constant(func(s *State) { s.HasZoomToken = new(bool) })},
	}
}

// constant returns the function of a part that is the same for all callers.
func constant(set func(*State)) func(context.Context, *reading, *State) error {
	return func(_ context.Context, _ *reading, into *State) error {
		set(into)
		return nil
	}
}

// Deps are the dependencies of a reader.
type Deps struct {
	Orgs          *org.Service
	Users         *user.Service
	Subscriptions *subscription.Service
	Statuses      *presence.Service
	// Uploads reports whether the server stores files.
	Uploads bool
	// Webhooks are the names of the server's incoming integrations.
	Webhooks []string
	Now      func() time.Time
}

// Reader reads initial states. It is safe for concurrent use.
type Reader struct {
	Deps
	generation int64 // when the server started, in Unix seconds
}

// New returns a reader.
func New(d Deps) *Reader { return &Reader{d, d.Now().Unix()} }

// Read reads the state for a caller. tx must be a snapshot.
func (r *Reader) Read(ctx context.Context, tx *store.Tx, who actor.Actor, request Request) (State, error) {
	wanted := slices.DeleteFunc(parts(), func(p part) bool { return !request.wants(p.selector) })
	if len(wanted) == 0 {
		return State{}, nil
	}
	o, err := r.Orgs.Load(ctx, tx)
	if err != nil {
		return State{}, err
	}
	self, err := user.ByID(ctx, tx, who.User)
	if err != nil {
		return State{}, err
	}
	state, reading := State{}, &reading{Reader: r, Request: request, tx: tx, org: o, self: self, who: self.Actor(o, nil)}
	for _, part := range wanted {
		if err := part.read(ctx, reading, &state); err != nil {
			return State{}, err
		}
	}
	return state, nil
}

// reading is the data that all parts of one registration share.
type reading struct {
	*Reader
	Request
	tx      *store.Tx
	org     org.Org
	self    user.User
	who     actor.Actor   // self, as of the snapshot
	streams *stream.State // nil: not read yet
}
