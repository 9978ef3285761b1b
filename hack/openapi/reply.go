package main

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"chatserver.dev/pkg/event"
)

// reply returns the schema of a reply in its envelope.
func (g *generator) reply(t reflect.Type) (*jsonschema.Schema, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s, err := g.answer(t)
	if err != nil {
		return nil, err
	}
	own := slices.DeleteFunc([]string{"result", "msg"}, func(name string) bool { return s.Properties[name] != nil })
	if s.Properties["msg"] == nil {
		s.Properties["msg"] = &jsonschema.Schema{Type: "string", Const: new(any(""))}
	}
	s.Properties["result"] = &jsonschema.Schema{Type: "string", Const: new(any("success"))}
	s.PropertyOrder = append(own, s.PropertyOrder...)
	s.Required = append(own, s.Required...)
	if t.Kind() != reflect.Struct {
		s.AdditionalProperties = nil
	}
	return s, nil
}

// plain returns the type of a reply's member after encoding.
func plain(t reflect.Type) reflect.Type {
	if encoded, ok := reflect.Zero(t).Interface().(interface{ Type() reflect.Type }); ok {
		return encoded.Type()
	}
	return t
}

// answer returns the schema of a type in answers of the server.
func (g *generator) answer(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := g.schema(t)
	if err != nil {
		return nil, err
	}
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	return s, nil
}

func (g *generator) schema(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{
		IgnoreInvalidTypes: true,
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[event.ISOTime](): {Type: "string", Format: "date-time"},
		},
	})
	if err != nil {
		return nil, err
	}
	return s, g.describe(s, t)
}

// describe adds to a type's schema the comments of its fields, which of them can be absent or null, and whether further
// members are allowed.
func (g *generator) describe(s *jsonschema.Schema, t reflect.Type) error {
	if known := g.known[t.String()]; known != nil && t.Kind() != reflect.Interface {
		*s = *known
		return nil
	}
	if encodes := plain(t); encodes != t {
		known, err := g.schema(encodes)
		if err == nil {
			*s = *known
		}
		return err
	}
	switch t.Kind() {
	case reflect.Pointer:
		if err := g.describe(s, t.Elem()); err != nil {
			return err
		}
		if s.Type != "" {
			s.Type, s.Types = "", []string{"null", s.Type}
		}
	case reflect.Slice, reflect.Array:
		notNull(s) // an empty list isn't written as null
		if s.Items != nil {
			return g.describe(s.Items, t.Elem())
		}
	case reflect.Map:
		if s.AdditionalProperties != nil {
			return g.describe(s.AdditionalProperties, t.Elem())
		}
	case reflect.Struct:
		return g.describeFields(s, t)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		s.Minimum, s.Maximum = nil, nil // how a number is kept is nothing that clients should know
	default: // is described by its type alone
	}
	return nil
}

func (g *generator) describeFields(s *jsonschema.Schema, t reflect.Type) error {
	for _, f := range reflect.VisibleFields(t) {
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		member := s.Properties[key]
		if member == nil {
			continue
		}
		from, optional := owner(t, f.Index)
		if optional {
			s.Required = slices.DeleteFunc(s.Required, func(required string) bool { return required == key })
		}
		if known := cmp.Or(g.known[from.String()+"."+f.Name], g.known[f.Type.String()]); known != nil {
			*member = *known
		} else if err := g.describe(member, f.Type); err != nil {
			return err
		}
		absentOrNull := f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Pointer
		if strings.Contains(options, "omit") && !absentOrNull {
			notNull(member)
		}
		limitsOf(f.Tag).apply(member, f.Type)
		member.Description = g.comments.Field(from, f.Name, key)
	}
	return nil
}

// notNull removes null from the types of a value.
func notNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
}

// owner returns the struct that declares the field at index of t: t or a struct embedded in it. The field is optional
// if the struct is embedded by a pointer.
func owner(t reflect.Type, index []int) (declaring reflect.Type, optional bool) {
	for _, i := range index[:len(index)-1] {
		t = t.Field(i).Type
		if t.Kind() == reflect.Pointer {
			t, optional = t.Elem(), true
		}
	}
	return t, optional
}
