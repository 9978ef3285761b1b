package servicetest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"chatserver.dev/services/api/openapi"
)

// contract is what the OpenAPI document says of answers.
type contract struct {
	answers []answer         // of successes
	failure *openapi3.Schema // of every error
}

// answer is the schema of an operation's successes.
type answer struct {
	method string
	path   []string // its segments
	schema *openapi3.Schema
}

// loadContract reads the document, once for all tests of a package.
//
//nolint:gochecknoglobals // a value that doesn't change
var loadContract = sync.OnceValues(func() (*contract, error) {
	document, err := openapi3.NewLoader().LoadFromData(openapi.Document())
	if err != nil {
		return nil, err
	}
	c := &contract{failure: document.Components.Schemas["Error"].Value}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			schema := operation.Responses.Value("200").Value.Content["application/json"].Schema.Value
			c.answers = append(c.answers, answer{method, strings.Split(path, "/"), schema})
		}
	}
	// Names of parameters, in braces, come after all other segments.
	slices.SortFunc(c.answers, func(a, b answer) int { return slices.Compare(a.path, b.path) })
	return c, nil
})

// find gives the schema of a request's success; nil where the document has none. As in the server, a
// segment that is the request's own counts before a parameter.
func (c *contract) find(r *http.Request) *openapi3.Schema {
	sent := strings.Split(r.URL.EscapedPath(), "/")
	for _, a := range c.answers {
		matches := func(have, want string) bool { return have == want || strings.HasPrefix(want, "{") && have != "" }
		if a.method == r.Method && slices.EqualFunc(sent, a.path, matches) {
			return a.schema
		}
	}
	return nil
}

// KeepsContract fails the test if an answer isn't as the OpenAPI document says: a success has the
// endpoint's schema, an error that of all errors. Which errors an endpoint may give is for [Declared].
func KeepsContract(t testing.TB, r *http.Request, answer *httptest.ResponseRecorder) {
	t.Helper()
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	schema := c.find(r)
	switch {
	case answer.Code >= http.StatusBadRequest:
		schema = c.failure
	case answer.Code != http.StatusOK:
		return
	case schema == nil:
		t.Errorf("%s %s isn't in the OpenAPI document", r.Method, r.URL.Path)
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
		t.Errorf("the OpenAPI document doesn't allow the answer of %s %s:\n%v\n%s", r.Method, r.URL.Path, err, answer.Body)
	}
}
