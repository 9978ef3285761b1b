package main

import (
	"fmt"
	"reflect"
	"regexp"

	"github.com/google/jsonschema-go/jsonschema"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/services/admin"
)

// adminParameters returns the descriptions of path parameters, by name.
func adminParameters() map[string]string {
	return map[string]string{
		"organization": "Key of the organization, as the caller chose it.",
		"key":          "Key that the caller chooses, 1 to 200 characters; it never changes.",
		"email":        "E-mail address of the account.",
	}
}

// wildcard matches a path parameter.
var wildcard = regexp.MustCompile(`\{(\w+)\}`)

// GenerateAdmin returns the OpenAPI 3.1 document of the admin interface as indented JSON.
func GenerateAdmin(operations []admin.Operation, comments Comments) ([]byte, error) {
	g := newGenerator(nil, comments)
	failure, err := g.document(reflect.TypeFor[adminapi.Failure]())
	if err != nil {
		return nil, err
	}
	failure.AdditionalProperties = nil
	failure.Required = []string{"result", "msg"}
	at := server{URL: admin.Prefix, Description: "The admin listener, which users can't reach."}
	doc := newDocument("chatserver admin", comments.Text("chatserver.dev/pkg/adminapi"), at, components{
		Schemas:         map[string]*jsonschema.Schema{"Error": failure},
		SecuritySchemes: map[string]securityScheme{"token": {Type: "http", Scheme: "bearer", Description: "The admin token."}},
		Responses: map[string]response{"Failure": {
			Description: "The call failed. Nothing has changed unless the message says otherwise.",
			Content:     map[string]media{"application/json": {Schema: &jsonschema.Schema{Ref: "#/components/schemas/Error"}}},
		}},
	})
	for _, o := range operations {
		op, err := g.adminOperation(o)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.Method, o.Path, err)
		}
		doc.add(o.Method, o.Path, op)
	}
	return doc.encode()
}

func (g *generator) adminOperation(o admin.Operation) (operation, error) {
	op := operation{
		OperationID: o.ID, Summary: o.Summary, Security: []map[string][]string{{"token": {}}},
		Responses: map[string]response{"default": {Ref: "#/components/responses/Failure"}}, Samples: []codeSample{},
	}
	for _, match := range wildcard.FindAllStringSubmatch(o.Path, -1) {
		op.Parameters = append(op.Parameters, parameter{
			Name: match[1], In: "path", Required: true, Description: adminParameters()[match[1]], Schema: &jsonschema.Schema{Type: "string"},
		})
	}
	reply, err := g.reply(o.Reply)
	if err != nil {
		return op, err
	}
	op.Responses["200"] = response{Description: "Success.", Content: map[string]media{"application/json": {Schema: reply}}}
	if o.Body == nil {
		return op, nil
	}
	body, err := g.document(o.Body)
	if err != nil {
		return op, err
	}
	op.RequestBody = &requestBody{Content: map[string]media{"application/json": {Schema: body}}}
	return op, nil
}

// document returns the schema of a document, without an envelope.
func (g *generator) document(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{IgnoreInvalidTypes: true})
	if err != nil {
		return nil, err
	}
	return s, g.describe(s, t)
}
