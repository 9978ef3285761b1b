package streams_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func edit(a servicetest.Account, stream int64, p params) servicetest.Answer {
	return a.Do(http.MethodPatch, at("/streams/%d", stream), p)
}

// update is the event of a change.
func update(stream int64, name, property, value string) string {
	return at(`{"type":"stream","op":"update","stream_id":%d,"name":"%s","property":"%s","value":%s}`, stream, name, property, value)
}

// object returns a stream in the form of events and responses, with its first fields and the fields that depend on
// its privacy.
func (w *world) object(stream int64) string {
	w.T.Helper()
	return storetest.Values[string](w.db, `select format('{"stream_id":%s,"name":"%s","description":"%s","rendered_description":"%s",'
		'"invite_only":%s,"is_web_public":false,"stream_post_policy":%s,"history_public_to_subscribers":%s,"first_message_id":%s,'
		'"message_retention_days":%s,"is_announcement_only":%s}', stream_id, name, description, rendered_description, b[1], post_policy, b[2],
		first_message_id, coalesce(retention_days::text, 'null'), b[3]) from streams,
		lateral (select array[invite_only::text, history_public::text, (post_policy = 2)::text]) as t(b) where stream_id = $1`, stream)[0]
}

// to returns the same events for each of the names.
func to(names string, events ...string) map[string][]string {
	all := map[string][]string{}
	for name := range strings.FieldsSeq(names) {
		all[name] = events
	}
	return all
}

func TestEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watches := w.watches("stream")
	const everyone, hall = "Olga Ada Ann Bob Gus Robot", "Olga Ada Ann Bob Robot"

	edit(w.admin, w.hall, params{"description": "\"the *big*\\n one\""}).OK()
	checkEvents(t, watches, to(everyone, `{"type":"stream","op":"update","stream_id":`+at("%d", w.hall)+`,"name":"Hall","property":"description",`+
		`"value":"the *big*  one","rendered_description":"<p>the <em>big</em>  one</p>"}`))
	edit(w.admin, w.ball, params{"description": `""`}).OK()
	checkEvents(t, watches, to(hall, `{"type":"stream","op":"update","stream_id":`+at("%d", w.ball)+`,"name":"Ball","property":"description",`+
		`"value":"","rendered_description":""}`))
	edit(w.admin, w.cave, params{"stream_post_policy": 2}).OK()
	checkEvents(t, watches, to("Olga Ada Ann", update(w.cave, "cave", "stream_post_policy", "2"), update(w.cave, "cave", "is_announcement_only", "true")))
	edit(w.admin, w.cave, params{"stream_post_policy": 3, "is_announcement_only": false}).OK()
	checkEvents(t, watches, to("Olga Ada Ann", update(w.cave, "cave", "stream_post_policy", "1"), update(w.cave, "cave", "is_announcement_only", "false")))
	edit(w.admin, w.ball, params{"is_announcement_only": true}).OK()
	checkEvents(t, watches, to(hall, update(w.ball, "Ball", "stream_post_policy", "2"), update(w.ball, "Ball", "is_announcement_only", "true")))
	for value, want := range map[string]string{"30": "30", `"forever"`: "-1", "forever": "-1", `"realm_default"`: "null"} {
		edit(w.owner, w.ball, params{"message_retention_days": value}).OK()
		checkEvents(t, watches, to(hall, update(w.ball, "Ball", "message_retention_days", want)))
	}
	edit(w.owner, w.cave, params{"message_retention_days": 1, "new_name": `" Grotto "`, "description": `"d"`, "stream_post_policy": 3}).OK()
	checkEvents(t, watches, to("Olga Ada Ann", update(w.cave, "cave", "message_retention_days", "1"),
		strings.Replace(update(w.cave, "cave", "description", `"d"`), `"d"`, `"d","rendered_description":"<p>d</p>"`, 1),
		update(w.cave, "cave", "email_address", w.mailTo(w.cave, "grotto")), update(w.cave, "cave", "name", `"Grotto"`),
		update(w.cave, "cave", "stream_post_policy", "3"), update(w.cave, "cave", "is_announcement_only", "false")))
	servicetest.Same(t, "all at once", strings.NewReplacer("@", at("%d", w.cave), "#", at("%d", w.first(w.cave))).Replace(
		`{"stream_id":@,"name":"Grotto","description":"d","rendered_description":"<p>d</p>","invite_only":true,"is_web_public":false,`+
			`"stream_post_policy":3,"history_public_to_subscribers":false,"first_message_id":#,"message_retention_days":1,"is_announcement_only":false}`),
		w.object(w.cave))
	edit(w.admin, w.hall, nil).OK()
	edit(w.admin, w.hall, params{"history_public_to_subscribers": false}).OK() // has no effect without is_private
	checkEvents(t, watches, map[string][]string{})
}

// first returns a stream's first message.
func (w *world) first(stream int64) int64 {
	w.T.Helper()
	return storetest.Values[int64](w.db, "select first_message_id from streams where stream_id = $1", stream)[0]
}

// mailTo returns the address of a stream as JSON. slug is the stream's name in it.
func (w *world) mailTo(stream int64, slug string) string {
	w.T.Helper()
	token := storetest.Values[string](w.db, "select email_token from streams where stream_id = $1", stream)[0]
	return `"` + slug + "." + token + `.show-sender@in.chat.example"`
}

func TestEditName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watches := w.watches("stream", "message")
	edit(w.admin, w.hall, params{"new_name": `"hALL"`}).OK()
	note := map[string]any{}
	for name, watch := range watches {
		events := watch.Events()
		note[name] = nil
		if len(events) == 0 {
			continue
		}
		servicetest.Same(t, name, []string{update(w.hall, "Hall", "email_address", w.mailTo(w.hall, "hall")), update(w.hall, "Hall", "name", `"hALL"`)}, events[:2])
		for _, e := range events[2:] {
			for _, part := range []string{
				`"sender_full_name":"Notification Bot"`, `"display_recipient":"hALL"`, `"subject":"stream events"`, `"flags":[]`,
				at(`"content":"@_**Ada|%d** renamed stream **Hall** to **hALL**."`, w.admin.ID),
			} {
				if !strings.Contains(e, part) {
					t.Errorf("%s\nlacks %s", e, part)
				}
			}
			note[name] = true
		}
	}
	servicetest.Same(t, "who got the note", map[string]any{"Olga": nil, "Ada": nil, "Ann": true, "Bob": nil, "Gus": true, "Robot": true, "Oona": nil}, note)

	// Senders are notified, and the old name is free.
	message := w.ann.SendStream("Hall", "t", "c")
	servicetest.Same(t, "the stream of the next message", []int64{w.hall}, storetest.Values[int64](w.db, "select stream_id from messages where message_id = $1", message))
	edit(w.admin, w.hall, params{"new_name": `Lounge`}).OK()
	w.ann.Do(http.MethodPost, "/messages", params{"type": "stream", "to": "Hall", "topic": "t", "content": "c"}).
		Fails(400, "STREAM_DOES_NOT_EXIST", "Stream 'Hall' does not exist")
	w.bob.NewStream("hall", nil)
}

func TestEditPrivacy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watches := w.watches("stream")
	invite := func(name, private, history string) string {
		return at(`{"type":"stream","op":"update","stream_id":%d,"name":"%s","property":"invite_only","value":%s,"history_public_to_subscribers":%s}`,
			w.hall, name, private, history)
	}
	list := func(op, object string) string {
		return `{"type":"stream","op":"` + op + `","streams":[` + object + `]}`
	}
	version := func() int64 {
		return storetest.Values[int64](w.db, "select version from streams where stream_id = $1", w.hall)[0]
	}
	public, before := w.object(w.hall), version()

	edit(w.admin, w.hall, params{"is_private": true, "description": `"secret"`}).OK()
	want := to("Olga Ada Ann Gus Robot",
		at(`{"type":"stream","op":"update","stream_id":%d,"name":"Hall","property":"description","value":"secret","rendered_description":"<p>secret</p>"}`, w.hall),
		invite("Hall", "true", "false"))
	want["Bob"] = []string{list("delete", public)}
	checkEvents(t, watches, want)
	if version() <= before {
		t.Error("senders aren't notified of the change")
	}
	w.bob.Do(http.MethodPost, "/messages", params{"type": "stream", "to": "Hall", "topic": "t", "content": "c"}).
		Fails(400, bad, "Not authorized to send to stream 'Hall'")
	edit(w.admin, w.hall, params{"description": `"x"`}).OK()
	for _, watch := range watches {
		watch.Events()
	}
	edit(w.admin, w.hall, params{"is_private": true}).Fails(400, bad, "Invalid stream id") // Ada isn't subscribed
	edit(w.admin, w.hall, params{"is_private": false}).Fails(400, bad, "Invalid stream id")
	w.ann.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": `[{"name":"Hall"}]`, "principals": []int64{int64(w.admin.ID)}}).OK()

	edit(w.admin, w.hall, params{"is_private": true, "history_public_to_subscribers": true}).OK()
	checkEvents(t, watches, to("Olga Ada Ann Gus Robot", invite("Hall", "true", "true")))
	edit(w.admin, w.hall, params{"is_private": true}).OK()
	checkEvents(t, watches, to("Olga Ada Ann Gus Robot", invite("Hall", "true", "false")))
	edit(w.admin, w.hall, params{"is_private": false, "history_public_to_subscribers": false, "new_name": `"Foyer"`}).OK()
	want = to("Olga Ada Ann Gus Robot", update(w.hall, "Hall", "email_address", w.mailTo(w.hall, "foyer")), update(w.hall, "Hall", "name", `"Foyer"`), invite("Hall", "false", "true"))
	want["Bob"] = []string{list("create", w.object(w.hall))}
	checkEvents(t, watches, want)
	w.bob.SendStream("Foyer", "t", "c")
}

func TestEditRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone := w.ann.NewStream("gone", nil)
	w.admin.Do(http.MethodDelete, at("/streams/%d", gone), nil).OK()
	theirs := w.stranger
	theirs.Subscribe("theirs")
	foreign := w.foreign("theirs")
	watches := w.watches("stream", "message")
	const principal = "UNAUTHORIZED_PRINCIPAL"
	long := strings.Repeat("ä", 61)
	also := func(name string, value any) params {
		return params{"description": `"changed"`, "stream_post_policy": 2, name: value}
	}
	for _, test := range []struct {
		who       servicetest.Account
		stream    int64
		p         params
		code, msg string
	}{
		{w.ann, w.hall, also("is_private", true), principal, "Must be an organization administrator"},
		{w.gus, w.hall, also("is_private", true), principal, "Must be an organization administrator"},
		{w.robot, w.hall, also("is_private", true), principal, "Must be an organization administrator"},
		{w.admin, 99999, also("is_private", true), bad, "Invalid stream id"},
		{w.admin, gone, also("is_private", true), bad, "Invalid stream id"},
		{w.admin, foreign, also("is_private", true), bad, "Invalid stream id"},
		{w.stranger, w.hall, also("is_private", true), bad, "Invalid stream id"},
		{w.admin, w.cave, also("is_private", false), bad, "Invalid stream id"},
		{w.admin, w.hall, also("message_retention_days", 7), principal, "Must be an organization owner"},
		{w.admin, w.hall, also("message_retention_days", `"realm_default"`), principal, "Must be an organization owner"},
		{w.owner, w.hall, also("message_retention_days", 0), "REQUEST_VARIABLE_INVALID", "Bad value for 'message_retention_days': 0"},
		{w.owner, w.hall, also("message_retention_days", `"never"`), "REQUEST_VARIABLE_INVALID", "Bad value for 'message_retention_days': never"},
		{w.owner, w.hall, also("message_retention_days", true), bad, "message_retention_days is not a string or integer"},
		{w.admin, w.hall, also("new_name", `"Hall"`), "", "Stream already has that name!"},
		{w.admin, w.hall, also("new_name", `" Hall "`), "", "Stream already has that name!"},
		{w.admin, w.hall, also("new_name", `" bALL"`), bad, "Stream name 'bALL' is already taken."},
		{w.admin, w.hall, also("new_name", `"Cave"`), bad, "Stream name 'Cave' is already taken."},
		{w.admin, w.hall, also("new_name", `" "`), bad, "Invalid stream name ''"},
		{w.admin, w.hall, also("new_name", `"\u200b\u3164"`), bad, "Invalid stream name '\u200b\u3164'"},
		{w.admin, w.hall, also("new_name", `"`+long+`"`), bad, "Stream name too long (limit: 60 characters)."},
		{w.admin, w.hall, also("new_name", `"a\u0000"`), bad, "Stream name 'a\x00' contains NULL (0x00) characters."},
		{w.admin, w.hall, also("new_name", "Cave"), bad, "Stream name 'Cave' is already taken."},
		{w.admin, w.hall, also("new_name", `"Foyer`), bad, `Argument "new_name" is not valid JSON.`},
		{w.admin, w.hall, params{"description": `"` + strings.Repeat("x", 1025) + `"`, "new_name": `"Foyer"`}, bad, "description is too long (limit: 1024 characters)"},
		{w.admin, w.hall, params{"description": `null`, "new_name": `"Foyer"`}, bad, "description is not a string"},
		{w.admin, w.hall, also("is_private", 1), bad, "is_private is not a boolean"},
		{w.admin, w.hall, params{"stream_post_policy": 4, "new_name": `"Foyer"`}, bad, "Invalid stream_post_policy"},
	} {
		stream := w.hall
		if test.stream != 99999 {
			stream = test.stream
		}
		before := w.row(stream)
		edit(test.who, test.stream, test.p).Fails(400, test.code, test.msg)
		servicetest.Same(t, test.msg+": the stream", before, w.row(stream))
	}
	checkEvents(t, watches, map[string][]string{})
	edit(w.admin, w.hall, params{"new_name": `"gone"`}).OK() // the name of a deactivated stream is free
}

// foreign returns the id of a stream of the other organization.
func (w *world) foreign(name string) int64 {
	w.T.Helper()
	return storetest.Values[int64](w.db, "select stream_id from streams where org_id = $1 and name = $2", w.stranger.Org.ID, name)[0]
}
