package customemoji_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestList(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	gus := w.Person("Gus", actor.Guest)
	if got := gus.Do(http.MethodGet, "/realm/emoji", nil).OK().Body; got != `{"result":"success","msg":"","emoji":{}}`+"\n" {
		t.Errorf("%s", got)
	}
	hook := w.Bot("Hook", actor.IncomingWebhook, gus)
	hook.Do(http.MethodGet, "/realm/emoji", nil).Fails(http.StatusUnauthorized, "UNAUTHORIZED", "This API is not available to incoming webhook bots.")
}
