package endpoint

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"chatserver.dev/pkg/fault"
)

// The parameters that this package itself reads.
const (
	clientParam = "client"
	keyParam    = "api_key"
	ownSlots    = 2
)

// schema is a parameter struct, compiled once.
type schema struct {
	fields []field
	slots  map[string]int // index in form.texts by name
	body   *field         // nil: the body is a form
}

type field struct {
	Param
	index      []int
	slot       int // index in the form's texts, -1: none; for the path, that of the parameter in it
	aliasSlot  int // -1 without alias
	compatSlot int // -1 without the tag compat
	optional   bool
	hasDefault bool
	parse      textParser
}

// compile reads the fields and tags of a parameter struct.
func compile(t reflect.Type, hook bool) (*schema, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("parameters are a struct, %v isn't", t)
	}
	s := &schema{slots: map[string]int{}}
	s.slot(clientParam)
	s.slot(keyParam)
	if err := s.collect(t, nil, hook); err != nil {
		return nil, err
	}
	for i := range s.fields {
		if s.fields[i].In == InBody {
			s.body = &s.fields[i]
		}
	}
	return s, nil
}

func (s *schema) slot(name string) int {
	if at, ok := s.slots[name]; ok {
		return at
	}
	s.slots[name] = len(s.slots)
	return len(s.slots) - 1
}

// collect adds the fields of t. Embedded structs are replaced by their fields.
func (s *schema) collect(t reflect.Type, index []int, hook bool) error {
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(slices.Clone(index), i)
		if sf.Anonymous && sf.Type.Kind() == reflect.Struct && sf.Tag == "" {
			if err := s.collect(sf.Type, at, hook); err != nil {
				return err
			}
			continue
		}
		f, err := s.field(sf, at, hook)
		if err != nil {
			return fmt.Errorf("field %s of %v: %w", sf.Name, t, err)
		}
		f.Owner = t
		if f.Name != "" && slices.ContainsFunc(s.fields, func(o field) bool { return o.Name == f.Name || o.Alias == f.Name }) {
			return fmt.Errorf("field %s of %v: there is a %q already", sf.Name, t, f.Name)
		}
		s.fields = append(s.fields, f)
	}
	return nil
}

func (s *schema) field(sf reflect.StructField, index []int, hook bool) (field, error) {
	f := field{index: index, slot: -1, aliasSlot: -1, compatSlot: -1}
	f.Field, f.Type = sf.Name, sf.Type
	if !sf.IsExported() {
		return f, errors.New("it isn't exported")
	}
	if err := knownTags(sf.Tag, "param", "path", "body", "form", "header", "alias", "compat", "default", "enum", "max", "check", "nul", "json"); err != nil {
		return f, err
	}
	if sf.Type.Kind() == reflect.Pointer {
		f.optional, f.Type = true, sf.Type.Elem()
	}
	f.Default, f.hasDefault = sf.Tag.Lookup("default")
	if f.hasDefault && f.optional {
		return f, errors.New("a pointer needs no default")
	}
	f.Required = !f.optional && !f.hasDefault
	rules, err := rulesOf(sf.Tag, f.Type)
	if err != nil {
		return f, err
	}
	f.Enum, f.Max, f.Check = rules.enum, rules.max, rules.check

	if err := s.source(&f, sf.Tag, hook); err != nil {
		return f, err
	}
	if f.Alias = sf.Tag.Get("alias"); f.Alias != "" {
		f.aliasSlot = s.slot(f.Alias)
	}
	if name := sf.Tag.Get("compat"); name != "" {
		f.compatSlot = s.slot(name)
	}
	if f.parse, f.Encoded, err = textParserFor(f.Type, rules, f.In); err != nil {
		return f, err
	}
	if f.hasDefault {
		if err := f.parse(f.Name, f.Default, reflect.New(f.Type).Elem()); err != nil {
			return f, fmt.Errorf("its default: %w", err)
		}
	}
	return f, nil
}

// source sets where a field's parameter comes from, and its name.
func (s *schema) source(f *field, tag reflect.StructTag, hook bool) error {
	param, path, body, header := tag.Get("param"), tag.Get("path"), tag.Get("body"), tag.Get("header")
	if sources := slices.DeleteFunc([]string{param, path, body, header}, func(tag string) bool { return tag == "" }); len(sources) != 1 {
		return errors.New("it needs exactly one of the tags param, path, body, header")
	}
	switch {
	case param != "":
		f.Name, f.In, f.slot = param, InForm, s.slot(param)
	case path != "":
		if !f.Required {
			return errors.New("a segment of the path is always there")
		}
		f.Name, f.In = path, InPath
	case header != "":
		f.Name, f.In = header, InHeader
	default:
		if body != "json" || !hook || !f.Required {
			return errors.New("only webhooks read the body, as JSON, and always")
		}
		f.In, f.Name, f.Encoded = InBody, "payload", true
		if f.Form = tag.Get("form"); f.Form != "" && f.Form != "*" {
			f.slot = s.slot(f.Form)
		}
	}
	return nil
}

// matchPath checks that the route and the struct have the same parameters, and sets the slots of the fields.
func (s *schema) matchPath(path string) error {
	inRoute := []string{}
	for segment := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			inRoute = append(inRoute, strings.TrimSuffix(strings.TrimSuffix(name, "}"), "..."))
		}
	}
	inStruct := 0
	for i := range s.fields {
		f := &s.fields[i]
		if f.In != InPath {
			continue
		}
		inStruct++
		if f.slot = slices.Index(inRoute, f.Name); f.slot < 0 {
			return fmt.Errorf("the route has no parameter %q", f.Name)
		}
	}
	if inStruct != len(inRoute) {
		return fmt.Errorf("the route has the parameters %q, the struct has %d", inRoute, inStruct)
	}
	return nil
}

// digits reports whether a path parameter is a number.
func (s *schema) digits(name string) bool {
	for _, f := range s.fields {
		if f.In == InPath && f.Name == name {
			return f.Type.Kind() != reflect.String
		}
	}
	return false
}

// fill sets the fields of in, a pointer to the struct, from the request's texts.
func (s *schema) fill(in reflect.Value, from *form, segments []string) error {
	dst := in.Elem()
	for i := range s.fields {
		f := &s.fields[i]
		to := dst.FieldByIndex(f.index)
		raw, given, err := f.text(from, segments)
		if given && !f.Required && f.Encoded && isCompound(f.Type) && strings.TrimSpace(raw) == "null" {
			given = false // client libraries send null for omitted arguments
		}
		switch {
		case err != nil:
			return err
		case given:
		case f.hasDefault:
			raw = f.Default
		case f.optional:
			continue
		case f.In == InHeader:
			name := strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
			return errMissingHeader.Format(name).With("header", name)
		default:
			return fault.Missing(f.Name)
		}
		if f.optional {
			to.Set(reflect.New(f.Type))
			to = to.Elem()
		}
		if err := f.parse(f.Name, raw, to); err != nil {
			return err
		}
	}
	if c, ok := in.Interface().(Checker); ok {
		return c.Check()
	}
	return nil
}

// text returns the request's text for the field.
func (f *field) text(from *form, segments []string) (raw string, given bool, err error) {
	switch {
	case f.In == InPath:
		return segments[f.slot], true, nil
	case f.In == InHeader:
		raw = from.header.Get(f.Name)
		return raw, raw != "", nil
	case f.In == InBody && (f.slot < 0 || !from.texts[f.slot].given):
		return string(from.body), true, nil
	}
	at := &from.texts[f.slot]
	if f.aliasSlot >= 0 && from.texts[f.aliasSlot].given {
		if at.given {
			return "", false, fault.Confusing(f.Name, f.Alias)
		}
		at = &from.texts[f.aliasSlot]
	}
	if f.compatSlot >= 0 && from.compat && !at.given {
		at = &from.texts[f.compatSlot]
	}
	if at.broken {
		return "", false, fault.Bad(f.Name + " is not properly percent-encoded")
	}
	return at.raw, at.given, nil
}
