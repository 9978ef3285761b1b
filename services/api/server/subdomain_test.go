package server_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestSubdomain(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.NewOrg("taken")
	anybody := w.Person("Ann", actor.Guest)
	const taken, characters, dash = "Subdomain unavailable. Please choose a different one.",
		"Subdomain can only have lowercase letters, numbers, and '-'s.", "Subdomain cannot start or end with a '-'."
	for name, want := range map[string]string{
		"free": "available", "a-1": "available", "taken": taken, "ab": "Subdomain needs to have length 3 or greater.",
		"-abc": dash, "abc-": dash, "Taken": characters, "a_b": characters, "%C3%A4%C3%B6%C3%BC": characters,
		strings.Repeat("a", 64): taken, "www": taken, "admin": taken, "autodiscover": taken,
	} {
		got := struct{ Result, Msg string }{}
		anybody.Do(http.MethodGet, "/realm/subdomain/"+name, nil).OK().Decode(&got)
		if got.Result != "success" || got.Msg != want {
			t.Errorf("%s: %+v, want %q", name, got, want)
		}
	}
}
