package customemoji_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestAdd(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, gus := w.Person("Ann", actor.Member), w.Person("Gus", actor.Guest)
	ann.Subscribe("hall")
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "gus": gus.Everything(nil)}
	add(t, ann, "%20party%20parrot%20").OK()
	parrot := list(gus)["party_parrot"]
	number := parrot["id"].(string)
	url := fmt.Sprintf("/user_avatars/%d/emoji/images/%s.png", w.Org.ID, number)
	want := object{"id": number, "name": "party_parrot", "source_url": url, "deactivated": false, "author_id": float64(ann.ID)}
	servicetest.Same(t, "the emoji", want, parrot)
	event := object{"type": "realm_emoji", "op": "update", "realm_emoji": object{number: want}}
	servicetest.Same(t, "events", map[string][]object{"ann": {event}, "gus": {event}}, w.EventsOf(queues))
	state := struct {
		Emoji map[string]object `json:"realm_emoji"`
	}{}
	gus.RegisterInto(nil, &state)
	servicetest.Same(t, "the state", map[string]object{number: want}, state.Emoji)

	// Messages show it instead of the Unicode emoji with its name.
	add(t, ann, "cat").OK()
	rendered := struct{ Rendered string }{}
	ann.Do(http.MethodPost, "/messages/render", servicetest.Params{"content": ":party_parrot: :cat: :dog: :nothing:"}).OK().Decode(&rendered)
	for _, part := range []string{
		`<img alt=":party_parrot:" class="emoji" src="` + url + `" title="party parrot">`, `<img alt=":cat:" class="emoji"`, `emoji-1f415`, `:nothing:`,
	} {
		if !strings.Contains(rendered.Rendered, part) {
			t.Errorf("%s isn't in %s", part, rendered.Rendered)
		}
	}

	// Its address is public.
	answer := w.Nobody().Page(url, nil)
	if answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != "image/png" || answer.Header().Get("X-Content-Type-Options") != "nosniff" ||
		answer.Header().Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
		t.Errorf("%d %v", answer.Code, answer.Header())
	}
	decoded, err := png.Decode(bytes.NewReader(answer.Body.Bytes()))
	if err != nil || decoded.Bounds().Dx() != 64 || decoded.Bounds().Dy() != 64 {
		t.Errorf("%v %v", err, decoded)
	}
}

func TestAddRefused(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, gus, olga := w.Person("Ann", actor.Member), w.Person("Gus", actor.Guest), w.Person("Olga", actor.Owner)
	robot := w.Bot("Robot", actor.GenericBot, ann)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	add(t, gus, "x").Fails(400, "BAD_REQUEST", "Not allowed for guest users")
	add(t, robot, "x").Fails(400, "", "This endpoint does not accept bot requests.")
	add(t, ann, "%20").Fails(400, "BAD_REQUEST", "Emoji name is missing")
	for _, name := range []string{"X", "ä", "a:b", "a-", "a.", "_", "a%2Fb", "a%00", strings.Repeat("x", 101), "%F0%9F%90%B1"} {
		if got := add(t, ann, name); got.Status != 400 || !strings.Contains(got.Body, "BAD_REQUEST") {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	const boundary = "multipart/form-data; boundary=b"
	part := func(name string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"" + name + "\"\r\n\r\nx\r\n"
	}
	for what, body := range map[string]string{"none": "--b--\r\n", "two": part("a") + part("b") + "--b--\r\n"} {
		if got := ann.Post("/realm/emoji/x", boundary, strings.NewReader(body)); !strings.Contains(got.Body, `"You must upload exactly one file."`) || strings.Contains(got.Body, "code") {
			t.Errorf("%s: %s", what, got.Body)
		}
	}
	ann.PostFile("/realm/emoji/x", nil, "x.png", strings.Repeat("x", picture.MaxFile+1)).Fails(400, "", "Uploaded file is larger than the allowed limit of 5 MiB")
	ann.PostFile("/realm/emoji/x", nil, "x.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>").Fails(400, "", "Image file upload failed.")
	add(t, ann, "x").OK()
	add(t, olga, "x").Fails(400, "", "A custom emoji with this name already exists.")
	w.EventsOf(queues)

	only := map[string]json.RawMessage{"add_emoji_by_admins_only": json.RawMessage("true")}
	if err := w.DB.Write(t.Context(), w.Org.ID, func(tx *store.Tx) error {
		_, _, err := w.Orgs.Change(t.Context(), tx, org.Change{Settings: only})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	w.EventsOf(queues)
	add(t, ann, "y").Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	remove(ann, "x").Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	servicetest.Same(t, "events", map[string][]object{}, w.EventsOf(queues))
	add(t, olga, "y").OK()
	remove(olga, "x").OK()

	db := storetest.Connect(t, w.DatabaseURL)
	more := func(author servicetest.Account, age string, count int) {
		db.Exec(`insert into emoji (org_id, name, author_id, path, animated, active, added_at)
			select $1, 'n' || n, $2, (select min(path) from files), n = 0, false, now() - $3::interval from generate_series(1, $4::int) n`, w.Org.ID, author.ID, age, count)
	}
	more(olga, "1 hour", 499)
	add(t, olga, "z").Fails(400, "", "You have added 500 custom emoji in the last 24 hours; wait before you add more.")
	more(ann, "2 days", 1499)
	mia := w.Person("Mia", actor.Administrator)
	add(t, mia, "z").Fails(400, "", "This organization has 2000 custom emoji, including deactivated ones, which is the limit.")
	servicetest.Same(t, "files that are stored and not kept", 0, len(storetest.Values[string](db, "select path from unkept_files where due_at > now()")))
}

// Whoever has lost the right adds no emoji while the server still remembers it.
func TestAddTooLate(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.Remember()
	olga, ann, mia := w.Person("Olga", actor.Owner), w.Person("Ann", actor.Member), w.Person("Mia", actor.Member)
	for _, known := range []servicetest.Account{ann, mia} {
		known.Do(http.MethodGet, "/users/me", nil).OK()
	}
	olga.Do(http.MethodPatch, "/users/"+ann.ID.String(), servicetest.Params{"role": 600}).OK()
	olga.Do(http.MethodDelete, "/users/"+mia.ID.String(), nil).OK()
	add(t, ann, "x").Fails(400, "BAD_REQUEST", "Not allowed for guest users")
	add(t, mia, "x").Fails(401, "UNAUTHORIZED", "Account is deactivated")
}

// Of concurrent calls that add emoji with the same name, one succeeds, and the last event has all emoji. An organization may have four
// images processed at a time.
func TestAddAtOnce(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	wg, answers := sync.WaitGroup{}, [4]servicetest.Answer{}
	for i := range answers {
		wg.Go(func() { answers[i] = add(t, ann, fmt.Sprintf("name%d", i%2)) })
	}
	wg.Wait()
	counted := map[int]int{}
	for _, answer := range answers {
		counted[answer.Status]++
	}
	servicetest.Same(t, "statuses", map[int]int{200: 2, 400: 2}, counted)
	events := w.EventsOf(queues)["ann"]
	if all, _ := events[len(events)-1]["realm_emoji"].(object); len(events) != 2 || len(all) != 2 {
		t.Errorf("%d events, %d emoji in the last", len(events), len(all))
	}
}
