package settings_test

import (
	"net/http"
	"testing"

	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

type object = map[string]any

// patch makes a call and returns the response without the envelope.
func patch(t *testing.T, a servicetest.Account, path string, p params) object {
	t.Helper()
	answer := object{}
	a.Do(http.MethodPatch, path, p).OK().Decode(&answer)
	if answer["result"] != "success" || answer["msg"] != "" {
		t.Errorf("envelope: %v", answer)
	}
	delete(answer, "result")
	delete(answer, "msg")
	return answer
}
