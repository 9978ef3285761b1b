package scim

import (
	"errors"
	"net/http"
	"testing"

	"chatserver.dev/pkg/store"
)

// A database that doesn't respond is no failure of the call: providers give up on those, but repeat calls after a 503.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	down := store.ErrUnavailable.Wrap(errors.New("the socket is gone"))
	for _, c := range []struct {
		err    error
		status int
		detail string
	}{
		{down, http.StatusServiceUnavailable, store.ErrUnavailable.Msg},
		{errors.New("a bug"), http.StatusInternalServerError, "Internal server error"},
	} {
		if f := failureOf(c.err); f.status != c.status || f.detail != c.detail || !errors.Is(f.cause, c.err) {
			t.Errorf("%v: %+v", c.err, f)
		}
	}
}
