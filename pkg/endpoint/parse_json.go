package endpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"chatserver.dev/pkg/fault"
)

// checker sets dst from the decoded JSON value v, whose numbers are json.Number.
type checker func(at valuePath, v any, dst reflect.Value) error

// jsonParser returns the parser for a parameter, or for the body of a webhook. In bodies, every object is open, since senders
// may add members.
func jsonParser(t reflect.Type, r rules, body bool) (textParser, error) {
	check, err := (&builder{open: body}).checker(t, r)
	if err != nil {
		return nil, err
	}
	return func(name, raw string, dst reflect.Value) error {
		at := valuePath{name: name}
		if err := (rules{}).clean(at, raw); err != nil {
			return err
		}
		v, err := decode(raw)
		switch {
		case err != nil && body:
			return errMalformedJSON
		case err != nil:
			return fault.Bad(`Argument "` + name + `" is not valid JSON.`)
		}
		return check(at, v, dst)
	}, nil
}

func decode(raw string) (v any, err error) {
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

// builder builds checkers for types.
type builder struct {
	open    bool           // every object is open
	parents []reflect.Type // to detect types that contain themselves
}

func (b *builder) checker(t reflect.Type, r rules) (checker, error) {
	if slices.Contains(b.parents, t) {
		return nil, fmt.Errorf("%v holds itself", t)
	}
	b.parents = append(b.parents, t)
	defer func() { b.parents = b.parents[:len(b.parents)-1] }()
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return checkRaw, nil
	case reflect.PointerTo(t).Implements(reflect.TypeFor[Parser]()):
		return r.checkOwn, nil
	case t == reflect.TypeFor[NNInt]():
		return nil, errors.New("an NNInt is a whole parameter, no part of JSON")
	case t.Kind() == reflect.String:
		return r.checkString, nil
	case t.Kind() == reflect.Bool:
		return checkBool, nil
	case isInt(t):
		return r.checkInt, nil
	case t.Kind() == reflect.Float64 || t.Kind() == reflect.Float32:
		return checkFloat, nil
	case t.Kind() == reflect.Slice:
		return b.list(t)
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		return b.dict(t)
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		return checkAny, nil
	case t.Kind() == reflect.Struct:
		if first, second, ok := Alternatives(t); ok {
			return b.either(first, second)
		}
		return b.object(t)
	default:
		return nil, fmt.Errorf("parameters can't hold a %v", t)
	}
}

func (r rules) checkString(at valuePath, v any, dst reflect.Value) error {
	s, ok := v.(string)
	if !ok {
		return fault.Bad(at.String() + " is not a string")
	}
	if err := r.text(at, s, false); err != nil {
		return err
	}
	dst.SetString(s)
	return nil
}

func checkBool(at valuePath, v any, dst reflect.Value) error {
	b, ok := v.(bool)
	if !ok {
		return fault.Bad(at.String() + " is not a boolean")
	}
	dst.SetBool(b)
	return nil
}

func (r rules) checkInt(at valuePath, v any, dst reflect.Value) error {
	number, _ := v.(json.Number)
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil || dst.OverflowInt(n) {
		return fault.Bad(at.String() + " is not an integer")
	}
	if err := r.number(at, n); err != nil {
		return err
	}
	dst.SetInt(n)
	return nil
}

func checkFloat(at valuePath, v any, dst reflect.Value) error {
	number, _ := v.(json.Number)
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil || dst.OverflowFloat(f) {
		return fault.Bad(at.String() + " is not a float")
	}
	dst.SetFloat(f)
	return nil
}

// checkAny accepts every value without U+0000.
func checkAny(at valuePath, v any, dst reflect.Value) error {
	if err := cleanTree(at, v); err != nil {
		return err
	}
	dst.Set(reflect.ValueOf(&v).Elem())
	return nil
}

func checkRaw(at valuePath, v any, dst reflect.Value) error {
	if err := cleanTree(at, v); err != nil {
		return err
	}
	raw, err := json.Marshal(v)
	dst.SetBytes(raw)
	return err // none: it was decoded from JSON
}

func cleanTree(at valuePath, v any) error {
	switch v := v.(type) {
	case string:
		return rules{}.clean(at, v)
	case []any:
		for i, item := range v {
			if err := cleanTree(at.at(i), item); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, item := range v {
			if err := (rules{}).clean(at, key); err != nil {
				return err
			}
			if err := cleanTree(at.member(key), item); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r rules) checkOwn(at valuePath, v any, dst reflect.Value) error {
	if err := cleanTree(at, v); err != nil {
		return err
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %v again: %w", at, err)
	}
	return r.parseOwn(at.String(), string(raw), dst)
}
