package main

import "github.com/google/jsonschema-go/jsonschema"

// known returns the schemas of types, and of fields of structs, that Go's types say too little about.
func known() map[string]*jsonschema.Schema {
	text, integer, boolean, null := typed("string"), typed("integer"), typed("boolean"), typed("null")
	ofIntegers, ofTexts := listOf(integer), listOf(text)
	pair := &jsonschema.Schema{Type: "array", Items: text, MinItems: new(2), MaxItems: new(2)}
	term := &jsonschema.Schema{
		Type: "object", Required: []string{"operator", "operand"}, PropertyOrder: []string{"operator", "operand", "negated"},
		Properties: map[string]*jsonschema.Schema{"operator": text, "operand": anyOf(text, integer, ofIntegers), "negated": boolean},
	}
	client := &jsonschema.Schema{
		Type: "object", Required: []string{"status", "timestamp"}, PropertyOrder: []string{"client", "status", "timestamp", "pushable"},
		Properties: map[string]*jsonschema.Schema{"client": text, "status": text, "timestamp": integer, "pushable": boolean},
	}
	slim := &jsonschema.Schema{
		Type: "object", AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		Properties: map[string]*jsonschema.Schema{"active_timestamp": integer, "idle_timestamp": integer},
	}
	participant := &jsonschema.Schema{
		Type: "object", Required: []string{"id", "email", "full_name", "is_mirror_dummy"},
		PropertyOrder: []string{"id", "email", "full_name", "is_mirror_dummy"},
		Properties:    map[string]*jsonschema.Schema{"id": integer, "email": text, "full_name": text, "is_mirror_dummy": boolean},
	}
	return map[string]*jsonschema.Schema{
		// Parameters.
		"events.capabilities": {Type: "object", AdditionalProperties: boolean},
		"events.eventID":      integer,
		"narrow.Narrow":       listOf(anyOf(pair, term)),
		"stream.Retention":    anyOf(integer, &jsonschema.Schema{Type: "string", Enum: []any{"realm_default", "forever"}}),
		// Answers and events.
		"interface {}":                         anyOf(boolean, integer, text, null),
		"[2]interface {}":                      tuple(2, integer, text),
		"[3]interface {}":                      tuple(3, integer, text),
		"event.Linkifier":                      tuple(3, integer, text),
		"event.MessageFields.DisplayRecipient": anyOf(text, listOf(participant)),
		"event.RealmGroupUpdated.Data":         {Type: "object", AdditionalProperties: anyOf(boolean, integer, text, &jsonschema.Schema{Type: "object", AdditionalProperties: boolean})},
		"presence.Listing":                     {Type: "object", AdditionalProperties: anyOf(slim, &jsonschema.Schema{Type: "object", AdditionalProperties: client})},
		"compat.Accounts":                      anyOf(ofIntegers, ofTexts),
	}
}

func typed(name string) *jsonschema.Schema { return &jsonschema.Schema{Type: name} }

func listOf(items *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: items}
}

func anyOf(schemas ...*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: schemas}
}

// tuple is a list with a number of items, each of one of the schemas.
func tuple(n int, schemas ...*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: anyOf(schemas...), MinItems: &n, MaxItems: &n}
}
