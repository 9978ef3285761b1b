package messages_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func matches(a servicetest.Account, narrow string, messages ...int64) map[string]map[string]string {
	got := struct{ Messages map[string]map[string]string }{}
	a.Do(http.MethodGet, "/messages/matches_narrow", params{"msg_ids": append([]int64{}, messages...), "narrow": narrow}).OK().Decode(&got)
	return got.Messages
}

func TestMatchesNarrow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	w.stream(ann, "hall", nil)
	wet := ann.SendStream("hall", "a <b>", "a *wet* valve")
	dry := ann.SendStream("hall", "c", "a dry valve")
	one, two := strconv.FormatInt(wet, 10), strconv.FormatInt(dry, 10)
	entry := func(content, subject string) map[string]string {
		return map[string]string{"match_content": content, "match_subject": subject}
	}
	plainWet, plainDry := entry("<p>a <em>wet</em> valve</p>", "a &lt;b&gt;"), entry("<p>a dry valve</p>", "c")
	type entries = map[string]map[string]string
	const hit = `<span class="highlight">`
	for narrow, want := range map[string]entries{
		`[]`:                                   {one: plainWet, two: plainDry},
		`[["topic","C"]]`:                      {two: plainDry},
		`[["stream","hall"]]`:                  {one: plainWet, two: plainDry},
		`[["search","wet"]]`:                   {one: entry("<p>a <em>"+hit+"wet</span></em> valve</p>", "a &lt;b&gt;")},
		`[["is","private"]]`:                   {},
		`[["id","` + two + `"]]`:               {two: plainDry},
		`[["streams","public"]]`:               {one: plainWet, two: plainDry},
		`[["search","unheard"]]`:               {},
		`[["sender","` + bob.RealEmail + `"]]`: {},
		`[{"operator":"search","operand":"wet","negated":true}]`: {two: plainDry},
		`[["search","valve"],{"operator":"search","operand":"dry","negated":true}]`: {
			one: entry("<p>a <em>wet</em> "+hit+"valve</span></p>", "a &lt;b&gt;"),
		},
	} {
		servicetest.Same(t, narrow, want, matches(ann, narrow, wet, dry, 987654321, -1, 0, wet))
	}
	servicetest.Same(t, "none asked", entries{}, matches(ann, `[]`))
	servicetest.Same(t, "public history", entries{}, matches(bob, `[["stream","hall"]]`, wet, dry))
	other := w.Account(w.NewOrg("rival"), user.Draft{FullName: "Eve", Role: actor.Owner})
	servicetest.Same(t, "another organization", entries{}, matches(other, `[]`, wet, dry))
}

func TestMatchesNarrowFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	full := params{"msg_ids": "[1]", "narrow": "[]"}
	for _, c := range []struct {
		params    params
		code, msg string
	}{
		{with(full, "msg_ids", nil), "REQUEST_VARIABLE_MISSING", "Missing 'msg_ids' argument"},
		{with(full, "narrow", nil), "REQUEST_VARIABLE_MISSING", "Missing 'narrow' argument"},
		{with(full, "msg_ids", "1"), "BAD_REQUEST", "msg_ids is not a list"},
		{with(full, "msg_ids", `["x"]`), "BAD_REQUEST", "msg_ids[0] is not an integer"},
		{with(full, "msg_ids", "["+strings.Repeat("1,", 5000)+"1]"), "", "Too many messages requested (maximum 5000)."},
		{with(full, "narrow", "{}"), "REQUEST_VARIABLE_INVALID", "Bad value for 'narrow': {}"},
		{with(full, "narrow", "["+strings.Repeat(`["is","unread"],`, 100)+`["is","unread"]]`), "BAD_REQUEST", "narrow is too long (limit: 100 terms)"},
		{with(full, "narrow", `[["stream","attic"]]`), "BAD_NARROW", "Invalid narrow operator: unknown stream attic"},
	} {
		ann.Do(http.MethodGet, "/messages/matches_narrow", c.params).Fails(http.StatusBadRequest, c.code, c.msg)
	}
}
