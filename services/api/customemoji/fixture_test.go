package customemoji_test

import (
	"fmt"
	"image/color"
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

type object = map[string]any

// red is the color of emoji in tests.
func red() color.Color { return color.RGBA{R: 200, A: 255} }

// add adds an emoji as an account.
func add(t *testing.T, a servicetest.Account, name string) servicetest.Answer {
	t.Helper()
	return a.PostFile("/realm/emoji/"+name, nil, "emoji.png", servicetest.PNG(t, 100, 50, red()))
}

// list returns the emoji for an account by name. If several have the same name, it returns the active one.
func list(a servicetest.Account) map[string]object {
	reply := struct{ Emoji map[string]object }{}
	a.Do(http.MethodGet, "/realm/emoji", nil).OK().Decode(&reply)
	named := map[string]object{}
	for number, emoji := range reply.Emoji {
		if emoji["id"] != number {
			panic(fmt.Sprintf("%s has the id %v", number, emoji["id"]))
		}
		name, _ := emoji["name"].(string)
		if named[name] == nil || emoji["deactivated"] == false {
			named[name] = emoji
		}
	}
	return named
}

func remove(a servicetest.Account, name string) servicetest.Answer {
	return a.Do(http.MethodDelete, "/realm/emoji/"+name, nil)
}
