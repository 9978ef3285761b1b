package outgoing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chatserver.dev/pkg/feed"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

const (
	// lease is how long a claimed call belongs to one process. It is longer than a call takes.
	lease = 30 * time.Second
	// mostAttempts is how often a call is made at most.
	mostAttempts = 3
	// firstPause is the time between the first two attempts; it doubles.
	firstPause = 2 * time.Second
	// oldest is the longest time that a call waits: behind others, or while its organization is
	// deactivated.
	oldest = time.Hour
	// staleTries bounds how often an answer is stored again because the stream has changed meanwhile.
	staleTries = 3
	// client is the name of the program in answers (rest-api.md, section 1.8).
	client = "OutgoingWebhookResponse"
)

// Deps are what a [Service] works with.
type Deps struct {
	DB       *store.DB
	Orgs     *org.Service
	Messages *message.Service
	Feed     *feed.Service
	Signal   *Signal
	Now      func() time.Time
}

// Signal says that a call was stored. It is safe for concurrent use.
type Signal struct{ stored chan struct{} }

// NewSignal makes a signal.
func NewSignal() *Signal { return &Signal{make(chan struct{}, 1)} }

// Stored notes that a call was stored. It returns at once.
func (s *Signal) Stored() {
	select {
	case s.stored <- struct{}{}:
	default: // it is noted already
	}
}

// Wait returns a channel that receives a value after this process has stored a call.
func (s *Signal) Wait() <-chan struct{} { return s.stored }

// Service keeps calls. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Due is a call that may be made now.
type Due struct {
	Org  id.Org
	Call int64
}

// Due returns the calls that may be made now, of all organizations: those that wait longest first, at most one for each bot and so
// many of an organization.
func (s *Service) Due(ctx context.Context, each, most int) ([]Due, error) {
	rows, err := s.DB.DueWebhookCalls(ctx, each, most)
	due := make([]Due, len(rows))
	for i, row := range rows {
		due[i] = Due{row.OrgID, row.CallID}
	}
	return due, err
}

// Call is a claimed call.
type Call struct {
	Due
	Bot       user.User
	Address   string // where to
	Interface int    // 1: generic, 2: as Slack does
	Token     string
	Cause     string // mention or private_message
	Message   feed.Whole

	attempts int16
}

// errGone says that a call must no longer be made.
var errGone = errors.New("the call is obsolete")

// Claim claims a call. ok is false if there is nothing to do: another process makes it, or it must no longer be made.
func (s *Service) Claim(ctx context.Context, due Due) (call Call, ok bool, err error) {
	row := sqlc.WebhookCall{}
	err = s.DB.Write(ctx, due.Org, func(tx *store.Tx) (err error) {
		row, err = tx.ClaimWebhookCall(ctx, lease.Seconds(), due.Call)
		return err
	})
	if store.IsNotFound(err) {
		return Call{}, false, nil
	}
	if err != nil {
		return Call{}, false, err
	}
	call = Call{Due: due, Cause: row.Cause, attempts: row.Attempts}
	err = s.DB.Read(ctx, due.Org, func(tx *store.Tx) error { return s.fill(ctx, tx, row, &call) })
	if errors.Is(err, errGone) {
		return Call{}, false, s.end(ctx, call, Words{})
	}
	return call, err == nil, err
}

// fill reads the content of a call, or fails with errGone.
func (s *Service) fill(ctx context.Context, tx *store.Tx, row sqlc.WebhookCall, call *Call) error {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return err
	}
	if call.Bot, err = user.ByID(ctx, tx, row.UserID); errors.Is(err, user.ErrNoSuchUser) {
		return errGone
	} else if err != nil {
		return err
	}
	services, err := tx.BotServices(ctx, []int64{int64(row.UserID)})
	if err != nil {
		return err
	}
	if o.Deactivated || !call.Bot.Active || len(services) == 0 || s.Now().Sub(row.CreatedAt) > oldest {
		return errGone
	}
	call.Address, call.Interface, call.Token = services[0].URL, int(services[0].Interface), services[0].Token
	whole, ok, err := s.Feed.ForBot(ctx, tx, o, call.Bot, row.MessageID)
	if err == nil && !ok {
		return errGone
	}
	call.Message = whole
	return err
}

// Answer ends a call with the bot's message to where it was called.
func (s *Service) Answer(ctx context.Context, call Call, words Words) error {
	return s.end(ctx, call, words)
}

// Failure is why a call failed.
type Failure struct {
	// Said is what the bot says about it in public.
	Said string
	// Details are for the bot's owner.
	Details string
	// Again says that another attempt may help.
	Again bool
}

// unavailable is the message of a bot whose service didn't answer.
const unavailable = "Bot is unavailable"

// Fail schedules a failed call again, or ends it: the bot says so where it was called, and its owner gets the details.
func (s *Service) Fail(ctx context.Context, call Call, failure Failure) error {
	if failure.Again && call.attempts < mostAttempts {
		return s.postpone(ctx, call, firstPause<<(call.attempts-1))
	}
	if failure.Again {
		failure.Said = unavailable
	}
	if err := s.end(ctx, call, Words{Content: "Failure! " + failure.Said}); err != nil || failure.Details == "" {
		return err
	}
	return s.notify(ctx, call, failure.Details)
}

// Release returns a call to the queue, for another process.
func (s *Service) Release(ctx context.Context, call Call) error { return s.postpone(ctx, call, 0) }

func (s *Service) postpone(ctx context.Context, call Call, pause time.Duration) error {
	return s.DB.Write(ctx, call.Org, func(tx *store.Tx) error {
		return tx.PostponeWebhookCall(ctx, pause.Seconds(), call.Call, call.attempts)
	})
}

// end removes a call, in the transaction in which the bot says something. It does nothing if another process has claimed the
// call meanwhile.
func (s *Service) end(ctx context.Context, call Call, words Words) error {
	errLost := errors.New("the call is somebody else's")
	for try := 1; ; try++ {
		err := s.DB.Write(ctx, call.Org, func(tx *store.Tx) error {
			if words.Content != "" {
				if err := s.say(ctx, tx, call, words); err != nil {
					return err
				}
			}
			ended, err := tx.EndWebhookCall(ctx, call.Call, call.attempts)
			if err == nil && ended == 0 {
				return errLost // and nothing is said
			}
			return err
		})
		switch {
		case errors.Is(err, errLost):
			return nil
		case errors.Is(err, store.ErrStale) && try < staleTries:
		case err == nil:
			return nil
		default:
			return fmt.Errorf("end call %d of bot %d: %w", call.Call, call.Bot.ID, err)
		}
	}
}
