package bots_test

import (
	"image/color"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// refusesPictures checks the errors of invalid pictures in requests.
func refusesPictures(t *testing.T, send func(image string) servicetest.Answer) {
	t.Helper()
	send(strings.Repeat("x", picture.MaxFile+1)).Fails(400, "", "Uploaded file is larger than the allowed limit of 5 MiB")
	send("no image").Fails(400, "BAD_IMAGE", "Could not decode image; did you upload an image file?")
	send("GIF89a\xff\xff\xff\xff\x00\x00\x00").Fails(400, "BAD_IMAGE", "Image size exceeds limit.")
}

// twoFiles returns a body with two files.
func twoFiles(t *testing.T, fields map[string]string, content string) (body, kind string) {
	t.Helper()
	buffer, kind := servicetest.Form(t, fields, "x.png", content)
	text := buffer.String()
	boundary := "--" + strings.TrimPrefix(kind, "multipart/form-data; boundary=")
	end := strings.LastIndex(text, boundary)
	begin := strings.LastIndex(text[:end], boundary)
	return text[:end] + strings.ReplaceAll(text[begin:end], "x.png", "y.png") + text[end:], kind
}

// A bot is created with a picture, which is in the events, or it isn't created.
func TestCreateWithAvatar(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	mia := w.Person("Mia", actor.Member)
	watch := mia.Watch("realm_user", "realm_bot")
	image := servicetest.PNG(t, 10, 10, color.Black)
	fields := map[string]string{"full_name": "Echo", "short_name": "echo"}
	refusesPictures(t, func(image string) servicetest.Answer { return mia.PostFile("/bots", fields, "x.png", image) })
	body, kind := twoFiles(t, fields, image)
	mia.Post("/bots", kind, strings.NewReader(body)).Fails(400, "", "You may only upload one file at a time")
	mia.PostFile("/bots", map[string]string{"full_name": "Echo", "short_name": "echo", "bot_type": "9"}, "x.png", image).Fails(400, "BAD_REQUEST", "Invalid bot type")
	sql := storetest.Connect(t, w.DatabaseURL)
	if events, files := watch.Events(), storetest.Values[int64](sql, "select count(*) from files")[0]; len(events) != 0 || files != 0 {
		t.Errorf("%v, %d files", events, files)
	}

	reply := struct {
		URL string `json:"avatar_url"`
	}{}
	mia.PostFile("/bots", fields, "x.png", image).OK().Decode(&reply)
	if got := w.Nobody().Page(reply.URL, nil); got.Code != http.StatusOK || got.Header().Get("Content-Type") != "image/png" || !strings.HasPrefix(reply.URL, "/user_avatars/") {
		t.Errorf("%s: %d", reply.URL, got.Code)
	}
	events := watch.Events()
	if len(events) != 2 {
		t.Fatalf("events %v", events)
	}
	for i, kind := range []string{"realm_user", "realm_bot"} {
		if !strings.HasPrefix(events[i], `{"type":"`+kind+`","op":"add"`) || !strings.Contains(events[i], `"avatar_url":"`+reply.URL+`"`) {
			t.Errorf("%s isn't in %s", reply.URL, events[i])
		}
	}
}

// A bot's picture and its file are replaced by an account that may change the bot.
func TestChangeAvatar(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	mia, bob := w.Person("Mia", actor.Member), w.Person("Bob", actor.Member)
	bot := made(w, mia, "echo", nil)
	image := servicetest.PNG(t, 10, 10, color.Black)
	send := func(by servicetest.Account, fields map[string]string, image string) servicetest.Answer {
		body, kind := servicetest.Form(t, fields, "x.png", image)
		return by.Body(http.MethodPatch, at(bot), kind, body)
	}
	refusesPictures(t, func(image string) servicetest.Answer { return send(mia, nil, image) })
	body, kind := twoFiles(t, nil, image)
	mia.Body(http.MethodPatch, at(bot), kind, strings.NewReader(body)).Fails(400, "", "You may only upload one file at a time")
	send(bob, nil, image).Fails(400, "BAD_REQUEST", "Insufficient permission")
	send(mia, map[string]string{"bot_owner_id": "987654321"}, image).Fails(400, "", "Failed to change owner, no such user")
	watch := mia.Watch("realm_user", "realm_bot")
	urls := []string{}
	for range 2 {
		reply := struct {
			URL  string `json:"avatar_url"`
			Name string `json:"full_name"`
		}{}
		send(mia, map[string]string{"full_name": "Echo Two"}, image).OK().Decode(&reply)
		if got := w.Nobody().Page(reply.URL, nil); got.Code != http.StatusOK || reply.Name != "Echo Two" {
			t.Errorf("%+v: %d", reply, got.Code)
		}
		urls = append(urls, reply.URL)
	}
	if urls[0] == urls[1] {
		t.Error("it is the same picture")
	}
	if got := w.Nobody().Page(urls[0], nil); got.Code != http.StatusNotFound {
		t.Errorf("the picture before: %d", got.Code)
	}
	kinds := []string{}
	for _, e := range watch.Events() {
		kind, _, _ := strings.Cut(strings.TrimPrefix(e, `{"type":"`), `"`)
		kinds = append(kinds, kind)
	}
	// The name changes once.
	if diff := cmp.Diff([]string{"realm_user", "realm_bot", "realm_bot", "realm_user", "realm_bot", "realm_user"}, kinds); diff != "" {
		t.Errorf("events:\n%s", diff)
	}
	if files := storetest.Values[int64](storetest.Connect(t, w.DatabaseURL), "select count(*) from files")[0]; files != 1 {
		t.Errorf("%d files", files)
	}
}
