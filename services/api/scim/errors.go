package scim

import (
	"errors"
	"net/http"
	"strconv"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/provision"
)

// failure is an error of the protocol (RFC 7644, section 3.12).
type failure struct {
	status int
	kind   string // scimType; empty: none
	detail string
	cause  error // for the log; nil: the server isn't the cause
}

func (f *failure) Error() string { return f.detail }

func (f *failure) Unwrap() error { return f.cause }

func bad(kind, detail string) *failure {
	return &failure{status: http.StatusBadRequest, kind: kind, detail: detail}
}

// Values of scimType.
const (
	invalidFilter = "invalidFilter"
	invalidPath   = "invalidPath"
	invalidSyntax = "invalidSyntax"
	invalidValue  = "invalidValue"
	mutability    = "mutability"
	noTarget      = "noTarget"
	uniqueness    = "uniqueness"
)

// failureOf returns the response to an error.
func failureOf(err error) *failure {
	own := (*failure)(nil)
	if errors.As(err, &own) {
		return own
	}
	f := fault.Of(err)
	switch {
	case f != nil && f.Kind == fault.Unavailable: // providers repeat the call
		return &failure{status: http.StatusServiceUnavailable, detail: f.Msg, cause: err}
	case f == nil || f.Kind >= fault.Internal:
		return &failure{status: http.StatusInternalServerError, detail: "Internal server error", cause: err}
	case errors.Is(err, provision.ErrTaken), errors.Is(err, provision.ErrGroupTaken):
		return &failure{status: http.StatusConflict, kind: uniqueness, detail: f.Msg}
	case errors.Is(err, provision.ErrFixedEmail), errors.Is(err, account.ErrOnlyOwnerEnd):
		return bad(mutability, f.Msg)
	case f.Kind == fault.Invalid:
		return bad(invalidValue, f.Msg)
	}
	return &failure{status: int(f.Kind), detail: f.Msg}
}

const errorSchema = "urn:ietf:params:scim:api:messages:2.0:Error"

type errorReply struct {
	Schemas []string `json:"schemas"`
	Status  string   `json:"status"`
	Kind    string   `json:"scimType,omitempty"`
	Detail  string   `json:"detail"`
}

func (f *failure) reply() errorReply {
	return errorReply{[]string{errorSchema}, strconv.Itoa(f.status), f.kind, f.detail}
}
