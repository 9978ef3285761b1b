package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

// Schema is a JSON schema, or a part of one, as it is in JSON.
type Schema = map[string]any

// readSpec returns the schema of the spec that a CRD's file has.
func readSpec(path string) (Schema, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read a CRD: %w", err)
	}
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema struct {
						Properties struct {
							Spec Schema `json:"spec"`
						} `json:"properties"`
					} `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return nil, fmt.Errorf("decode %s: %w", path, err)
	}
	if len(crd.Spec.Versions) != 1 {
		return nil, fmt.Errorf("%s has %d versions: say here which one the chart makes", path, len(crd.Spec.Versions))
	}
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties.Spec
	if spec == nil {
		return nil, fmt.Errorf("%s has no schema of a spec", path)
	}
	return spec, nil
}

// Assemble puts the schemas of the specs of a ChatServer and an Organization into the frame. What the chart
// fills in by itself isn't required there, and the reference to the server is no value at all.
func Assemble(server, organization Schema) (Schema, error) {
	var whole Schema
	if err := json.Unmarshal(frame, &whole); err != nil {
		return nil, fmt.Errorf("decode frame.json: %w", err)
	}
	server, organization = convert(server), convert(organization)
	delete(server, "required")
	delete(organization, "required")
	// Without a name it's the release's, and without owners the chart says what to do.
	fields, ok := organization["properties"].(Schema)
	if !ok {
		return nil, errors.New("the spec of Organization has no properties")
	}
	delete(fields, "serverRef")
	for name, limit := range map[string]string{"name": "minLength", "owners": "minItems"} {
		value, ok := fields[name].(Schema)
		if !ok {
			return nil, fmt.Errorf("the spec of Organization has no %s", name)
		}
		delete(value, limit)
	}
	for name, spec := range map[string]Schema{"server": server, "organization": organization} {
		if err := insert(whole, spec, "properties", name, "properties", "spec"); err != nil {
			return nil, err
		}
	}
	return whole, nil
}

// insert puts a part into a schema, at a path whose beginning has to be there.
func insert(into, part Schema, path ...string) error {
	last := len(path) - 1
	for _, name := range path[:last] {
		next, ok := into[name].(Schema)
		if !ok {
			return fmt.Errorf("frame.json has no %s", strings.Join(path[:last], "."))
		}
		into = next
	}
	into[path[last]] = part
	return nil
}

// convert makes a JSON schema of one for Kubernetes: what JSON schemas don't have is left out, and objects
// with named properties have no others.
func convert(from Schema) Schema {
	to := Schema{}
	for key, value := range from {
		if strings.HasPrefix(key, "x-kubernetes-") || key == "format" || key == "nullable" {
			continue
		}
		to[key] = convertValue(key, value)
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
	case Schema:
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

func convertEach(named Schema) Schema {
	converted := Schema{}
	for name, schema := range named {
		converted[name] = convertValue("", schema)
	}
	return converted
}
