package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// assemble puts the schemas of the specs of a ChatServer and an Organization into the frame. Fields that the chart can
// fill in are optional, and serverRef is left out: it isn't a value.
func assemble(server, organization object) (object, error) {
	var whole object
	if err := json.Unmarshal(frame, &whole); err != nil {
		return nil, fmt.Errorf("decode frame.json: %w", err)
	}
	server, organization = convert(server), convert(organization)
	required, ok := server["required"].([]any)
	if !ok {
		return nil, errors.New("the spec of ChatServer requires nothing")
	}
	server["required"] = slices.DeleteFunc(required, func(field any) bool { return field == "version" }) // that of the chart
	delete(organization, "required")
	// The name defaults to the release's. Without owners, the chart fails with an instruction.
	fields, ok := organization["properties"].(object)
	if !ok {
		return nil, errors.New("the spec of Organization has no properties")
	}
	delete(fields, "serverRef")
	for name, limit := range map[string]string{"name": "minLength", "owners": "minItems"} {
		value, ok := fields[name].(object)
		if !ok {
			return nil, fmt.Errorf("the spec of Organization has no %s", name)
		}
		delete(value, limit)
	}
	for name, spec := range map[string]object{"server": server, "organization": organization} {
		if err := insert(whole, spec, "properties", name, "properties", "spec"); err != nil {
			return nil, err
		}
	}
	return whole, nil
}

// insert puts a part into a schema at a path. All names of the path but the last must exist.
func insert(into, part object, path ...string) error {
	last := len(path) - 1
	for _, name := range path[:last] {
		next, ok := into[name].(object)
		if !ok {
			return fmt.Errorf("frame.json has no %s", strings.Join(path[:last], "."))
		}
		into = next
	}
	into[path[last]] = part
	return nil
}

// matching finds the pattern of a rule that a text has to match.
var matching = regexp.MustCompile(`^self\.matches\(r(?:'([^']*)'|"([^"]*)")\)(?: && .*)?$`)

// patternOf returns the pattern that a rule of a schema requires, so that Helm checks it, too; empty: there is none.
func patternOf(from object) string {
	rules, _ := from["x-kubernetes-validations"].([]any)
	for _, rule := range rules {
		fields, _ := rule.(object)
		text, _ := fields["rule"].(string)
		if found := matching.FindStringSubmatch(text); found != nil {
			return found[1] + found[2]
		}
	}
	return ""
}

// convert returns the JSON Schema of a Kubernetes schema: it leaves out the extensions of Kubernetes, except for rules that are
// patterns, and forbids other properties in objects with named properties.
func convert(from object) object {
	to := object{}
	for key, value := range from {
		if strings.HasPrefix(key, "x-kubernetes-") || key == "format" || key == "nullable" {
			continue
		}
		to[key] = convertValue(key, value)
	}
	if pattern := patternOf(from); pattern != "" {
		to["pattern"] = pattern
	}
	_, named := to["properties"]
	_, others := to["additionalProperties"]
	if named && !others && from["x-kubernetes-preserve-unknown-fields"] != true {
		to["additionalProperties"] = false
	}
	if kind, ok := to["type"].(string); ok && from["nullable"] == true {
		to["type"] = []any{kind, "null"}
	}
	return to
}

func convertValue(key string, value any) any {
	switch value := value.(type) {
	case object:
		if key == "properties" {
			return convertEach(value)
		}
		if key == "default" {
			return value
		}
		return convert(value)
	case []any:
		if key != "anyOf" && key != "oneOf" && key != "allOf" {
			return value
		}
		converted := make([]any, len(value))
		for i, item := range value {
			converted[i] = convertValue("", item)
		}
		return converted
	default:
		return value
	}
}

func convertEach(named object) object {
	converted := object{}
	for name, schema := range named {
		converted[name] = convertValue("", schema)
	}
	return converted
}
