package main

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"chatserver.dev/pkg/endpoint"
)

// asJSON reports whether a parameter's text is JSON that differs from the bare text.
func (g *generator) asJSON(p endpoint.Param) bool {
	if known := g.known[p.Type.String()]; known != nil && (known.Type == "array" || known.Type == "object") {
		return true
	}
	switch p.Type.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64:
		return false
	default:
		return p.Encoded
	}
}

// param returns the schema of a parameter's value. Lists and objects are texts of JSON: most generators of clients know no other way to
// send JSON in a form or an address, and would repeat the parameter for each item.
func (g *generator) param(e endpoint.Endpoint, p endpoint.Param) *jsonschema.Schema {
	s := g.value(p.Type)
	limits{enum: p.Enum, max: p.Max, check: p.Check}.apply(s, p.Type)
	shown := g.example(e, p.Name)
	description := g.comments.Field(p.Owner, p.Field, p.Name)
	if p.Default != "" {
		s.Default = g.defaultOf(p, s)
	}
	if g.asJSON(p) {
		if s.Type == "string" {
			description = strings.TrimSpace(description + " Sent as JSON, with its quotes.")
		} else {
			description = strings.TrimSpace(description + "\n\n" + described(s))
		}
		s = &jsonschema.Schema{Type: "string", Format: textFormat, ContentMediaType: jsonType, ContentSchema: s}
		if shown != nil {
			shown = asText(string(shown))
		}
	}
	if shown != nil {
		s.Examples = []any{shown}
	}
	s.Description = description
	return s
}

// textFormat is the format of texts that are JSON. oapi-codegen takes a text that has a media type and no format for a file.
const textFormat = "json-text"

func (g *generator) defaultOf(p endpoint.Param, s *jsonschema.Schema) json.RawMessage {
	if s.Type != "string" || g.asJSON(p) {
		return json.RawMessage(p.Default)
	}
	return asText(p.Default)
}

// asText returns a text as JSON.
func asText(text string) json.RawMessage {
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return quoted
}

// value returns the schema of a parameter's type as JSON.
func (g *generator) value(t reflect.Type) *jsonschema.Schema {
	if known := g.known[t.String()]; known != nil && t.Kind() != reflect.Interface {
		of := *known
		return &of
	}
	if first, second, ok := endpoint.Alternatives(t); ok {
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{g.value(first), g.value(second)}}
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[endpoint.Parser]()) || t == reflect.TypeFor[json.RawMessage]() {
		return &jsonschema.Schema{}
	}
	if t == reflect.TypeFor[endpoint.NNInt]() {
		return &jsonschema.Schema{Type: "integer", Minimum: new(0.0), Maximum: new(float64(1<<32 - 1))}
	}
	switch t.Kind() {
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Float32, reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: g.value(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: g.value(t.Elem())}
	case reflect.Struct:
		return g.object(t)
	default:
		return &jsonschema.Schema{}
	}
}

func (g *generator) object(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for i := range t.NumField() {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		_, needed := f.Tag.Lookup("absent")
		typ, optional := f.Type, false
		if typ.Kind() == reflect.Pointer {
			typ, optional = typ.Elem(), true
		}
		if needed || !optional {
			s.Required = append(s.Required, key)
		}
		member := g.value(typ)
		limitsOf(f.Tag).apply(member, typ)
		if needed {
			if member.AnyOf == nil {
				member = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{member}}
			}
			member.AnyOf = append(member.AnyOf, &jsonschema.Schema{Type: "null"})
		}
		member.Description = g.comments.Field(t, f.Name, key)
		s.Properties[key] = member
		s.PropertyOrder = append(s.PropertyOrder, key)
	}
	return s
}

// limits are the constraints of a value in its field's tags.
type limits struct {
	enum  []string
	max   int // characters
	check string
}

// limitsOf reads tags that package endpoint has checked.
func limitsOf(tag reflect.StructTag) limits {
	l := limits{check: tag.Get("check")}
	if enum, ok := tag.Lookup("enum"); ok {
		l.enum = strings.Split(enum, ",")
	}
	n, _, _ := strings.Cut(tag.Get("max"), " ")
	l.max, _ = strconv.Atoi(n)
	return l
}

func (l limits) apply(s *jsonschema.Schema, t reflect.Type) {
	for _, text := range l.enum {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && t.Kind() != reflect.String {
			s.Enum = append(s.Enum, n)
		} else {
			s.Enum = append(s.Enum, text)
		}
	}
	if l.max > 0 {
		s.MaxLength = &l.max
	}
	if l.check == "color" {
		s.Pattern = `^#[a-fA-F0-9]{3,6}$`
	}
}
