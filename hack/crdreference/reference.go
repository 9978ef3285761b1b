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

// Definition is a kind of resources.
type Definition struct {
	Group, Kind, Plural, Version string
	ShortNames                   []string
	Schema                       Schema
}

// Schema is what the reference has of an OpenAPI schema.
type Schema struct {
	Type        string            `json:"type"`
	Format      string            `json:"format"`
	Description string            `json:"description"`
	Default     json.RawMessage   `json:"default"`
	Enum        []any             `json:"enum"`
	Pattern     string            `json:"pattern"`
	Minimum     *float64          `json:"minimum"`
	Maximum     *float64          `json:"maximum"`
	MinLength   *int64            `json:"minLength"`
	MaxLength   *int64            `json:"maxLength"`
	MinItems    *int64            `json:"minItems"`
	MaxItems    *int64            `json:"maxItems"`
	Required    []string          `json:"required"`
	Properties  map[string]Schema `json:"properties"`
	Items       *Schema           `json:"items"`
	Additional  *Schema           `json:"additionalProperties"`
	Rules       []Rule            `json:"x-kubernetes-validations"`
	IntOrString bool              `json:"x-kubernetes-int-or-string"`
}

// Rule is one that the API server checks.
type Rule struct {
	Message string `json:"message"`
	Rule    string `json:"rule"`
}

// Read takes from a CustomResourceDefinition what the reference needs. It has to have exactly one version.
func Read(text []byte) (Definition, error) {
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
					OpenAPI Schema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}{}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return Definition{}, fmt.Errorf("reading YAML: %w", err)
	}
	if crd.Kind != "CustomResourceDefinition" {
		return Definition{}, fmt.Errorf("a %q is no CustomResourceDefinition", crd.Kind)
	}
	if len(crd.Spec.Versions) != 1 {
		return Definition{}, errors.New("the reference is made for definitions of one version")
	}
	names, version := crd.Spec.Names, crd.Spec.Versions[0]
	return Definition{crd.Spec.Group, names.Kind, names.Plural, version.Name, names.ShortNames, version.Schema.OpenAPI}, nil
}

// Write returns the reference as Markdown: the given kinds, ChatServer first, what is inside of what after it.
func Write(definitions []Definition) []byte {
	order := []string{"ChatServer", "Organization", "Stream", "Bot", "IncomingWebhook"}
	definitions = slices.SortedStableFunc(slices.Values(definitions), func(a, b Definition) int {
		return cmp.Or(cmp.Compare(place(order, a.Kind), place(order, b.Kind)), cmp.Compare(a.Kind, b.Kind))
	})
	w := &bytes.Buffer{}
	fmt.Fprintln(w, "# Reference of the resources")
	fmt.Fprintln(w, "\nWritten by `make generate` from `charts/chatserver-operator/files/crds/`. `kubectl explain chatserver.spec` says the same.")
	fmt.Fprintln(w, "\nA field with *required* has to be there. Of each list and object, the fields follow under its name.")
	fmt.Fprintln(w)
	for _, d := range definitions {
		fmt.Fprintf(w, "- [%s](#%s)\n", d.Kind, strings.ToLower(d.Kind))
	}
	for _, d := range definitions {
		d.write(w)
	}
	return w.Bytes()
}

func place(order []string, kind string) int {
	if at := slices.Index(order, kind); at >= 0 {
		return at
	}
	return len(order)
}

func (d Definition) write(w *bytes.Buffer) {
	fmt.Fprintf(w, "\n## %s\n\n%s\n", d.Kind, prose(d.Schema.Description))
	fmt.Fprintf(w, "\n`apiVersion: %s/%s`, `kubectl get %s`", d.Group, d.Version, d.Plural)
	for _, short := range d.ShortNames {
		fmt.Fprintf(w, ", short `%s`", short)
	}
	fmt.Fprintln(w)
	writeRules(w, d.Schema.Rules)
	for _, part := range []string{"spec", "status"} {
		if schema, ok := d.Schema.Properties[part]; ok {
			fmt.Fprintf(w, "\n### %s %s\n", d.Kind, part)
			writeRules(w, rules(part, schema))
			fmt.Fprintln(w, "\n| field | type | |\n|---|---|---|")
			writeFields(w, "", schema)
		}
	}
}

// rules are those of a schema and of everything in it, with the field that each is about.
func rules(path string, s Schema) []Rule {
	all := []Rule{}
	for _, rule := range s.Rules {
		all = append(all, Rule{Message: "`" + path + "`: " + cmp.Or(rule.Message, "`"+rule.Rule+"`")})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		all = append(all, rules(path+"."+name, s.Properties[name])...)
	}
	if s.Items != nil {
		all = append(all, rules(path+"[]", *s.Items)...)
	}
	return all
}

func writeRules(w *bytes.Buffer, rules []Rule) {
	if len(rules) == 0 {
		return
	}
	fmt.Fprintln(w, "\nRules:")
	fmt.Fprintln(w)
	for _, rule := range rules {
		fmt.Fprintf(w, "- %s\n", prose(cmp.Or(rule.Message, "`"+rule.Rule+"`")))
	}
}

// writeFields has a row for each field, and below it one for each field in it.
func writeFields(w *bytes.Buffer, path string, s Schema) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		field := s.Properties[name]
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", path+name, field.kind(), cell(describe(field, slices.Contains(s.Required, name))))
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

// kind is the type for people.
func (s Schema) kind() string {
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

// describe says what a field means and what it can be.
func describe(s Schema, required bool) string {
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

func limits(s Schema) []string {
	said := []string{}
	say := func(least, most any, hasLeast, hasMost bool, unit string) {
		switch {
		case hasLeast && hasMost:
			said = append(said, fmt.Sprintf("%v to %v%s.", least, most, unit))
		case hasLeast:
			said = append(said, fmt.Sprintf("At least %v%s.", least, unit))
		case hasMost:
			said = append(said, fmt.Sprintf("At most %v%s.", most, unit))
		}
	}
	say(value(s.Minimum), value(s.Maximum), s.Minimum != nil, s.Maximum != nil, "")
	say(value(s.MinLength), value(s.MaxLength), s.MinLength != nil, s.MaxLength != nil, " characters")
	say(value(s.MinItems), value(s.MaxItems), s.MinItems != nil, s.MaxItems != nil, " items")
	return said
}

func value[N int64 | float64](n *N) N {
	if n == nil {
		return 0
	}
	return *n
}

// prose is a comment on one line.
func prose(text string) string { return strings.Join(strings.Fields(text), " ") }

// cell is a text within a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
