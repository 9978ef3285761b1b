package endpoint

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"chatserver.dev/pkg/fault"
)

func (b *builder) list(t reflect.Type) (checker, error) {
	item, err := b.checker(t.Elem(), rules{})
	if err != nil {
		return nil, err
	}
	return func(at valuePath, v any, dst reflect.Value) error {
		list, ok := v.([]any)
		if !ok {
			return fault.Bad(at.String() + " is not a list")
		}
		out := reflect.MakeSlice(t, len(list), len(list))
		for i, v := range list {
			if err := item(at.at(i), v, out.Index(i)); err != nil {
				return err
			}
		}
		dst.Set(out)
		return nil
	}, nil
}

// dict returns the checker of an open object with values of one type.
func (b *builder) dict(t reflect.Type) (checker, error) {
	value, err := b.checker(t.Elem(), rules{})
	if err != nil {
		return nil, err
	}
	return func(at valuePath, v any, dst reflect.Value) error {
		object, ok := v.(map[string]any)
		if !ok {
			return fault.Bad(at.String() + " is not a dict")
		}
		out := reflect.MakeMapWithSize(t, len(object))
		inside := valuePath{name: at.String() + " contains a value that"}
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if err := (rules{}).clean(at, key); err != nil {
				return err
			}
			to := reflect.New(t.Elem()).Elem()
			if err := value(inside, object[key], to); err != nil {
				return err
			}
			out.SetMapIndex(reflect.ValueOf(key).Convert(t.Key()), to)
		}
		dst.Set(out)
		return nil
	}, nil
}

// either returns the checker of a value of one of two types, which are tried in order.
func (b *builder) either(first, second reflect.Type) (checker, error) {
	one, err := b.checker(first, rules{})
	if err != nil {
		return nil, err
	}
	two, err := b.checker(second, rules{})
	if err != nil {
		return nil, err
	}
	sentence := " is not an allowed_type"
	if first.Kind() == reflect.String || second.Kind() == reflect.String {
		other := first
		if first.Kind() == reflect.String {
			other = second
		}
		switch {
		case isInt(other):
			sentence = " is not a string or integer"
		case other.Kind() == reflect.Slice && isInt(other.Elem()):
			sentence = " is not a string or an integer list"
		}
	}
	return func(at valuePath, v any, dst reflect.Value) error {
		if err := cleanTree(at, v); err != nil {
			return err
		}
		for i, check := range []checker{one, two} {
			to := reflect.New(dst.Field(i).Type().Elem())
			if check(at, v, to.Elem()) == nil {
				dst.Field(i).Set(to)
				return nil
			}
		}
		return fault.Bad(at.String() + sentence)
	}, nil
}

type member struct {
	key      string
	index    int
	optional bool // may be null
	needed   bool // must be there, though it may be null
	check    checker
}

// read checks the member of an object, and sets its field of a struct. A member that may be absent or null has a pointer.
func (m member) read(at valuePath, object map[string]any, of reflect.Value) error {
	v, given := object[m.key]
	switch {
	case !given && (m.needed || !m.optional):
		return fault.Bad(fmt.Sprintf("%s key is missing from %v", m.key, at))
	case m.optional && v == nil:
		return nil
	}
	to := of.Field(m.index)
	if m.optional {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	return m.check(at.member(m.key), v, to)
}

// object returns the checker of a struct: a closed object, unless all are open.
func (b *builder) object(t reflect.Type) (checker, error) {
	members, err := b.members(t)
	if err != nil {
		return nil, err
	}
	return func(at valuePath, v any, dst reflect.Value) error {
		object, ok := v.(map[string]any)
		if !ok {
			return fault.Bad(at.String() + " is not a dict")
		}
		known := 0
		for _, m := range members {
			if _, given := object[m.key]; given {
				known++
			}
			if err := m.read(at, object, dst); err != nil {
				return err
			}
		}
		if !b.open && known < len(object) {
			return unexpected(at, object, members)
		}
		return nil
	}, nil
}

func unexpected(at valuePath, object map[string]any, members []member) error {
	extra := []string{}
	for key := range object {
		if err := (rules{}).clean(at, key); err != nil {
			return err
		}
		if !slices.ContainsFunc(members, func(m member) bool { return m.key == key }) {
			extra = append(extra, key)
		}
	}
	slices.Sort(extra)
	return fault.Bad("Unexpected arguments: " + strings.Join(extra, ", "))
}

func (b *builder) members(t reflect.Type) ([]member, error) {
	members := make([]member, t.NumField())
	for i := range members {
		m, err := b.member(t.Field(i))
		if err != nil {
			return nil, fmt.Errorf("field %s of %v: %w", t.Field(i).Name, t, err)
		}
		m.index = i
		members[i] = m
	}
	return members, nil
}

func (b *builder) member(f reflect.StructField) (member, error) {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() || key == "" || key == "-" {
		return member{}, errors.New("it needs a json tag with a name")
	}
	if err := knownTags(f.Tag, "json", "enum", "max", "check", "nul", "absent"); err != nil {
		return member{}, err
	}
	absent, needed := f.Tag.Lookup("absent")
	if needed && (absent != "refused" || f.Type.Kind() != reflect.Pointer) {
		return member{}, errors.New(`absent is for pointers, and only "refused"`)
	}
	m, t := member{key: key, needed: needed}, f.Type
	if t.Kind() == reflect.Pointer {
		m.optional, t = true, t.Elem()
	}
	r, err := rulesOf(f.Tag, t)
	if err != nil {
		return m, err
	}
	m.check, err = b.checker(t, r)
	return m, err
}
