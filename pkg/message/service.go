package message

import (
	"context"
	"html"
	"log/slog"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/alert"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/linkifier"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// Faults of a stream that doesn't exist.
var (
	// ErrStreamUnknown is for a stream named by name. Its member "stream" is escaped for HTML.
	ErrStreamUnknown = fault.New(fault.Invalid, "STREAM_DOES_NOT_EXIST", "Stream '%s' does not exist")
	// ErrStreamIDUnknown is for a stream named by id.
	ErrStreamIDUnknown = fault.New(fault.Invalid, "STREAM_DOES_NOT_EXIST", "Stream with ID '%d' does not exist")
)

// Deps are the dependencies of a [Service].
type Deps struct {
	DB         *store.DB
	Orgs       *org.Service
	Alerts     *alert.Service
	Linkifiers *linkifier.Service
	Markdown   *markdown.Renderer
	Throttle   *limit.Throttle
	// Called is called after a message with calls of bots was stored (package outgoing). nil: nothing is called.
	Called func()
	Now    func() time.Time
	Logger *slog.Logger
}

// Service sends messages. It is safe for concurrent use.
type Service struct {
	Deps
	streams streamCache
}

// New makes the service.
func New(d Deps) *Service { return &Service{d, newStreamCache()} }

// Send sends a message and returns its id. The faults are those of rest-api.md, section 2.2, in its order.
func (s *Service) Send(ctx context.Context, who actor.Actor, draft Draft) (id.Message, error) {
	return s.submit(ctx, who, draft, func() error { return nil })
}

// submit sends a message or, if the draft is for later, schedules it. when is called to determine the time.
func (s *Service) submit(ctx context.Context, who actor.Actor, draft Draft, when func() error) (id.Message, error) {
	if draft.QueueID != "" && draft.LocalID == "" {
		return 0, ErrLocalID
	}
	to, people, err := recipients(draft)
	switch {
	case err != nil:
		return 0, err
	case draft.Forged:
		return 0, ErrForged
	case draft.Mirrored:
		return 0, ErrMirrored
	}
	if err := when(); err != nil {
		return 0, err
	}
	if draft.once, err = onceOf(draft); err != nil {
		return 0, err
	}
	if before, used, err := s.sentBefore(ctx, who, draft.once); err != nil || used {
		return before, err
	}
	switch draft.Type {
	case "stream":
		return s.sendToStream(ctx, who, draft, to)
	case "private":
		return s.sendPrivate(ctx, who, draft, people)
	}
	return 0, ErrType
}

// recipients parses the recipients of a message. Its type determines which of the results is set.
func recipients(draft Draft) (to StreamRef, people PeopleRef, err error) {
	switch {
	case draft.To == nil:
	case draft.Type == "stream":
		to, err = parseStream(*draft.To)
	default:
		people, err = parsePeople(*draft.To)
	}
	return to, people, err
}

func (s *Service) sendToStream(ctx context.Context, who actor.Actor, draft Draft, to StreamRef) (id.Message, error) {
	if draft.To == nil {
		var err error
		if to, err = s.defaultStream(ctx, who); err != nil {
			return 0, err
		}
	}
	topic, err := CheckTopic(draft.Topic)
	if err != nil {
		return 0, err
	}
	content, err := CheckContent(draft.Content)
	if err != nil {
		return 0, err
	}
	if to.ID == 0 {
		if err := stream.CheckName(to.Name); err != nil {
			return 0, err
		}
	}
	return s.postToStream(ctx, who, to, topic, content, draft)
}

// defaultStream returns the stream that a bot sends to by default, or [ErrNoStream].
func (s *Service) defaultStream(ctx context.Context, who actor.Actor) (StreamRef, error) {
	if !who.IsBot() {
		return StreamRef{}, ErrNoStream
	}
	to := id.Stream(0)
	err := s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error {
		bot, err := user.ByID(ctx, tx, who.User)
		if err != nil {
			return err
		}
		if to = bot.Register.SendingStream; to == 0 {
			return ErrNoStream
		}
		row, err := tx.StreamByID(ctx, who.User, to)
		if err == nil && row.Stream.Deactivated {
			err = ErrNoStream
		}
		return err
	})
	return StreamRef{ID: to}, err
}

func unknownStream(to StreamRef) error {
	if to.ID != 0 {
		return unknownStreamID(to.ID)
	}
	return ErrStreamUnknown.Format(to.Name).With("stream", html.EscapeString(to.Name))
}

func unknownStreamID(stream id.Stream) error {
	return ErrStreamIDUnknown.Format(stream).With("stream_id", stream)
}
