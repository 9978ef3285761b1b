package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"chatserver.dev/pkg/product"
)

// The following types are the parts of an OpenAPI 3.1 document that the interface needs. Maps are encoded in the order
// of their keys, so the output is deterministic.
type document struct {
	OpenAPI    string                          `json:"openapi"`
	Info       info                            `json:"info"`
	Servers    []server                        `json:"servers"`
	Tags       []tag                           `json:"tags"`
	Paths      map[string]map[string]operation `json:"paths"`
	Components components                      `json:"components"`
}

// newDocument returns a document without operations.
func newDocument(title, description string, at server, parts components) document {
	return document{
		OpenAPI: "3.1.0",
		Info: info{
			Title: title, Version: strconv.Itoa(product.FeatureLevel), Description: description,
			License: license{Name: "Apache 2.0", Identifier: "Apache-2.0"},
		},
		Servers: []server{at}, Tags: []tag{}, Paths: map[string]map[string]operation{}, Components: parts,
	}
}

func (d document) add(method, path string, op operation) {
	if d.Paths[path] == nil {
		d.Paths[path] = map[string]operation{}
	}
	d.Paths[path][strings.ToLower(method)] = op
}

// encode returns the document as indented JSON.
func (d document) encode() ([]byte, error) {
	out := &bytes.Buffer{}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		return nil, fmt.Errorf("encode the document: %w", err)
	}
	return out.Bytes(), nil
}

type info struct {
	Title       string  `json:"title"`
	Version     string  `json:"version"`
	Description string  `json:"description"`
	License     license `json:"license"`
}

type license struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
}

type server struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

type tag struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type components struct {
	Schemas         map[string]*jsonschema.Schema `json:"schemas"`
	Responses       map[string]response           `json:"responses"`
	SecuritySchemes map[string]securityScheme     `json:"securitySchemes"`
}

type securityScheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme,omitempty"`
	In          string `json:"in,omitempty"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
}

type operation struct {
	OperationID string                `json:"operationId"`
	Tags        []string              `json:"tags,omitempty"`
	Summary     string                `json:"summary,omitempty"`
	Description string                `json:"description,omitempty"`
	Security    []map[string][]string `json:"security"`
	Parameters  []parameter           `json:"parameters,omitempty"`
	RequestBody *requestBody          `json:"requestBody,omitempty"`
	Responses   map[string]response   `json:"responses"`
	Who         string                `json:"x-callers,omitempty"`
	Samples     []codeSample          `json:"x-codeSamples"`
}

type parameter struct {
	Name        string             `json:"name"`
	In          string             `json:"in"`
	Required    bool               `json:"required,omitempty"`
	Deprecated  bool               `json:"deprecated,omitempty"`
	Description string             `json:"description,omitempty"`
	Schema      *jsonschema.Schema `json:"schema,omitempty"`
}

type requestBody struct {
	Description string           `json:"description,omitempty"`
	Required    bool             `json:"required,omitempty"`
	Content     map[string]media `json:"content"`
}

type media struct {
	Schema   *jsonschema.Schema `json:"schema"`
	Examples map[string]example `json:"examples,omitempty"`
}

type example struct {
	Summary string `json:"summary,omitempty"`
	Value   any    `json:"value"`
}

type response struct {
	Ref         string           `json:"$ref,omitempty"`
	Description string           `json:"description,omitempty"`
	Content     map[string]media `json:"content,omitempty"`
}
