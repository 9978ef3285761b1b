package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/chatapi"
	"chatserver.dev/pkg/adminclient"
)

// manner is how an object stands still.
type manner int

const (
	waiting manner = iota // it will get on by itself: Reconciling
	stalled               // somebody has to change something: Stalled
	parked                // it is asleep on request: neither
)

// halt is why an object doesn't get on.
type halt struct {
	manner
	condition string // the one that is False for it: Accepted, Synced or CredentialsReady
	reason    string // of the condition and of Ready
	message   string // with the next step
	// watched is whether it gets on by nothing but what is watched: then there is no timer for it.
	watched bool
	// after is when to try again; 0: at the next comparison.
	after time.Duration
	// outage is whether other calls to the server would end the same way.
	outage bool
}

// Error returns the message.
func (h *halt) Error() string { return h.message }

// messageOf returns the message of a halt; empty: err is something else.
func messageOf(err error) string {
	h := (*halt)(nil)
	if errors.As(err, &h) {
		return h.message
	}
	return ""
}

// failure returns an error that is no halt.
func failure(err error) error {
	if messageOf(err) != "" {
		return nil
	}
	return err
}

// retryPause is how long an object waits before it is tried again. A server's gate holds it back for longer
// when the server doesn't get better.
const retryPause = 2 * time.Second

// haltOf says why a call that failed halts an object. It returns halts as they are.
func haltOf(err error) *halt {
	if h := (*halt)(nil); errors.As(err, &h) {
		return h
	}
	h := &halt{condition: v1alpha1.ConditionSynced, message: err.Error()}
	switch chatapi.AnswerOf(err) {
	case chatapi.NoToken:
		h.reason, h.after, h.outage = v1alpha1.ReasonSecretNotFound, retryPause, true
	case chatapi.Unauthorized:
		h.reason, h.after, h.outage = v1alpha1.ReasonTokenNotAccepted, retryPause, true
		h.message = "the server doesn't accept the admin token yet: " + err.Error()
	case chatapi.Missing:
		h.reason, h.after = v1alpha1.ReasonOrganizationNotReady, retryPause
	case chatapi.Conflict:
		h.reason, h.after = v1alpha1.ReasonFailed, retryPause
	case chatapi.Taken:
		h.manner, h.reason = stalled, v1alpha1.ReasonNameTaken
		h.message = fmt.Sprintf("the server says: %s Set adopt: true in the spec to take it over, or choose another name", sentence(err))
	case chatapi.Kept:
		h.manner, h.reason = stalled, v1alpha1.ReasonNameTaken
		h.message = fmt.Sprintf("the server says: %s Another object keeps it: choose another name, or delete that object", sentence(err))
	case chatapi.Refused:
		h.manner, h.reason = stalled, v1alpha1.ReasonRefused
		h.message = fmt.Sprintf("the server says: %s Change the spec, or what it refers to", sentence(err))
	case chatapi.Busy, chatapi.Unreachable:
		h.reason, h.after, h.outage = v1alpha1.ReasonServerUnreachable, retryPause, true
		h.message = "the server doesn't answer as it should, and is tried again: " + outage(err)
	}
	return h
}

// sentence is an error's text with an end to it, for another sentence to follow.
func sentence(err error) string {
	text := err.Error()
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// outage words what came in place of an answer. It is the same for each try: ports of this side aren't in it.
func outage(err error) string {
	answer, op, call := (*adminclient.Error)(nil), (*net.OpError)(nil), (*url.Error)(nil)
	switch {
	case errors.As(err, &answer):
		return fmt.Sprintf("status %d, %s", answer.Status, answer)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("no answer in %s", callTime)
	case errors.As(err, &op) && op.Addr != nil:
		return fmt.Sprintf("%s %s: %s", op.Op, op.Addr, op.Err)
	case errors.As(err, &call):
		return call.Err.Error()
	default:
		return err.Error()
	}
}
