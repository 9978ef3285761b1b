package main

import (
	"reflect"
	"strings"

	"chatserver.dev/pkg/endpoint"
)

// Undocumented returns the makers, the parameters and the fields of requests and replies that have no comment. raw is
// the result of [Generate].
func Undocumented(endpoints []endpoint.Endpoint, raw map[string]reflect.Type, comments Comments) []string {
	u := undocumented{comments, map[reflect.Type]bool{}, []string{}}
	for _, e := range endpoints {
		if comments[e.Maker()] == "" {
			u.missing = append(u.missing, e.Maker())
		}
		for _, p := range e.Params() {
			if comments.Field(p.Owner, p.Field, p.Name) == "" {
				u.missing = append(u.missing, e.Maker()+": "+p.Owner.String()+"."+p.Field)
			}
			u.look(p.Type)
		}
		reply := e.Reply()
		if e.Kind() == endpoint.KindRaw {
			reply = raw[e.Route()]
		}
		if reply == nil {
			u.missing = append(u.missing, e.Maker()+": reply")
			continue
		}
		u.look(reply)
	}
	return u.missing
}

type undocumented struct {
	comments Comments
	seen     map[reflect.Type]bool
	missing  []string
}

// look checks a type and the types that it consists of, once each.
func (u *undocumented) look(t reflect.Type) {
	if t = plain(t); u.seen[t] {
		return
	}
	u.seen[t] = true
	if first, second, ok := endpoint.Alternatives(t); ok {
		u.look(first)
		u.look(second)
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		u.look(t.Elem())
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key == "" || f.Anonymous {
				continue
			}
			from, _ := owner(t, f.Index)
			if name := from.String() + "." + f.Name; u.comments.Field(from, f.Name, key) == "" {
				u.missing = append(u.missing, name)
			}
			u.look(f.Type)
		}
	default: // has no fields
	}
}
