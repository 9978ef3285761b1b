package endpoint

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// pieces says how a reply is encoded in pieces; nil: it can't be.
type pieces []piece

// piece is a field of a reply.
type piece struct {
	text  string // its name, as it is encoded, and a colon
	index int
	list  bool // it is encoded element by element
}

// piecesOf returns the members of a reply that is a plain struct: whatever the encoder does with its fields can be done
// with each by itself.
func piecesOf(reply reflect.Type) pieces {
	if reply.Kind() != reflect.Struct || encodesItself(reply) {
		return nil
	}
	all := make(pieces, reply.NumField())
	for i := range all {
		field := reply.Field(i)
		name := field.Tag.Get("json")
		if !field.IsExported() || field.Anonymous || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return nil
		}
		list := field.Type.Kind() == reflect.Slice && field.Type.Elem().Kind() != reflect.Uint8 && !encodesItself(field.Type)
		all[i] = piece{`"` + name + `":`, i, list}
	}
	return all
}

func encodesItself(t reflect.Type) bool {
	for _, t := range []reflect.Type{t, reflect.PointerTo(t)} {
		if t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
			return true
		}
	}
	return false
}

// pieces appends the members of a reply to the opened object that the buffer ends with, as [buffer.object] does, and
// closes it. It calls between the pieces.
func (b *buffer) pieces(all pieces, reply any, between func()) error {
	of := reflect.ValueOf(reply)
	for _, m := range all {
		b.buf.WriteByte(',')
		b.buf.WriteString(m.text)
		value := of.Field(m.index)
		if !m.list || value.IsNil() {
			if err := b.value(value.Interface()); err != nil {
				return fmt.Errorf("encode: %w", err)
			}
			continue
		}
		b.buf.WriteByte('[')
		for i := range value.Len() {
			if i > 0 {
				b.buf.WriteByte(',')
			}
			// Through a pointer, as the encoder does with the elements of any list.
			if err := b.value(value.Index(i).Addr().Interface()); err != nil {
				return fmt.Errorf("encode: %w", err)
			}
			between()
		}
		b.buf.WriteByte(']')
	}
	b.buf.WriteString("}\n")
	return nil
}
