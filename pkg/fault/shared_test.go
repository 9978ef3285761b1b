package fault_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/fault"
)

func TestShared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		got, root *fault.Fault
		code, msg string
		data      map[string]any
	}{
		{fault.Missing("to"), fault.ErrMissing, "REQUEST_VARIABLE_MISSING", "Missing 'to' argument", map[string]any{"var_name": "to"}},
		{
			fault.BadValue("n", "100%"), fault.ErrBadValue, "REQUEST_VARIABLE_INVALID", "Bad value for 'n': 100%",
			map[string]any{"var_name": "n", "bad_value": "100%"},
		},
		{
			fault.Confusing("topic", "subject"), fault.ErrConfusing, "REQUEST_CONFUSING_VAR",
			"Can't decide between 'topic' and 'subject' arguments",
			map[string]any{"var_name1": "topic", "var_name2": "subject"},
		},
	} {
		if c.got.Kind != fault.Invalid || c.got.Code != c.code || c.got.Msg != c.msg || !errors.Is(c.got, c.root) {
			t.Errorf("%+v, want %s %q", c.got, c.code, c.msg)
		}
		if diff := cmp.Diff(c.data, c.got.Data); diff != "" {
			t.Error(diff)
		}
	}
}
