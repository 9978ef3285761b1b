package users_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// profiles is a server with a custom profile field of each type.
type profiles struct {
	*servicetest.World
	ann, mia, gone, robot servicetest.Account // an administrator, a member, a deactivated account, a bot
	fields                map[string]int64    // by name
}

func newProfiles(t *testing.T) *profiles {
	t.Helper()
	w := &profiles{World: servicetest.New(t), fields: map[string]int64{}}
	w.ann, w.mia, w.gone = w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member), w.Person("Gone", actor.Member)
	w.robot = w.Bot("Robot", actor.GenericBot, w.mia)
	w.gone.Do(http.MethodDelete, "/users/me", nil).OK()
	for kind, name := range []string{1: "Room", 2: "About", 3: "Drink", 4: "Born", 5: "Page", 6: "Friends", 7: "Forum"} {
		data := map[int]string{
			3: `{"t": {"text": "Tea", "order": "1"}}`, 7: `{"subtype": "custom", "url_pattern": "https://forum.example/%(username)s"}`,
		}[kind]
		if kind == 0 {
			continue
		}
		p, made := params{"name": name, "field_type": kind}, struct{ ID int64 }{}
		if data != "" {
			p["field_data"] = data
		}
		w.ann.Do(http.MethodPost, "/realm/profile_fields", p).OK().Decode(&made)
		w.fields[name] = made.ID
	}
	return w
}

func (w *profiles) answer(field string, value any) params {
	return params{"id": w.fields[field], "value": value}
}

// answered returns the event of an answer. rest is the text after the field's id.
func (w *profiles) answered(of servicetest.Account, field, rest string) string {
	return fmt.Sprintf(`{"type":"realm_user","op":"update","person":{"user_id":%d,"custom_profile_field":{"id":%d,%s}}}`, of.ID, w.fields[field], rest)
}

// of returns an account's profile_data, by the names of fields.
func (w *profiles) of(a servicetest.Account) map[string]any {
	w.T.Helper()
	reply, named := struct {
		User struct {
			Answers map[string]any `json:"profile_data"`
		}
	}{}, map[string]any{}
	w.ann.Do(http.MethodGet, at(a), params{"include_custom_profile_fields": true}).OK().Decode(&reply)
	for name, number := range w.fields {
		if value := reply.User.Answers[strconv.FormatInt(number, 10)]; value != nil {
			named[name] = value
		}
	}
	return named
}

func TestSetAnswers(t *testing.T) {
	t.Parallel()
	w := newProfiles(t)
	watch := w.ann.Watch("realm_user")
	set := func(answers ...params) {
		w.mia.Do(http.MethodPatch, "/users/me/profile_data", params{"data": append([]params{}, answers...)}).OK()
	}
	friends := fmt.Sprintf("[%d, %d]", w.mia.ID, w.ann.ID)
	set(
		w.answer("Room", "*B12* @**Ann** #**hall**"), w.answer("About", "one\n\ntwo <b>"), w.answer("Drink", "t"), w.answer("Born", "1999-12-31"),
		w.answer("Page", "https://page.example/?a=b"), w.answer("Friends", []int64{int64(w.mia.ID), int64(w.ann.ID)}), w.answer("Forum", "mia"),
	)
	const room = `"value":"*B12* @**Ann** #**hall**","rendered_value":"<p><em>B12</em> @<strong>Ann</strong> #<strong>hall</strong></p>"`
	if diff := cmp.Diff([]string{
		w.answered(w.mia, "Room", room),
		w.answered(w.mia, "About", `"value":"one\n\ntwo <b>","rendered_value":"<p>one</p>\n<p>two &lt;b&gt;</p>"`),
		w.answered(w.mia, "Drink", `"value":"t"`), w.answered(w.mia, "Born", `"value":"1999-12-31"`), w.answered(w.mia, "Page", `"value":"https://page.example/?a=b"`),
		w.answered(w.mia, "Friends", `"value":"`+friends+`"`), w.answered(w.mia, "Forum", `"value":"mia"`),
	}, watch.Events()); diff != "" {
		t.Error(diff)
	}
	want := map[string]any{
		"Room":    map[string]any{"value": "*B12* @**Ann** #**hall**", "rendered_value": "<p><em>B12</em> @<strong>Ann</strong> #<strong>hall</strong></p>"},
		"About":   map[string]any{"value": "one\n\ntwo <b>", "rendered_value": "<p>one</p>\n<p>two &lt;b&gt;</p>"},
		"Drink":   map[string]any{"value": "t"},
		"Born":    map[string]any{"value": "1999-12-31"},
		"Page":    map[string]any{"value": "https://page.example/?a=b"},
		"Friends": map[string]any{"value": friends},
		"Forum":   map[string]any{"value": "mia"},
	}
	if diff := cmp.Diff(want, w.of(w.mia)); diff != "" {
		t.Error(diff)
	}
	// Unchanged answers have no event, and of several answers the last one counts.
	set(w.answer("Drink", "t"), w.answer("Forum", "x"), w.answer("Room", ""), w.answer("Forum", "mia"))
	set()
	set(w.answer("Friends", []int64{}))
	if diff := cmp.Diff([]string{
		w.answered(w.mia, "Room", `"value":"","rendered_value":""`), w.answered(w.mia, "Friends", `"value":"[]"`),
	}, watch.Events()); diff != "" {
		t.Error(diff)
	}
}

// refusedAnswers returns answers with their errors.
func (w *profiles) refusedAnswers() map[string]params {
	system := storetest.Values[int64](storetest.Connect(w.T, w.DatabaseURL), "select user_id from users where system")[0]
	many := make([]int64, 101)
	return map[string]params{
		"Field id 987654321 not found.":                            {"id": 987654321, "value": "x"},
		"Room is not a string":                                     w.answer("Room", []int64{1}),
		"Room is too long (limit: 50 characters)":                  w.answer("Room", strings.Repeat("ä", 51)),
		"About is too long (limit: 500 characters)":                w.answer("About", strings.Repeat("ä", 501)),
		"Forum is too long (limit: 50 characters)":                 w.answer("Forum", strings.Repeat("ä", 51)),
		"'x' is not a valid choice for 'Drink'.":                   w.answer("Drink", "x"),
		"Born is not a date":                                       w.answer("Born", "1999-02-29"),
		"Page is not a URL":                                        w.answer("Page", "javascript:alert(1)"),
		"User IDs is not a list":                                   w.answer("Friends", "3"),
		"Invalid user ID: 987654321":                               w.answer("Friends", []int64{int64(w.mia.ID), 987654321}),
		fmt.Sprintf("Invalid user ID: %d", system):                 w.answer("Friends", []int64{system}),
		fmt.Sprintf("User with ID %d is deactivated", w.gone.ID):   w.answer("Friends", []int64{int64(w.gone.ID)}),
		fmt.Sprintf("User with ID %d is a bot", w.robot.ID):        w.answer("Friends", []int64{int64(w.robot.ID)}),
		"Too many user IDs: the answer has 101, the limit is 100.": w.answer("Friends", many),
		"Unable to render the answer to About":                     w.answer("About", strings.Repeat("$$x$$ ", 83)),
	}
}

// refuse fails the test unless all invalid answers are refused. call sends the answers.
func (w *profiles) refuse(call func(answers ...params) servicetest.Answer) {
	w.T.Helper()
	watch := w.ann.Watch("realm_user")
	for msg, wrong := range w.refusedAnswers() {
		call(w.answer("Room", "B12"), wrong).Fails(http.StatusBadRequest, "BAD_REQUEST", msg)
	}
	many := make([]params, 101)
	for i := range many {
		many[i] = w.answer("Room", strconv.Itoa(i))
	}
	call(many...).Fails(http.StatusBadRequest, "BAD_REQUEST", "Too many answers: the request has 101, the limit is 100.")
	// 4 MiB, plus 2 KiB for each of the four accounts and the notification bot.
	db := storetest.Connect(w.T, w.DatabaseURL)
	db.Exec("delete from profile_values")
	db.Exec("insert into profile_values (org_id, user_id, field_id, value) values ($1, $2, $3, repeat('x', $4::int))",
		w.Org.ID, w.gone.ID, w.fields["Page"], 4<<20+2048*5-3)
	call(w.answer("Drink", "t"), w.answer("Forum", "mia")).
		Fails(http.StatusBadRequest, "BAD_REQUEST", "The profiles of the organization are too large: there is no room for this answer.")
	if events := watch.Events(); len(events) != 0 {
		w.T.Errorf("events of refused requests: %v", events)
	}
	call(w.answer("Drink", "t")).OK()
	db.Exec("delete from profile_values")
}

func TestSetAnswersRefused(t *testing.T) {
	t.Parallel()
	w := newProfiles(t)
	const path = "/users/me/profile_data"
	w.refuse(func(answers ...params) servicetest.Answer {
		return w.mia.Do(http.MethodPatch, path, params{"data": answers})
	})
	for data, msg := range map[string]string{
		`{}`:                               "data is not a list",
		`[{"id": 1}]`:                      "value key is missing from data[0]",
		`[{"id": 1, "value": null}]`:       `data[0]["value"] is not a string or an integer list`,
		`[{"id": 1, "value": "", "x": 1}]`: "Unexpected arguments: x",
	} {
		w.mia.Do(http.MethodPatch, path, params{"data": data}).Fails(http.StatusBadRequest, "BAD_REQUEST", msg)
	}
	w.robot.Do(http.MethodPatch, path, params{"data": "[]"}).Fails(http.StatusBadRequest, "", "This endpoint does not accept bot requests.")
}
