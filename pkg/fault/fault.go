// Package fault has the type of all errors that clients receive.
//
// Clients receive the Kind, Code, Msg and Data of a Fault. Its Cause is only logged. A fault is declared as a package variable next to
// its rule, or returned by a function if its text has parameters. [errors.Is] matches a fault that [Fault.With], [Fault.Wrap] or
// [Fault.Format] returned with the declared one. An error that wraps no Fault is an internal error: the endpoint logs it, and clients
// don't receive its text.
package fault

import (
	"context"
	"errors"
	"fmt"
	"maps"
)

// Kind is the general kind of a fault. Its value is the HTTP status.
type Kind int

// The kinds of faults.
const (
	Invalid          Kind = 400 // the request is invalid
	Unauthenticated  Kind = 401 // the caller isn't authenticated
	Forbidden        Kind = 403 // the caller may not act for the one they named
	NotFound         Kind = 404 // no such path
	MethodNotAllowed Kind = 405 // the path has no such method
	Conflict         Kind = 409 // something else is in progress; the request can be repeated when that has ended
	TooLarge         Kind = 413 // the request's body is over the limit
	UnsupportedMedia Kind = 415 // the request's body is encoded in a way that isn't understood
	TooMany          Kind = 429 // the caller is over a rate limit
	Internal         Kind = 500 // a failure of this server
	BadGateway       Kind = 502 // a request of this server to another one has failed
	Unavailable      Kind = 503 // a dependency of the server is unavailable; the request can be repeated
)

// Codes that more than one package uses. The interface's table of codes is in shared text
// (rest-api.md, section 1.2); an empty code means that the answer has no "code" key.
const (
	CodeBadRequest = "BAD_REQUEST"
	CodeNone       = ""
)

// Fault is an error that clients receive, with a cause that is logged. Make one with [New], [Bad], [Plain] or [Limit].
type Fault struct {
	Kind  Kind           // the HTTP status
	Code  string         // machine-readable; empty: the reply has no code
	Msg   string         // human-readable, shown to the client
	Data  map[string]any // further members of the reply
	Cause error          // for the log only

	args     []any // of Format
	limit    bool
	identity *Fault
}

// New declares a fault.
func New(kind Kind, code, msg string) *Fault {
	return &Fault{Kind: kind, Code: code, Msg: msg}
}

// Bad declares the most common fault: status 400 with the code BAD_REQUEST.
func Bad(msg string) *Fault { return New(Invalid, CodeBadRequest, msg) }

// Plain declares a fault of status 400 without a code.
func Plain(msg string) *Fault { return New(Invalid, CodeNone, msg) }

// Limit declares a fault by which a server limits its load: status 503. The request can be repeated.
func Limit(code, msg string) *Fault {
	f := New(Unavailable, code, msg)
	f.limit = true
	return f
}

// IsLimit reports whether f limits the server's load, and isn't the result of a failure.
func (f *Fault) IsLimit() bool {
	return f.limit && (f.Cause == nil || errors.Is(f.Cause, context.DeadlineExceeded) || errors.Is(f.Cause, context.Canceled))
}

// Error returns the text for the client and the cause, if any.
func (f *Fault) Error() string {
	if f.Cause != nil {
		return f.Msg + ": " + f.Cause.Error()
	}
	return f.Msg
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Cause }

// Is reports whether target is the fault that f was derived from.
func (f *Fault) Is(target error) bool {
	t := (*Fault)(nil)
	if !errors.As(target, &t) {
		return false
	}
	return f.root() == t.root()
}

func (f *Fault) root() *Fault {
	if f.identity != nil {
		return f.identity
	}
	return f
}

func (f *Fault) derive() *Fault {
	d := *f
	d.identity = f.root()
	d.Data = maps.Clone(f.Data)
	return &d
}

// Format returns f with its message formatted with args, as by fmt.Sprintf.
func (f *Fault) Format(args ...any) *Fault {
	d := f.derive()
	d.Msg, d.args = fmt.Sprintf(f.Msg, args...), args
	return d
}

// MarshalText returns the message, which represents a fault in the Data of another fault.
func (f *Fault) MarshalText() ([]byte, error) { return []byte(f.Msg), nil }

// In returns f with its message, and those of the faults in lists in its Data, in another language. translate returns the translation of
// a declared message, with the same verbs, or "" if there is none. Then the message stays as it is.
func (f *Fault) In(translate func(declared string) string) *Fault {
	d := f.derive()
	if form := translate(f.root().Msg); form != "" {
		d.Msg = form
		if f.args != nil {
			d.Msg = fmt.Sprintf(form, f.args...)
		}
	}
	for name, member := range d.Data {
		d.Data[name] = inLanguage(member, translate)
	}
	return d
}

// inLanguage returns a member of Data, in which it translates the faults.
func inLanguage(member any, translate func(declared string) string) any {
	switch of := member.(type) {
	case *Fault:
		return of.In(translate)
	case []any:
		list := make([]any, len(of))
		for i, one := range of {
			list[i] = inLanguage(one, translate)
		}
		return list
	default:
		return member
	}
}

// With returns f with one more member in the response.
func (f *Fault) With(key string, value any) *Fault {
	d := f.derive()
	if d.Data == nil {
		d.Data = map[string]any{}
	}
	d.Data[key] = value
	return d
}

// Wrap returns f with a cause, which is only logged.
func (f *Fault) Wrap(cause error) *Fault {
	d := f.derive()
	d.Cause = cause
	return d
}

// Of returns the fault that err wraps, or nil if err is an internal error.
func Of(err error) *Fault {
	f := (*Fault)(nil)
	if errors.As(err, &f) {
		return f
	}
	return nil
}
