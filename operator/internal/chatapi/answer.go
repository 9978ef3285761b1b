package chatapi

import (
	"errors"
	"net/http"

	"chatserver.dev/pkg/adminclient"
)

// Answer is what a failed call means for the one who made it.
type Answer int

// What a failed call means.
const (
	Unreachable  Answer = iota // no answer, or one that doesn't come from a server that works; try again
	NoToken                    // the token or the certificate isn't there yet
	Unauthorized               // the token isn't the server's yet
	Busy                       // the server asks for time
	Missing                    // the organization isn't there
	Conflict                   // another call got in between
	Taken                      // something of the name exists, and belongs to people
	Kept                       // something of the name exists, and belongs to another object
	Refused                    // it can't be as the document says
)

// What the server says when a name is taken.
const (
	codeExists = "ALREADY_EXISTS"
	codeKept   = "ALREADY_KEPT"
)

// AnswerOf says what the error of a call means.
func AnswerOf(err error) Answer {
	if missing := (*SecretError)(nil); errors.As(err, &missing) {
		return NoToken
	}
	answer := (*adminclient.Error)(nil)
	if !errors.As(err, &answer) {
		return Unreachable
	}
	switch answer.Status {
	case http.StatusUnauthorized:
		return Unauthorized
	case http.StatusTooManyRequests:
		return Busy
	case http.StatusNotFound:
		return Missing
	case http.StatusConflict:
		return Conflict
	case http.StatusBadRequest:
		return refusal(answer.Code)
	default:
		return Unreachable
	}
}

func refusal(code string) Answer {
	switch code {
	case codeExists:
		return Taken
	case codeKept:
		return Kept
	default:
		return Refused
	}
}
