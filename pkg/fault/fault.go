// Package fault is the one error type that clients see.
//
// A Fault has two sides: what the client receives (Kind, Code, Msg, Data) and what is logged
// (Cause). It is declared as a package variable next to the rule that it belongs to, or made by a
// function where its text has parameters; either way the value that was declared first is the
// fault's identity, and [errors.Is] finds it again after [Fault.With], [Fault.Wrap] and
// [Fault.Format]. Every error that holds no Fault is an internal error: logged once, at the edge,
// and never shown.
package fault

import (
	"errors"
	"fmt"
	"maps"
)

// Kind says what went wrong in general; it decides the HTTP status.
type Kind int

// The kinds, each with the HTTP status that it is answered with.
const (
	Invalid          Kind = 400 // the request can't be carried out as it is
	Unauthenticated  Kind = 401 // the caller didn't prove who they are
	Forbidden        Kind = 403 // the caller may not act for the one they named
	NotFound         Kind = 404 // no such path
	MethodNotAllowed Kind = 405 // the path has no such method
	TooLarge         Kind = 413 // the request's body is over the limit
	TooMany          Kind = 429 // the caller is over a rate limit
	Internal         Kind = 500 // our own failure
	BadGateway       Kind = 502 // another server failed that this one asked
	Unavailable      Kind = 503 // what the server works with lacks something; the request can be repeated
)

// Codes that more than one package uses. The interface's table of codes is in shared text
// (rest-api.md, section 1.2); an empty code means that the answer has no "code" key.
const (
	CodeBadRequest = "BAD_REQUEST"
	CodeNone       = ""
)

// Fault is an error with a client's face and a log's face. Make one with [New], [Bad] or [Plain].
type Fault struct {
	Kind  Kind           // decides the HTTP status
	Code  string         // machine-readable; empty: the answer has no code
	Msg   string         // human-readable, shown to the client
	Data  map[string]any // further members of the answer
	Cause error          // for the log only

	args     []any // of Format
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

// Error returns the client's text and, where there is one, the cause.
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

// MarshalText returns the message: that is what a fault is among the members of another one.
func (f *Fault) MarshalText() ([]byte, error) { return []byte(f.Msg), nil }

// In returns f with its message in another language, and with those of the faults in lists among its members. Translate returns the
// other language's form of the message that a fault was declared with, with the same verbs, or nothing where it has none: then the
// message stays.
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

// inLanguage returns a member with the faults in it translated.
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

// Wrap returns f with cause, which is logged.
func (f *Fault) Wrap(cause error) *Fault {
	d := f.derive()
	d.Cause = cause
	return d
}

// Of returns the fault that err wraps, or nil if there is none, that is, for an internal error.
func Of(err error) *Fault {
	f := (*Fault)(nil)
	if errors.As(err, &f) {
		return f
	}
	return nil
}
