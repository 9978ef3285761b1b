package stream_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/stream"
)

func TestRetention(t *testing.T) {
	t.Parallel()
	days := func(n int32) *int32 { return &n }
	for raw, want := range map[string]*int32{
		"1": days(1), "30": days(30), "2147483647": days(2147483647), "forever": days(-1), `"forever"`: days(-1),
		"realm_default": nil, `"realm_default"`: nil,
	} {
		got := stream.Retention{Days: days(99)}
		if err := got.ParseParam(raw); err != nil || !cmp.Equal(want, got.Days) {
			t.Errorf("%s is %v, %v", raw, got.Days, err)
		}
	}
	const other = "message_retention_days is not a string or integer"
	for raw, want := range map[string]string{
		"0": "Bad value for 'message_retention_days': 0", "-1": "Bad value for 'message_retention_days': -1",
		`"never"`: "Bad value for 'message_retention_days': never", `"7"`: "Bad value for 'message_retention_days': 7",
		"never": `Argument "message_retention_days" is not valid JSON.`, "": `Argument "message_retention_days" is not valid JSON.`,
		"1.5": other, "2147483648": other, "true": other, "null": other, "[7]": other,
	} {
		got := stream.Retention{}
		if err := got.ParseParam(raw); fault.Of(err) == nil || fault.Of(err).Msg != want || got.Days != nil {
			t.Errorf("%s: %v, %v; want %q", raw, got.Days, err, want)
		}
	}
}
