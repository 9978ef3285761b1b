package messages_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

func TestMarkStream(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	r := newReading(t)
	mark := func(stream int64) {
		got := r.ann.Do(http.MethodPost, "/mark_stream_as_read", params{"stream_id": stream})
		servicetest.Same(t, "answer", `{"result":"success","msg":""}`, strings.TrimSpace(got.OK().Body))
	}
	mark(r.hall)
	servicetest.Same(t, "unread", []int64{r.secret, r.note}, unread(r.ann))
	mark(r.hall)
	r.flags(r.ann, "remove", "read", r.pump)
	servicetest.Same(t, "unread again", []int64{r.pump, r.secret, r.note}, unread(r.ann))
	mark(r.hall)
	mark(r.closed)
	servicetest.Same(t, "unread in the end", []int64{r.note}, unread(r.ann))
	r.checkEvents(
		t, flagEvent("add", "read", r.valve, r.pump, r.valveToo), flagEvent("add", "read"), flagEvent("remove", "read", r.pump),
		flagEvent("add", "read", r.pump), flagEvent("add", "read", r.secret),
	)
}

func TestMarkStreamRefuses(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	r := newReading(t)
	for _, test := range []struct {
		who       servicetest.Account
		params    params
		code, msg string
	}{
		{r.ann, params{"stream_id": 987654321}, "BAD_REQUEST", "Invalid stream id"},
		{r.bob, params{"stream_id": r.closed}, "BAD_REQUEST", "Invalid stream id"},
		{r.Person("Admin", actor.Administrator), params{"stream_id": r.closed}, "BAD_REQUEST", "Invalid stream id"},
		{r.guest, params{"stream_id": r.hall}, "BAD_REQUEST", "Invalid stream id"},
		{r.ann, nil, "REQUEST_VARIABLE_MISSING", "Missing 'stream_id' argument"},
		{r.ann, params{"stream_id": `"hall"`}, "BAD_REQUEST", "stream_id is not an integer"},
	} {
		r.unchanged(t, func() {
			test.who.Do(http.MethodPost, "/mark_stream_as_read", test.params).Fails(http.StatusBadRequest, test.code, test.msg)
		})
	}
	stranger := r.Person("Stranger", actor.Member)
	stranger.Do(http.MethodPost, "/mark_stream_as_read", params{"stream_id": r.hall}).OK() // may access it, but has received nothing in it
	servicetest.Same(t, "unread", []int64{r.valve, r.pump, r.valveToo, r.secret, r.note}, unread(r.ann))
}
