package admin_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// contract has the schemas of answers in the OpenAPI document, by the pattern of the route; "" is that of failures.
type contract struct {
	routes  *http.ServeMux
	answers map[string]*openapi3.Schema
}

var loadContract = sync.OnceValues(func() (*contract, error) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		return nil, err
	}
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	c := &contract{http.NewServeMux(), map[string]*openapi3.Schema{"": document.Components.Schemas["Error"].Value}}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			pattern := method + " " + document.Servers[0].URL + path
			c.routes.Handle(pattern, http.NotFoundHandler())
			c.answers[pattern] = operation.Responses.Value("200").Value.Content["application/json"].Schema.Value
		}
	}
	return c, nil
})

// keepsContract fails the test if an answer doesn't match the document.
type keepsContract struct{ t *testing.T }

// RoundTrip sends the request and checks the answer.
func (k keepsContract) RoundTrip(r *http.Request) (*http.Response, error) {
	c, err := loadContract()
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(response.Body)
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(text))
	if err != nil {
		return response, err
	}
	_, pattern := c.routes.Handler(r)
	schema := c.answers[pattern]
	if response.StatusCode != http.StatusOK {
		schema = c.answers[""]
	}
	value := any(nil)
	if schema == nil || json.Unmarshal(text, &value) != nil {
		k.t.Errorf("%s %s isn't in the document, or not JSON: %s", r.Method, r.URL.Path, text)
	} else if err := schema.VisitJSON(value, openapi3.MultiErrors()); err != nil {
		k.t.Errorf("the document doesn't allow the answer of %s %s: %v\n%s", r.Method, r.URL.Path, err, text)
	}
	return response, nil
}
