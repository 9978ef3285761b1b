package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// definition is a kind of resources.
type definition struct {
	Group, Kind, Plural, Version string
	ShortNames                   []string
	Schema                       schema
	spec                         object // the complete schema of the spec
}

// schema is the part of an OpenAPI schema that the reference shows.
type schema struct {
	Type        string            `json:"type"`
	Format      string            `json:"format"`
	Description string            `json:"description"`
	Default     json.RawMessage   `json:"default"`
	Enum        []any             `json:"enum"`
	Pattern     string            `json:"pattern"`
	Minimum     json.Number       `json:"minimum"`
	Maximum     json.Number       `json:"maximum"`
	MinLength   json.Number       `json:"minLength"`
	MaxLength   json.Number       `json:"maxLength"`
	MinItems    json.Number       `json:"minItems"`
	MaxItems    json.Number       `json:"maxItems"`
	Required    []string          `json:"required"`
	Properties  map[string]schema `json:"properties"`
	Items       *schema           `json:"items"`
	Additional  *schema           `json:"additionalProperties"`
	Rules       []rule            `json:"x-kubernetes-validations"`
	IntOrString bool              `json:"x-kubernetes-int-or-string"`
}

// rule is a validation rule of the API server.
type rule struct {
	Message string `json:"message"`
	Rule    string `json:"rule"`
}

// read reads a CustomResourceDefinition, which must have exactly one version.
func read(text []byte) (definition, error) {
	crd := struct {
		Kind string `json:"kind"`
		Spec struct {
			Group string `json:"group"`
			Names struct {
				Kind       string   `json:"kind"`
				Plural     string   `json:"plural"`
				ShortNames []string `json:"shortNames"`
			} `json:"names"`
			Versions []struct {
				Name   string `json:"name"`
				Schema struct {
					OpenAPI json.RawMessage `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}{}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return definition{}, fmt.Errorf("read YAML: %w", err)
	}
	if crd.Kind != "CustomResourceDefinition" {
		return definition{}, fmt.Errorf("it is a %q, not a CustomResourceDefinition", crd.Kind)
	}
	if len(crd.Spec.Versions) != 1 {
		return definition{}, fmt.Errorf("it has %d versions, but the reference can describe only one", len(crd.Spec.Versions))
	}
	names, version := crd.Spec.Names, crd.Spec.Versions[0]
	d := definition{Group: crd.Spec.Group, Kind: names.Kind, Plural: names.Plural, Version: version.Name, ShortNames: names.ShortNames}
	whole := struct {
		Properties struct {
			Spec object `json:"spec"`
		} `json:"properties"`
	}{}
	err := errors.Join(json.Unmarshal(version.Schema.OpenAPI, &d.Schema), json.Unmarshal(version.Schema.OpenAPI, &whole))
	d.spec = whole.Properties.Spec
	return d, err
}

// reference returns the reference as Markdown: ChatServer first, then the kinds of objects in it, each after the kind
// that contains it.
func reference(definitions []definition) []byte {
	order := []string{"IncomingWebhook", "Bot", "User", "Stream", "Organization", "ChatServer"} // the last first; others are at -1
	definitions = slices.SortedFunc(slices.Values(definitions), func(a, b definition) int {
		return cmp.Or(cmp.Compare(slices.Index(order, b.Kind), slices.Index(order, a.Kind)), cmp.Compare(a.Kind, b.Kind))
	})
	w := &bytes.Buffer{}
	fmt.Fprintln(w, "# Reference of the resources")
	fmt.Fprintln(w, "\nWritten by `make generate` from `charts/chatserver-operator/files/crds/`. `kubectl explain chatserver.spec` says the same.")
	fmt.Fprintln(w, "\nFields marked *required* must be set. The fields of an object, and of a list's items, follow it.")
	fmt.Fprintln(w)
	for _, d := range definitions {
		fmt.Fprintf(w, "- [%s](#%s)\n", d.Kind, strings.ToLower(d.Kind))
	}
	for _, d := range definitions {
		d.write(w)
	}
	return w.Bytes()
}

func (d definition) write(w *bytes.Buffer) {
	fmt.Fprintf(w, "\n## %s\n\n%s\n", d.Kind, prose(d.Schema.Description))
	fmt.Fprintf(w, "\n`apiVersion: %s/%s`, `kubectl get %s`", d.Group, d.Version, d.Plural)
	for _, short := range d.ShortNames {
		fmt.Fprintf(w, ", short `%s`", short)
	}
	fmt.Fprintln(w)
	writeRules(w, d.Schema.Rules)
	for _, part := range []string{"spec", "status"} {
		if of, ok := d.Schema.Properties[part]; ok {
			fmt.Fprintf(w, "\n### %s %s\n", d.Kind, part)
			writeRules(w, rules(part, of))
			fmt.Fprintln(w, "\n| field | type | |\n|---|---|---|")
			writeFields(w, "", of)
		}
	}
}

// rules returns the rules of a schema and of all fields in it, each with the path of its field.
func rules(path string, s schema) []rule {
	all := []rule{}
	for _, r := range s.Rules {
		all = append(all, rule{Message: "`" + path + "`: " + cmp.Or(r.Message, "`"+r.Rule+"`")})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		all = append(all, rules(path+"."+name, s.Properties[name])...)
	}
	if s.Items != nil {
		all = append(all, rules(path+"[]", *s.Items)...)
	}
	return all
}

func writeRules(w *bytes.Buffer, rules []rule) {
	if len(rules) == 0 {
		return
	}
	fmt.Fprintln(w, "\nRules:")
	fmt.Fprintln(w)
	for _, rule := range rules {
		fmt.Fprintf(w, "- %s\n", prose(cmp.Or(rule.Message, "`"+rule.Rule+"`")))
	}
}

// writeFields writes a row for each field, followed by rows for the fields in it.
func writeFields(w *bytes.Buffer, path string, s schema) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		field := s.Properties[name]
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", path+name, field.kind(), cell(meaning(field, slices.Contains(s.Required, name))))
		switch {
		case field.Items != nil && len(field.Items.Properties) > 0:
			writeFields(w, path+name+"[].", *field.Items)
		case field.Additional != nil && len(field.Additional.Properties) > 0:
			writeFields(w, path+name+".*.", *field.Additional)
		default:
			writeFields(w, path+name+".", field)
		}
	}
}

// kind returns the type for readers.
func (s schema) kind() string {
	switch {
	case s.IntOrString:
		return "quantity"
	case s.Items != nil:
		return "list of " + s.Items.kind()
	case s.Additional != nil && s.Additional.kind() != "any":
		return "map to " + s.Additional.kind()
	case s.Additional != nil:
		return "map"
	case s.Format == "date-time":
		return "time"
	default:
		return cmp.Or(s.Type, "any")
	}
}

// meaning returns the description of a field and its possible values.
func meaning(s schema, required bool) string {
	parts := []string{}
	if required {
		parts = append(parts, "*required*.")
	}
	if s.Description != "" {
		parts = append(parts, prose(s.Description))
	}
	if len(s.Enum) > 0 {
		values := []string{}
		for _, value := range s.Enum {
			values = append(values, fmt.Sprintf("`%v`", value))
		}
		parts = append(parts, "One of "+strings.Join(values, ", ")+".")
	}
	parts = append(parts, limits(s)...)
	if s.Pattern != "" && !s.IntOrString {
		parts = append(parts, "Pattern `"+s.Pattern+"`.")
	}
	if len(s.Default) > 0 && string(s.Default) != "{}" && string(s.Default) != `""` {
		parts = append(parts, "Default `"+strings.Trim(string(s.Default), `"`)+"`.")
	}
	return strings.Join(parts, " ")
}

func limits(s schema) (texts []string) {
	for _, l := range []struct {
		min, max json.Number
		unit     string
	}{{s.Minimum, s.Maximum, ""}, {s.MinLength, s.MaxLength, " characters"}, {s.MinItems, s.MaxItems, " items"}} {
		switch {
		case l.min == "1" && l.max == "" && l.unit != "":
			texts = append(texts, "Not empty.")
		case l.min != "" && l.max != "":
			texts = append(texts, fmt.Sprintf("%s to %s%s.", l.min, l.max, l.unit))
		case l.min != "":
			texts = append(texts, fmt.Sprintf("At least %s%s.", l.min, l.unit))
		case l.max != "":
			texts = append(texts, fmt.Sprintf("At most %s%s.", l.max, l.unit))
		}
	}
	return texts
}

// prose returns a comment as one line.
func prose(text string) string { return strings.Join(strings.Fields(text), " ") }

// cell escapes a text for a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
