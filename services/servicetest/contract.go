package servicetest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers/legacy/pathpattern"

	"chatserver.dev/services/api/openapi"
)

// contract has the schemas of answers in the OpenAPI document.
type contract struct {
	answers map[string]*pathpattern.Node // the schemas of successes by paths, by method
	failure *openapi3.Schema             // of every error
	events  map[string]*openapi3.Schema
}

// of returns the schema of the answer to a request; nil if there is no such endpoint.
func (c *contract) of(r *http.Request) *openapi3.Schema {
	if paths := c.answers[r.Method]; paths != nil {
		if found, _ := paths.Match(r.URL.EscapedPath()); found != nil {
			schema, _ := found.Value.(*openapi3.Schema)
			return schema
		}
	}
	return nil
}

// loadContract reads the document, once for all tests of a package.
//
//nolint:gochecknoglobals // a value that doesn't change
var loadContract = sync.OnceValues(func() (*contract, error) {
	document, err := openapi3.NewLoader().LoadFromData(openapi.Document())
	if err != nil {
		return nil, err
	}
	c := &contract{map[string]*pathpattern.Node{}, document.Components.Schemas["Error"].Value, map[string]*openapi3.Schema{}}
	for name, schema := range document.Components.Schemas {
		if kind, isEvent := strings.CutPrefix(name, "event."); isEvent {
			c.events[kind] = schema.Value
		}
	}
	// Each event is compared with the schema of its own kind, which causes better errors than a comparison with all of
	// them.
	polled := document.Paths.Value("/api/v1/events").Get.Responses.Value("200").Value.Content["application/json"].Schema.Value
	polled.Properties["events"].Value.Items = openapi3.NewSchemaRef("", openapi3.NewSchema())
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			success := operation.Responses.Value("200")
			if success == nil {
				continue // it redirects
			}
			schema := success.Value.Content["application/json"].Schema.Value
			if c.answers[method] == nil {
				c.answers[method] = &pathpattern.Node{}
			}
			// OpenAPI has no parameter for the rest of a path, such as this one.
			path := strings.Replace(path, "{filename}", "{filename*}", 1)
			if err := c.answers[method].Add(path, schema, nil); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
})

// KeepsContract fails the test if an answer doesn't conform to the OpenAPI document: a success to the endpoint's
// schema, an error to the schema of all errors. [Declared] checks which errors an endpoint may return.
func KeepsContract(t testing.TB, r *http.Request, answer *httptest.ResponseRecorder) {
	t.Helper()
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	schema := c.of(r)
	switch {
	case answer.Code >= http.StatusBadRequest:
		schema = c.failure
	case answer.Code != http.StatusOK:
		return
	case schema == nil:
		t.Errorf("%s %s isn't in the OpenAPI document: make generate/own writes it", r.Method, r.URL.Path)
		return
	}
	if kind := answer.Header().Get("Content-Type"); kind != "application/json" {
		t.Errorf("Content-Type %q of the answer of %s %s", kind, r.Method, r.URL.Path)
	}
	value := any(nil)
	if err := json.Unmarshal(answer.Body.Bytes(), &value); err != nil {
		t.Errorf("answer of %s %s: %v: %s", r.Method, r.URL.Path, err, answer.Body)
		return
	}
	if err := schema.VisitJSON(value, openapi3.MultiErrors(), openapi3.DisableSchemaErrorDetails()); err != nil {
		t.Errorf("the OpenAPI document doesn't allow the answer of %s %s (make generate/own updates it):\n%v\n%.1000s", r.Method, r.URL.Path, err, answer.Body)
	}
	if members, _ := value.(map[string]any); schema == c.failure {
		for name := range members {
			if schema.Properties[name] == nil {
				t.Errorf("the OpenAPI document has no member %s of errors, which %s %s has (hack/openapi/faults.go): %s", name, r.Method, r.URL.Path, answer.Body)
			}
		}
	}
	if strings.HasSuffix(r.URL.Path, "/events") && schema != c.failure {
		c.keepsEvents(t, value)
	}
}

// keepsEvents fails the test if an event doesn't conform to the document, except for events of tests.
func (c *contract) keepsEvents(t testing.TB, answer any) {
	t.Helper()
	members, _ := answer.(map[string]any)
	events, _ := members["events"].([]any)
	for _, e := range events {
		members, _ := e.(map[string]any)
		kind, _ := members["type"].(string)
		if op, _ := members["op"].(string); c.events[kind] == nil && op != "" {
			kind += "." + op
		}
		if kind == (marker{}).Kind().Type {
			continue
		}
		schema := c.events[kind]
		if schema == nil {
			t.Errorf("the OpenAPI document has no event %s (make generate/own writes it): %v", kind, e)
		} else if err := schema.VisitJSON(e, openapi3.MultiErrors(), openapi3.DisableSchemaErrorDetails()); err != nil {
			t.Errorf("the OpenAPI document doesn't allow event %s (make generate/own updates it):\n%v\n%v", kind, err, e)
		}
	}
}
