package messages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// Each operator in a request (rest-api.md, section 2.4.2).
func TestNarrows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, cyd, dan := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Cyd", actor.Member), w.Person("Dan", actor.Member)
	hall, yard := w.stream(ann, "hall", nil), w.stream(ann, "yard", params{"invite_only": true})
	bob.Subscribe("hall")
	w.db.Exec("delete from messages")
	pipe := bob.SendStream("hall", "Pipes", "see https://example.com")
	lamp := ann.SendStream("hall", "lamp", "@**Ann** look")
	every := bob.SendStream("hall", "lamp", "@**all** look")
	secret := ann.SendStream("yard", "PIPES", "a picture: https://example.com/a.png and [file](/user_uploads/1/ab/x.txt)")
	pair := sent(bob, toPeople(ids(ann)))
	self := sent(ann, toPeople(ids(ann)))
	trio := sent(cyd, toPeople(ids(ann, bob)))
	four := sent(ann, toPeople(ids(bob, cyd, dan)))
	everything := []int64{pipe, lamp, every, secret, pair, self, trio, four}
	private := []int64{pair, self, trio, four}
	w.db.Exec(`insert into message_flags (org_id, user_id, message_id, flags) values ($1, $2, $3, 2), ($1, $2, $4, 512), ($1, $5, $3, 514)
		on conflict (org_id, user_id, message_id) do update set flags = message_flags.flags | excluded.flags`, w.Org.ID, ann.ID, pipe, trio, bob.ID)
	not := func(operator, operand string) string {
		return fmt.Sprintf(`[{"operator":%q,"operand":%s,"negated":true}]`, operator, operand)
	}
	byID := func(operator string, operand any) string {
		return fmt.Sprintf(`[{"operator":%q,"operand":%v}]`, operator, operand)
	}
	none := []int64{}
	for narrow, want := range map[string][]int64{
		`[]`:                                                 everything,
		`[["stream"," HALL "]]`:                              {pipe, lamp, every},
		byID("stream", yard):                                 {secret},
		not("stream", `"hall"`):                              {secret, pair, self, trio, four},
		`[["streams","public"]]`:                             {pipe, lamp, every},
		not("streams", `"public"`):                           {secret, pair, self, trio, four},
		`[["topic","pipes"]]`:                                {pipe, secret},
		not("topic", `"pipes"`):                              {lamp, every, pair, self, trio, four},
		`[["topic",""]]`:                                     none,
		`[["stream","hall"],["topic","PIPES"]]`:              {pipe},
		`[["sender"," BOB@chat.example"]]`:                   {pipe, every, pair},
		byID("sender", bob.ID):                               {pipe, every, pair},
		not("sender", `"bob@chat.example"`):                  {lamp, secret, self, trio, four},
		`[["sender","notification-bot@chat.example"]]`:       none,
		`[["pm-with","bob@chat.example"]]`:                   {pair},
		`[["pm_with","bob@chat.example"]]`:                   {pair},
		`[["pm-with","ann@chat.example, bob@chat.example"]]`: {pair},
		`[["pm-with","ann@chat.example"]]`:                   {self},
		`[["pm-with","cyd@chat.example,bob@chat.example"]]`:  {trio},
		`[["pm-with","cyd@chat.example"]]`:                   none,
		byID("pm-with", fmt.Sprintf("[%d,%d,%d,%d]", bob.ID, cyd.ID, dan.ID, bob.ID)): {four},
		not("pm-with", `"bob@chat.example"`):                                          {pipe, lamp, every, secret, self, trio, four},
		`[["group-pm-with","bob@chat.example"]]`:                                      {trio, four},
		byID("group-pm-with", dan.ID):                                                 {four},
		not("group-pm-with", `"dan@chat.example"`):                                    {pipe, lamp, every, secret, pair, self, trio},
		`[["is","private"]]`:                                                          private,
		not("is", `"private"`):                                                        {pipe, lamp, every, secret},
		`[["is","starred"]]`:                                                          {pipe},
		not("is", `"starred"`):                                                        {lamp, every, secret, pair, self, trio, four},
		`[["is","mentioned"]]`:                                                        {lamp, every},
		not("is", `"mentioned"`):                                                      {pipe, secret, pair, self, trio, four},
		`[["is","alerted"]]`:                                                          {trio},
		`[["is","unread"]]`:                                                           everything,
		not("is", `"unread"`):                                                         none,
		`[["has","link"]]`:                                                            {pipe, secret},
		`[["has","image"]]`:                                                           {secret},
		`[["has","attachment"]]`:                                                      {secret},
		not("has", `"link"`):                                                          {lamp, every, pair, self, trio, four},
		`[["in","all"]]`:                                                              everything,
		`[["in","home"]]`:                                                             everything,
		`[["near","1"]]`:                                                              everything,
		byID("id", fmt.Sprintf(`"%d"`, pair)):                                         {pair},
		not("id", fmt.Sprintf(`"%d"`, pair)):                                          {pipe, lamp, every, secret, self, trio, four},
		`[["id","99999999999999999999"]]`:                                             none,
		`[["search","look"],["sender","bob@chat.example"]]`:                           {every},
		`[["stream","hall"],["stream","yard"]]`:                                       none,
	} {
		servicetest.Same(t, narrow, want, all(ann, narrow))
	}
	servicetest.Same(t, "dan", []int64{four}, all(dan, `[["is","unread"]]`))
	servicetest.Same(t, "cyd reads no conversation of others", none, all(cyd, byID("pm-with", fmt.Sprintf("[%d]", dan.ID))))

	w.db.Exec("update users set active = false where user_id = $1", bob.ID)
	servicetest.Same(t, "gone", []int64{pair}, all(ann, `[["pm-with","bob@chat.example"]]`))
	w.db.Exec("update users set read_upto = $1 where user_id = $2", secret, ann.ID)
	servicetest.Same(t, "unread", private, all(ann, `[["is","unread"]]`))
	servicetest.Same(t, "read", []int64{pipe, lamp, every, secret}, all(ann, not("is", `"unread"`)))
	w.db.Exec("update streams set deactivated = true where stream_id = $1", hall)
	ann.Do(http.MethodGet, "/messages", with(around("newest", 1, 1), "narrow", `[["stream","hall"]]`)).
		Fails(http.StatusBadRequest, "BAD_NARROW", "Invalid narrow operator: unknown stream hall")
	servicetest.Same(t, "deactivated, by id", []int64{pipe, lamp, every}, all(ann, byID("stream", hall)))
}

// Muted messages aren't in home and are never the first unread message, except in a muted stream that is requested
// explicitly.
func TestNarrowMuted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Account(w.Org, user.Draft{FullName: "Ann", Role: actor.Member})
	loud, quiet := w.stream(ann, "loud", nil), w.stream(ann, "quiet", nil)
	w.db.Exec("delete from messages")
	inTopic := ann.SendStream("loud", "Chatter", "x")
	inStream := ann.SendStream("quiet", "t", "x")
	quietTopic := ann.SendStream("quiet", "chatter", "x")
	events := ann.SendStream("loud", "t", "x")
	w.db.Exec("update subscriptions set muted = true where stream_id = $1", quiet)
	for _, stream := range []int64{loud, quiet} {
		w.db.Exec("insert into muted_topics (org_id, user_id, stream_id, topic) values ($1, $2, $3, 'CHATTER')", w.Org.ID, ann.ID, stream)
	}
	private := sent(ann, toPeople(ids(ann)))
	servicetest.Same(t, "home", []int64{events, private}, all(ann, `[["in","home"]]`))
	servicetest.Same(t, "negation of home counts for nothing", []int64{events, private}, all(ann, `[{"operator":"in","operand":"home","negated":true}]`))
	servicetest.Same(t, "muted stream", []int64{inStream, quietTopic}, all(ann, `[["stream","quiet"]]`))
	first := func(a servicetest.Account, narrow string) int64 {
		return fetch(a, with(around("first_unread", 0, 0), "narrow", narrow)).Anchor
	}
	servicetest.Same(t, "first unread", events, first(ann, `[]`))
	servicetest.Same(t, "in a muted stream", inStream, first(ann, `[["stream","quiet"]]`))
	servicetest.Same(t, "in a muted topic", int64(10_000_000_000_000_000), first(ann, `[["stream","loud"],["topic","chatter"]]`))
	servicetest.Same(t, "private", private, first(ann, `[["is","private"]]`))
	w.db.Exec("insert into unread_again (org_id, user_id, messages) values ($1, $2, int8multirange(int8range($3, $3, '[]')))", w.Org.ID, ann.ID, events)
	w.db.Exec("update users set read_upto = $1", private)
	servicetest.Same(t, "unread again", events, first(ann, `[]`))
	servicetest.Same(t, "unread again", []int64{events}, all(ann, `[["is","unread"]]`))
	w.db.Exec("delete from subscriptions where stream_id = $1", loud)
	servicetest.Same(t, "in history nothing is unread", int64(10_000_000_000_000_000), first(ann, `[["stream","loud"]]`))
	servicetest.Same(t, "but it is there", []int64{inTopic, events}, all(ann, `[["stream","loud"]]`))
}

// What a narrow costs doesn't depend on how often it names the same term or person: PostgreSQL once planned such requests for
// half a minute, and a few of them took all connections.
func TestRepeatedTerms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, cyd := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Cyd", actor.Member)
	w.db.Exec("delete from messages")
	trio := sent(cyd, toPeople(ids(ann, bob)))
	sent(ann, toPeople(ids(bob)))
	spellings := make([]string, 100) // of one address
	for i := range spellings {
		address := []byte("bob@chat.example")
		for bit := range 7 {
			if letter := bit + 4; i>>bit&1 == 1 && address[letter] != '.' { // chat.ex
				address[letter] -= 'a' - 'A'
			}
		}
		spellings[i] = `["group-pm-with","` + string(address) + `"]`
	}
	narrow := "[" + strings.Join(spellings, ",") + "]"
	found := fetch(ann, with(around("newest", 10, 0), "narrow", narrow)).Messages
	if len(found) != 1 || found[0]["id"] != float64(trio) {
		t.Errorf("messages of the group: %v", found)
	}
	if found := matches(ann, narrow, trio); len(found) != 1 {
		t.Errorf("matches of the group: %v", found)
	}
	terms := strings.Repeat(`["is","unread"],["in","home"],{"operator":"streams","operand":"public","negated":true},`, 33) + `["is","private"]`
	if found := fetch(bob, with(around("newest", 10, 0), "narrow", "["+terms+"]")).Messages; len(found) != 2 {
		t.Errorf("unread messages: %v", found)
	}
}
