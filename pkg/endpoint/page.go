package endpoint

import (
	"log/slog"
	"net/http"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

// The functions below are for pages outside the interface, whose successful answers aren't JSON.

// NotFound answers with 404 in the envelope, like a [Router] for an unknown path.
func NotFound(w http.ResponseWriter) { Refuse(w, errUnknownPath) }

// InternalError answers with 500 in the envelope. The caller logs the cause.
func InternalError(w http.ResponseWriter) { Refuse(w, errInternal) }

// Authenticate returns the account that requests a page, from HTTP Basic or, without a header Authorization, from the parameter
// api_key in the query string or a browser's session (rest-api.md, sections 1.4 and 1.5). Incoming webhook bots are refused.
func Authenticate(auth Authenticator, r *http.Request) (actor.Actor, error) {
	header, query := r.Header.Get("Authorization"), r.URL.Query()
	if header == "" && query.Has(keyParam) {
		return byKey(r.Context(), auth, permit.Anyone, r.Host, query.Get(keyParam))
	}
	return byHeader(r.Context(), auth, permit.Anyone, r)
}

// CheckPage is [Request.CheckPage] for a page's form.
func CheckPage(r *http.Request) error {
	if foreign(r) {
		return ErrForeignPage
	}
	return nil
}

// Refuse answers with a fault in the envelope. It keeps headers that are already set.
func Refuse(w http.ResponseWriter, f *fault.Fault) {
	w.Header().Set("Content-Type", "application/json")
	if f.Kind == fault.Unauthenticated && w.Header().Get("WWW-Authenticate") == "" {
		w.Header().Set("WWW-Authenticate", challenge)
	}
	w.WriteHeader(statusOf(f.Kind))
	b := newBuffer()
	if err := b.fault(f); err != nil {
		b.buf.WriteString("}") // without data that can't be encoded
	}
	_, _ = w.Write(b.buf.Bytes()) // it fails if the client has disconnected
}

// Fail answers with the fault of an error, or else with 500. It logs errors that aren't the client's, with the task that failed; if
// the client has disconnected, these are its doing, and Fail does nothing.
func Fail(w http.ResponseWriter, r *http.Request, logger *slog.Logger, task string, err error) {
	f := fault.Of(err)
	if f == nil || f.Kind >= fault.Internal {
		if r.Context().Err() != nil {
			return
		}
		logger.ErrorContext(r.Context(), "request failed", slog.String("task", task), slog.Any("error", err))
	}
	if f == nil {
		f = errInternal
	}
	if f.Kind == fault.Unauthenticated && byScript(r) {
		w.Header().Set("WWW-Authenticate", sessionChallenge) // also for the images of a page
	}
	Refuse(w, f)
}

// Reply answers with an object in the envelope. If the object can't be encoded, it fails and writes nothing.
func Reply(w http.ResponseWriter, reply any) error {
	b := newBuffer()
	b.buf.WriteString(success)
	if err := b.object(reply); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b.buf.Bytes()) // it fails if the client has disconnected
	return nil
}
