package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// described returns what the page for readers says about the JSON in a parameter, since it doesn't show the schema of what is in a text:
// its form, and the descriptions of its members.
func described(s *jsonschema.Schema) string {
	said := []string{"JSON: `" + notation(s) + "`"}
	for s.Items != nil {
		s = s.Items
	}
	for _, name := range s.PropertyOrder {
		if about := s.Properties[name].Description; about != "" {
			said = append(said, fmt.Sprintf("- `%s`: %s", name, about))
		}
	}
	return strings.Join(said, "\n")
}

// notation returns a schema as a type, similar to those of TypeScript.
func notation(s *jsonschema.Schema) string {
	switch {
	case len(s.AnyOf) > 0:
		return joined(s.AnyOf, notation)
	case len(s.Enum) > 0:
		return joined(s.Enum, func(value any) string {
			text, _ := json.Marshal(value) // texts and numbers can be encoded
			return string(text)
		})
	case s.Type == "array":
		items := notation(s.Items)
		if strings.Contains(items, " | ") && !strings.HasPrefix(items, "{") {
			items = "(" + items + ")"
		}
		return items + "[]"
	case len(s.Properties) > 0:
		members := make([]string, len(s.PropertyOrder))
		for i, name := range s.PropertyOrder {
			members[i] = name + "?: "
			if slices.Contains(s.Required, name) {
				members[i] = name + ": "
			}
			members[i] += notation(s.Properties[name])
		}
		return "{ " + strings.Join(members, "; ") + " }"
	case s.Type == "object" && s.AdditionalProperties != nil:
		return "{ [name: string]: " + notation(s.AdditionalProperties) + " }"
	case s.Type == "":
		return "any"
	default:
		return s.Type
	}
}

func joined[T any](all []T, text func(T) string) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = text(one)
	}
	return strings.Join(texts, " | ")
}
