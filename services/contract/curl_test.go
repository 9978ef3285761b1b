package contract_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/api/openapi"
	"chatserver.dev/services/servicetest"
)

// wrong matches errors about parameters, and not about what they name.
var wrong = regexp.MustCompile(`REQUEST_VARIABLE|is not valid JSON|is not an? |key is missing|"Invalid '?(op|type|flag|property|status)|Missing|Please supply|Nothing to|No new data|Unknown |leading slash|any new values|fill out|must pass`)

// The sample commands of the OpenAPI document can be carried out by a shell, and their parameters are valid.
func TestSampleCommands(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	document, err := openapi3.NewLoader().LoadFromData(openapi.Document())
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			samples, _ := operation.Extensions["x-codeSamples"].([]any)
			for _, sample := range samples {
				fields, _ := sample.(map[string]any)
				source, _ := fields["source"].(string)
				if strings.Contains(source, "-F ") || strings.Contains(source, "@payload.json") {
					continue
				}
				found++
				// An account for each, since some commands end their caller's key, and others name the same things.
				caller := w.Person(fmt.Sprintf("Olga %d", found), actor.Owner)
				answer := carryOut(t, caller, method, path, source)
				if wrong.MatchString(answer) {
					t.Errorf("%s\n%s", source, answer)
				}
			}
		}
	}
	if found < 90 {
		t.Errorf("%d sample commands", found)
	}
}

// carryOut makes the request of a command for curl as the account, and returns the answer.
func carryOut(t *testing.T, caller servicetest.Account, method, path, source string) string {
	t.Helper()
	// The shell divides the command into words.
	command := exec.CommandContext(t.Context(), "sh", "-c", "curl() { printf '%s\\0' \"$@\"; }\n"+source)
	command.Env = []string{"SERVER=https://" + servicetest.Host, "EMAIL=e", "API_KEY=k"}
	out, err := command.Output()
	if err != nil {
		t.Errorf("%s: %v", source, err)
	}
	words, params, address := strings.Split(string(out), "\x00"), url.Values{}, ""
	for i, word := range words {
		if word == "--data-urlencode" {
			name, value, _ := strings.Cut(words[i+1], "=")
			params.Set(name, value)
		} else if strings.HasPrefix(word, "https://") {
			address = word
		}
	}
	if path == "/api/v1/events" && method == http.MethodGet {
		params.Set("dont_block", "true")
	}
	_, address, _ = strings.Cut(address, "/api/v1")
	recorder := httptest.NewRecorder()
	caller.Send(recorder, method, address, params.Encode())
	return recorder.Body.String()
}
