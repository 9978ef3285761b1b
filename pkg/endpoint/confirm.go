package endpoint

import (
	"context"
	"errors"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
)

// ConfirmAfter is how long a call relies on its caller's authentication while it waits. An [Authenticator] takes about as long to
// notice a change.
const ConfirmAfter = time.Second

// errOtherRole says that the caller's role has changed since the handler began.
var errOtherRole = fault.New(fault.Conflict, fault.CodeNone, "Your role has just changed: send the request again")

// confirm returns the caller as they are now, if they may still call. Call it after each wait that may be long: a body may take
// half a minute, a file more, and a turn ten seconds. Otherwise somebody could prepare calls, and complete them after their
// account was deactivated. If confirm fails, it returns the caller as they were, whose memory and uploads the call holds.
func (c *call) confirm(ctx context.Context) (actor.Actor, error) {
	if c.sureAt.IsZero() {
		c.sureAt = c.began
	}
	now := c.router.cfg.Now()
	if c.who.User == 0 || now.Sub(c.sureAt) <= ConfirmAfter {
		return c.who, nil
	}
	c.sureAt = now
	who, err := c.authenticate(ctx)
	if err == nil {
		who, err = c.permit(ctx, who)
	}
	if err != nil {
		return c.who, err
	}
	who.Client = c.who.Client
	return who, nil
}

// confirmSame is confirm for a call whose handler has begun with the caller as they were.
func (c *call) confirmSame(ctx context.Context) error {
	who, err := c.confirm(ctx)
	switch {
	case err != nil:
		return meanwhile{err}
	case who.Role != c.who.Role:
		return meanwhile{errOtherRole}
	}
	return nil
}

// meanwhile is an error of [call.confirmSame]. A handler returns it, but it isn't one of the handler's own.
type meanwhile struct{ error }

// Unwrap returns the error.
func (m meanwhile) Unwrap() error { return m.error }

// isMeanwhile reports whether an error of a handler is one of [call.confirmSame].
func isMeanwhile(err error) bool { return errors.As(err, new(meanwhile)) }
