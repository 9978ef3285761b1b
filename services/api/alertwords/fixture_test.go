package alertwords_test

import (
	"net/http"

	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

type object = map[string]any

const path = "/users/me/alert_words"

// words returns the words in a response.
func words(a servicetest.Answer) []string {
	got := struct {
		Words []string `json:"alert_words"`
	}{}
	a.OK().Decode(&got)
	return got.Words
}

func list(a servicetest.Account) []string { return words(a.Do(http.MethodGet, path, nil)) }

func add(a servicetest.Account, list ...string) []string {
	return words(a.Do(http.MethodPost, path, params{"alert_words": append([]string{}, list...)}))
}

func remove(a servicetest.Account, list ...string) []string {
	return words(a.Do(http.MethodDelete, path, params{"alert_words": append([]string{}, list...)}))
}

func event(list ...any) object {
	return object{"type": "alert_words", "alert_words": append([]any{}, list...)}
}
