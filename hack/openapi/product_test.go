package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestProduct generates the documents of the real endpoints from the real sources. Two parsers and the standard's
// schema accept them.
func TestProduct(t *testing.T) {
	t.Parallel()
	for name, forMachines := range map[string]bool{"public": false, "admin": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testProduct(t, forMachines)
		})
	}
}

func testProduct(t *testing.T, forMachines bool) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "openapi.json")
	if err := run("../..", out, forMachines); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.IsOpenAPI31OrLater()); err != nil {
		t.Error(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := standard(t).Validate(value); err != nil {
		t.Errorf("it isn't OpenAPI 3.1: %v", err)
	}
	checkParameters(t, doc)
	if bytes.Contains(text, []byte(`"schema": true`)) {
		t.Error("a schema is true, which generators of clients don't understand")
	}
	broken := bytes.Replace(text, []byte(`"type": "boolean"`), []byte(`"type": "maybe"`), 1)
	if value, err = jsonschema.UnmarshalJSON(bytes.NewReader(broken)); err != nil {
		t.Fatal(err)
	}
	if standard(t).Validate(value) == nil {
		t.Error("a type that doesn't exist is found valid")
	}
}

// checkParameters checks that no parameter or member of a form is a list or an object: generated clients would repeat it for each item.
func checkParameters(t *testing.T, doc *openapi3.T) {
	t.Helper()
	check := func(path, name string, s *openapi3.Schema) {
		if s.Type.Is("array") || s.Type.Is("object") {
			t.Errorf("%s: %s isn't a text of JSON", path, name)
		}
	}
	for path, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, p := range op.Parameters {
				check(path, p.Value.Name, p.Value.Schema.Value)
			}
			if op.RequestBody == nil {
				continue
			}
			for kind, content := range op.RequestBody.Value.Content {
				for name, member := range content.Schema.Value.Properties {
					if kind != jsonType {
						check(path, name, member.Value)
					}
				}
			}
		}
	}
}

// standard is the schema of OpenAPI 3.1 documents that contain schemas of JSON Schema's draft 2020-12.
func standard(t *testing.T) *jsonschema.Schema {
	t.Helper()
	const name = "https://spec.openapis.org/oas/3.1/schema/2026-08-03"
	text, err := os.ReadFile("testdata/openapi-3.1.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	// The standard doesn't define the dialect of the schemas in a document. These have the default, the draft.
	value.(map[string]any)["$defs"].(map[string]any)["schema"] = map[string]any{"$ref": "https://json-schema.org/draft/2020-12/schema"}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, value); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// Every example belongs to a parameter, and matches its schema.
func TestExamples(t *testing.T) {
	t.Parallel()
	g := newGenerator(raw(), Comments{})
	text, err := g.generate(endpoints(), occurring())
	if err != nil {
		t.Fatal(err)
	}
	for key := range g.examples {
		if !g.shown[key] {
			t.Errorf("there is no parameter %q to show an example of", key)
		}
	}
	doc := any(nil)
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if found := fits(t, doc); found < len(g.shown) {
		t.Errorf("only %d examples", found)
	}
}

// fits checks the examples of all schemas in a value, and returns their number.
func fits(t *testing.T, value any) int {
	t.Helper()
	found := 0
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			found += fits(t, item)
		}
	case map[string]any:
		for _, item := range v {
			found += fits(t, item)
		}
		examples, ok := v["examples"].([]any)
		if !ok {
			break
		}
		compiler := jsonschema.NewCompiler()
		compiler.AssertContent()
		if err := compiler.AddResource("schema.json", v); err != nil {
			t.Fatal(err)
		}
		schema, err := compiler.Compile("schema.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, example := range examples {
			if err := schema.Validate(example); err != nil {
				t.Errorf("example %v: %v", example, err)
			}
			found++
		}
	}
	return found
}
