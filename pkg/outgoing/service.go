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
	// lease is the time after which another process may claim a claimed call. It is longer than the timeout of a call.
	lease = 30 * time.Second
	// maxAttempts is the maximum number of attempts of a call.
	maxAttempts = 3
	// firstPause is the time between the first two attempts. It doubles after each attempt.
	firstPause = 2 * time.Second
	// oldest is the maximum age of a call. Calls wait for earlier calls, or while no process makes calls.
	oldest = time.Hour
	// staleTries is the maximum number of attempts to store a reply while the stream changes.
	staleTries = 3
	// client is the name of the program that sends the replies (rest-api.md, section 1.8).
	client = "OutgoingWebhookResponse"
)

// Deps are the dependencies of a [Service].
type Deps struct {
	DB       *store.DB
	Orgs     *org.Service
	Messages *message.Service
	Feed     *feed.Service
	Signal   *Signal
	Now      func() time.Time
}

// Signal signals that this process has stored a call. It is safe for concurrent use.
type Signal struct{ stored chan struct{} }

// NewSignal makes a signal.
func NewSignal() *Signal { return &Signal{make(chan struct{}, 1)} }

// Stored signals that a call has been stored. It doesn't block.
func (s *Signal) Stored() {
	select {
	case s.stored <- struct{}{}:
	default: // a signal is already pending
	}
}

// Wait returns a channel that receives a value after this process has stored a call.
func (s *Signal) Wait() <-chan struct{} { return s.stored }

// Service manages calls. It is safe for concurrent use.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Due is a call that may be made now.
type Due struct {
	Org  id.Org
	Call int64
}

// Due returns the calls of all organizations that may be made now, those that have waited longest first. It returns at most one call of
// each bot, each calls of an organization, and most calls in all.
func (s *Service) Due(ctx context.Context, each, limit int) ([]Due, error) {
	rows, err := s.DB.DueWebhookCalls(ctx, each, limit)
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
	Address   string // of the bot
	Interface int    // 1: generic, 2: compatible with Slack
	Token     string
	Cause     string // mention or private_message
	Message   feed.FullMessage

	attempts int16
}

// errGone says that a call must not be made anymore.
var errGone = errors.New("the call is obsolete")

// Claim claims a call. ok is false if another process has claimed it or if it must not be made anymore.
func (s *Service) Claim(ctx context.Context, due Due) (call Call, ok bool, err error) {
	row, err := store.Write(ctx, s.DB, due.Org, func(tx *store.Tx) (sqlc.WebhookCall, error) {
		return tx.ClaimWebhookCall(ctx, lease.Seconds(), due.Call)
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
		_, err = s.end(ctx, call, Reply{})
		return Call{}, false, err
	}
	return call, err == nil, err
}

// fill reads the content of a call. It fails with errGone.
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

// Answer ends a call and sends the bot's message to the stream or conversation of the call. A message that can't be
// rendered is a failure of the call.
func (s *Service) Answer(ctx context.Context, call Call, reply Reply) error {
	_, err := s.end(ctx, call, reply)
	if errors.Is(err, message.ErrRendering) {
		return s.Fail(ctx, call, Failure{
			Text: "Unable to render the response", Details: "The content of the response can't be rendered. Please have the bot send less text, or less markup.",
		})
	}
	return err
}

// Failure is the reason for the failure of a call.
type Failure struct {
	// Text is the text of the bot's message about it.
	Text string
	// Details are for the bot's owner.
	Details string
	// Again says that another attempt may succeed.
	Again bool
}

// unavailable is the message of a bot that can't be reached.
const unavailable = "Bot is unavailable"

// Fail schedules another attempt of a failed call, or ends the call: the bot sends a message about the failure to the stream or
// conversation of the call, and its owner gets the details.
func (s *Service) Fail(ctx context.Context, call Call, failure Failure) error {
	if failure.Again && call.attempts < maxAttempts {
		return s.postpone(ctx, call, firstPause<<(call.attempts-1))
	}
	if failure.Again {
		failure.Text = unavailable
	}
	if ended, err := s.end(ctx, call, Reply{Content: "Failure! " + failure.Text}); !ended || failure.Details == "" {
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

// end removes a call in the transaction that stores the bot's message, and reports whether it did. It does nothing if another
// process has claimed the call meanwhile.
func (s *Service) end(ctx context.Context, call Call, reply Reply) (ended bool, err error) {
	errLost := errors.New("the call is somebody else's")
	for try := 1; ; try++ {
		err := s.DB.Write(ctx, call.Org, func(tx *store.Tx) error {
			if reply.Content != "" {
				if err := s.say(ctx, tx, call, reply); err != nil {
					return err
				}
			}
			ended, err := tx.EndWebhookCall(ctx, call.Call, call.attempts)
			if err == nil && ended == 0 {
				return errLost // so that no message is sent
			}
			return err
		})
		switch {
		case errors.Is(err, errLost):
			return false, nil
		case errors.Is(err, store.ErrStale) && try < staleTries:
		case err == nil:
			return true, nil
		default:
			return false, fmt.Errorf("end call %d of bot %d: %w", call.Call, call.Bot.ID, err)
		}
	}
}
