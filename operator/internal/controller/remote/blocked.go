package remote

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/chatapi"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
)

// mode determines the conditions of a blocked object.
type mode int

const (
	waiting   mode = iota // it continues without a user's change: Reconciling
	stalled               // a user must change an object: Stalled
	suspended             // hibernated on request: neither
)

// blocked is the reason why an object can't be reconciled. It is an error.
type blocked struct {
	mode
	condition string // the type of the one that is False: Accepted, Synced or CredentialsReady
	reason    string // of the condition and of Ready
	message   string // includes what to do next
	// watched reports whether only a watched change can unblock it, so that no timer is needed.
	watched bool
	// after is when to retry; 0: at the next comparison.
	after time.Duration
	// outage reports whether other calls to the server would fail for the same reason.
	outage bool
}

// Error returns the message.
func (b *blocked) Error() string { return b.message }

// retryPause is the time between two attempts for an object. The limiter increases it while the server keeps
// failing.
const retryPause = 2 * time.Second

// blockedBy converts the error of a call to a server. A [*blocked] is returned unchanged.
func blockedBy(err error, server *v1alpha1.ChatServer) *blocked {
	if blocking, ok := errors.AsType[*blocked](err); ok {
		return blocking
	}
	b := &blocked{condition: v1alpha1.ConditionSynced, message: err.Error()}
	if _, missing := errors.AsType[*chatapi.SecretError](err); missing {
		b.reason, b.after, b.outage = v1alpha1.ReasonSecretNotFound, retryPause, true
		return b
	}
	response, responded := errors.AsType[*adminclient.Error](err)
	if !responded {
		response = &adminclient.Error{}
	}
	switch {
	case response.Status == http.StatusUnauthorized:
		b.reason, b.after, b.outage = v1alpha1.ReasonTokenNotAccepted, retryPause, true
		b.message = "the server doesn't accept the admin token yet: " + err.Error()
	case response.Status == http.StatusNotFound:
		b.reason, b.after = v1alpha1.ReasonOrganizationNotReady, retryPause
	case response.Status == http.StatusConflict:
		b.reason, b.after = v1alpha1.ReasonFailed, retryPause
	case response.Status == http.StatusInternalServerError: // because of this object: without its database, a server responds with 503
		b.reason, b.after = v1alpha1.ReasonFailed, refusedPause
		b.message = "the server failed, retrying; see its log: " + err.Error()
	case response.Code == adminapi.CodeUnknownField: // the operator is of a later release than the server
		b.mode, b.reason = stalled, v1alpha1.ReasonRefused
		b.message = fmt.Sprintf("the server refused: %s Its version %s is too old for this operator: upgrade it, by spec.version of ChatServer %s",
			sentence(err), cmp.Or(server.Status.Version, server.Spec.Version), server.Name)
	case response.Status != http.StatusBadRequest:
		b.reason, b.after, b.outage = v1alpha1.ReasonServerUnreachable, retryPause, true
		b.message = "the operator can't use the server, retrying: " + outage(err, server)
	default:
		next := "Change the spec, or what it refers to"
		b.mode, b.reason = stalled, v1alpha1.ReasonRefused
		if response.Code == adminapi.CodeExists {
			b.reason, next = v1alpha1.ReasonNameTaken, "Alternatively, choose another name" // the server's message says how to take it over
		}
		b.message = fmt.Sprintf("the server refused: %s %s", sentence(err), next)
	}
	return b
}

// sentence returns an error's text with a full stop, so that another sentence can follow.
func sentence(err error) string {
	text := err.Error()
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// outage describes a failed call. The text has no local ports, so that it is the same for each attempt.
func outage(err error, server *v1alpha1.ChatServer) string {
	answer, op, call, untrusted := (*adminclient.Error)(nil), (*net.OpError)(nil), (*url.Error)(nil), (*tls.CertificateVerificationError)(nil)
	switch {
	case errors.As(err, &answer):
		return fmt.Sprintf("unexpected response with status %d: %s", answer.Status, answer)
	case errors.As(err, &untrusted):
		return fmt.Sprintf("its certificate isn't the one in the Secret %s; pods read a new one within two minutes", inputs.AdminSecret(server))
	case errors.Is(err, context.DeadlineExceeded):
		return "no response in time"
	case errors.As(err, &op) && op.Addr != nil:
		return fmt.Sprintf("%s %s: %s", op.Op, op.Addr, op.Err)
	case errors.As(err, &call):
		return call.Err.Error()
	default:
		return err.Error()
	}
}
