package events

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/failpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/product"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/compat"
	"chatserver.dev/services/events/dispatch"
	"chatserver.dev/services/events/state"
)

// Lifetimes of queues, in seconds (events.md, section 1.2).
const (
	defaultLifetime = 600
	maxLifetime     = 7 * 24 * 3600
)

// Limits of registrations.
const (
	// maxTerms is the maximum number of terms of a narrow: more than can hold at the same time.
	maxTerms = 10
	// maxOperand is the maximum length of an operand, in characters; names of streams and topics have at most 60.
	maxOperand = 200
	// longQueues is the maximum number of an account's queues with a lifetime of more than an hour. Another one
	// replaces the queue whose last request is oldest.
	longQueues = 10
)

// Errors of registrations.
var (
	ErrTerms     = fault.Bad("narrow has %d terms: it may have %d at most")
	ErrOperand   = fault.Bad("narrow[%d][1] has %d characters: an operand may have %d at most")
	ErrOperator  = fault.Bad("Operator %s not supported.")
	ErrPair      = fault.Bad("narrow[%d] should have exactly 2 items")
	ErrAllPublic = fault.Bad("User not authorized for this query")
)

type registerParams struct {
	// Whether the content of messages is HTML instead of Markdown.
	ApplyMarkdown bool `param:"apply_markdown" default:"false"`
	// Whether the client computes the URLs of third-party-hosted avatars itself; they are null then.
	ClientHostedAvatar bool `param:"client_hosted_avatar" compat:"client_gravatar" default:"false"`
	// Whether presence has the compact form. Not stable, don't use it.
	SlimPresence bool `param:"slim_presence" default:"false"`
	// Types of events for the queue. Default: all. Unknown types are ignored.
	EventTypes *[]string `param:"event_types"`
	// Whether the queue receives the messages of all public streams.
	AllPublicStreams *bool `param:"all_public_streams"`
	// Whether stream objects in the answer include their subscribers.
	IncludeSubscribers bool `param:"include_subscribers" default:"false"`
	// Capabilities of the client.
	Capabilities capabilities `param:"client_capabilities" default:"{\"notification_settings_null\":false}"`
	// Parts of the initial state to return. Default: the same as event_types.
	FetchEventTypes *[]string `param:"fetch_event_types"`
	// Narrow that messages must match to enter the queue: pairs of operator (stream, topic, sender, is) and
	// operand. At most 10 pairs, with operands of at most 200 characters.
	Narrow [][]string `param:"narrow" default:"[]"`
	// Lifetime of the queue without a request, in seconds, at most 604800; 0: 600. An account can have 10 queues with a
	// lifetime of more than an hour; another one replaces the queue whose last request is oldest.
	Lifetime endpoint.NNInt `param:"queue_lifespan_secs" default:"0"`
}

// Check validates the narrow, before a queue is created.
func (p registerParams) Check() error {
	if len(p.Narrow) > maxTerms {
		return ErrTerms.Format(len(p.Narrow), maxTerms)
	}
	for i, term := range p.Narrow {
		if len(term) != 2 {
			return ErrPair.Format(i)
		}
		if n := utf8.RuneCountInString(term[1]); n > maxOperand {
			return ErrOperand.Format(i, n, maxOperand)
		}
		if !dispatch.SupportsTerm(term[0], term[1]) {
			name := term[0]
			if name == "is" {
				name += ":" + term[1]
			}
			return ErrOperator.Format(name)
		}
	}
	return nil
}

// capabilities are what a client supports (events.md, section 1.3).
type capabilities struct {
	NotificationSettingsNull bool
	BulkMessageDeletion      bool
	AvatarURLOptional        bool
}

// ParseParam parses a JSON object. One key is required, and values of unknown keys must be booleans, too.
func (c *capabilities) ParseParam(raw string) error {
	const name = "client_capabilities"
	value := any(nil)
	if json.Unmarshal([]byte(raw), &value) != nil {
		return fault.Bad("Argument \"" + name + "\" is not valid JSON.")
	}
	object, ok := value.(map[string]any)
	if !ok {
		return fault.Bad(name + " is not a dict")
	}
	known := map[string]*bool{
		"notification_settings_null":     &c.NotificationSettingsNull,
		"bulk_message_deletion":          &c.BulkMessageDeletion,
		"user_avatar_url_field_optional": &c.AvatarURLOptional,
	}
	if _, ok := object["notification_settings_null"]; !ok {
		return fault.Bad("notification_settings_null key is missing from " + name)
	}
	for key, value := range object {
		set, isBool := value.(bool)
		into := known[key]
		switch {
		case !isBool && into != nil:
			return fault.Bad(name + `["` + key + `"] is not a boolean`)
		case !isBool:
			return fault.Bad(name + " contains a value that is not a boolean")
		case into != nil:
			*into = set
		}
	}
	return nil
}

type registerReply struct {
	// Queue to poll.
	QueueID string `json:"queue_id"`
	// last_event_id for the first poll.
	LastEventID int64 `json:"last_event_id"`
	// Version of the server.
	ServiceVersion string `json:"service_version"`
	// Feature level of the interface.
	ServiceFeatureLevel int `json:"service_feature_level"`
	*compat.Version
	state.State
}

// Register creates an event queue, and returns the current state of the data whose changes are requested.
func Register(s *Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route:  "POST /register",
		Who:    permit.Anyone,
		Memory: 8 << 20, // measured in an organization of 5,000 streams with many registrations at a time
		Faults: endpoint.Faults{ErrTerms, ErrOperand, ErrOperator, ErrPair, ErrAllPublic},
	}, func(ctx context.Context, who actor.Actor, in registerParams) (registerReply, error) {
		descriptor, err := s.withDefaults(ctx, who, in)
		if err != nil {
			return registerReply{}, err
		}
		return s.register(ctx, who, descriptor, in.request(ctx))
	})
}

// register first creates the queue, so that it collects events, and then reads the state in one snapshot. The snapshot
// is stored with the queue: events that it contains aren't delivered, all others are.
func (s *Service) register(ctx context.Context, who actor.Actor, descriptor queue.Descriptor, wanted state.Request) (registerReply, error) {
	if descriptor.AllPublic && who.Role.IsGuest() {
		return registerReply{}, ErrAllPublic
	}
	shard := s.DB.Shard(who.Org())
	name := queue.NewID(shard)
	reply := registerReply{
		QueueID: name, LastEventID: queue.NoEvent, ServiceVersion: s.Version, ServiceFeatureLevel: product.FeatureLevel, Version: compat.VersionFor(ctx),
	}
	err := s.create(ctx, shard, name, descriptor)
	if err == nil {
		s.Failpoints.Meet(failpoint.AfterRegister)
		reply.State, err = s.readState(ctx, who, shard, name, wanted)
	}
	if err != nil { // the queue may exist even if that was creating it
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if _, cleanup := s.Redis.Unregister(ending, shard, name); cleanup != nil {
			s.Logger.WarnContext(ctx, "queue of a failed registration stays until it expires", slog.Any("error", cleanup))
		}
		return registerReply{}, err
	}
	return reply, nil
}

// create creates a queue.
func (s *Service) create(ctx context.Context, shard int, name string, descriptor queue.Descriptor) error {
	quota := queue.Quota{Queues: int(s.Config.QueuesPerAccount), Long: longQueues}
	err := s.Redis.Register(ctx, shard, name, descriptor, quota)
	if errors.Is(err, queue.ErrNoCursor) {
		if _, err = dispatch.Start(ctx, s.DB.Log(), s.Redis, shard); err == nil {
			err = s.Redis.Register(ctx, shard, name, descriptor, quota)
		}
	}
	return err
}

// readState reads the state for the client of a queue, and completes the queue's registration.
func (s *Service) readState(ctx context.Context, who actor.Actor, shard int, name string, wanted state.Request) (read state.State, err error) {
	var snapshot store.Snapshot
	err = s.DB.Snapshot(ctx, who.Org(), func(tx *store.Tx, at store.Snapshot) (err error) {
		snapshot = at
		read, err = s.State.Read(ctx, tx, who, wanted)
		return err
	})
	if err == nil {
		err = s.Redis.SetSnapshot(ctx, shard, name, snapshot.String())
	}
	return read, err
}

func (p registerParams) request(ctx context.Context) state.Request {
	selectors := []string(nil)
	switch {
	case p.FetchEventTypes != nil:
		selectors = append([]string{}, *p.FetchEventTypes...)
	case p.EventTypes != nil:
		selectors = append([]string{}, *p.EventTypes...)
	}
	return state.Request{
		Selectors: selectors, ClientHostedAvatar: p.ClientHostedAvatar, SlimPresence: p.SlimPresence,
		IncludeSubscribers: p.IncludeSubscribers, NotificationSettingsNull: p.Capabilities.NotificationSettingsNull,
		AvatarURLOptional: p.Capabilities.AvatarURLOptional, StreamNames: compat.Names(ctx),
	}
}

// descriptor returns the descriptor of the requested queue.
func (p registerParams) descriptor(who actor.Actor) queue.Descriptor {
	d := queue.Descriptor{
		Org: who.Org(), User: who.User,
		Form: event.Form{
			Markdown: p.ApplyMarkdown, HostedAvatar: p.ClientHostedAvatar, SlimPresence: p.SlimPresence,
			BulkDeletion: p.Capabilities.BulkMessageDeletion,
		},
		Lifetime: min(int(p.Lifetime), maxLifetime),
	}
	if d.Lifetime == 0 {
		d.Lifetime = defaultLifetime
	}
	if p.EventTypes != nil {
		d.Types = event.Known(*p.EventTypes)
	}
	for _, term := range p.Narrow {
		d.Narrow = append(d.Narrow, [2]string{term[0], spelling.Name(term[1])})
	}
	if p.AllPublicStreams != nil {
		d.AllPublic = *p.AllPublicStreams
	}
	return d
}

// withDefaults returns the descriptor of the requested queue, with a bot's own defaults for missing parameters.
func (s *Service) withDefaults(ctx context.Context, who actor.Actor, in registerParams) (queue.Descriptor, error) {
	d := in.descriptor(who)
	if !who.IsBot() || in.AllPublicStreams != nil && len(d.Narrow) > 0 {
		return d, nil
	}
	defaults, stream, err := s.botDefaults(ctx, who)
	if err != nil {
		return queue.Descriptor{}, err
	}
	if in.AllPublicStreams == nil {
		d.AllPublic = defaults.AllPublicStreams && !who.Role.IsGuest() // the bot may have become a guest since
	}
	if len(d.Narrow) == 0 && stream != "" {
		d.Narrow = [][2]string{{"stream", stream}}
	}
	return d, nil
}

// botDefaults returns a bot's defaults for registrations, and the name of its stream; "" if it has none, or if the stream is deactivated.
func (s *Service) botDefaults(ctx context.Context, who actor.Actor) (defaults user.RegisterDefaults, stream string, err error) {
	err = s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error {
		bot, err := user.ByID(ctx, tx, who.User)
		if err != nil {
			return err
		}
		defaults = bot.Register
		if defaults.EventsStream == 0 {
			return nil
		}
		row, err := tx.StreamByID(ctx, who.User, defaults.EventsStream)
		if err == nil && !row.Stream.Deactivated {
			stream = row.Stream.Name
		}
		return err
	})
	return defaults, stream, err
}
