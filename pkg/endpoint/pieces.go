package endpoint

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// pieces are the members of a reply that is encoded in pieces; nil: it can't be.
type pieces []piece

// piece is a field of a reply, or of a struct that it embeds.
type piece struct {
	text  string // its encoded name and a colon
	index []int
	list  bool // it is encoded element by element
	done  bool // it is encoded already
	omit  bool // it is omitted if it is zero
}

// piecesOf returns the members of a reply that is a plain struct, including those of structs that it embeds. Such members can
// be encoded separately with the same result.
func piecesOf(reply reflect.Type) pieces {
	all, ok := appendPieces(nil, reply, nil)
	if !ok {
		return nil
	}
	return all
}

// appendPieces appends the members of a struct at an index of the reply. It reports whether they can be encoded one by
// one.
func appendPieces(all pieces, of reflect.Type, at []int) (pieces, bool) {
	if of.Kind() != reflect.Struct || encodesItself(of) {
		return nil, false
	}
	for i := range of.NumField() {
		field, index := of.Field(i), append(slices.Clone(at), i)
		tag, tagged := field.Tag.Lookup("json")
		if tag == "-" {
			continue
		}
		if !field.IsExported() {
			return nil, false
		}
		if field.Anonymous && !tagged {
			embedded := field.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			more, ok := appendPieces(all, embedded, index)
			if !ok {
				return nil, false
			}
			all = more
			continue
		}
		p, ok := pieceOf(field.Type, tag, index)
		// The encoder omits all but one of the members with the same name.
		if !ok || slices.ContainsFunc(all, func(other piece) bool { return other.text == p.text }) {
			return nil, false
		}
		all = append(all, p)
	}
	return all, true
}

// pieceOf returns the member that a field with a tag is encoded as. It reports whether that can be done separately.
func pieceOf(field reflect.Type, tag string, at []int) (p piece, ok bool) {
	name, options, _ := strings.Cut(tag, ",")
	omit := options == "omitzero" && !implements[interface{ IsZero() bool }](field)
	if name == "" || options != "" && !omit || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return piece{}, false
	}
	list := field.Kind() == reflect.Slice && field.Elem().Kind() != reflect.Uint8 && !encodesItself(field)
	return piece{`"` + name + `":`, at, list, implements[encoded](field), omit}, true
}

// encoded is a value that is already encoded as JSON.
type encoded interface{ encoded() []byte }

// hasEncoded reports whether there are pieces that are encoded already.
func (all pieces) hasEncoded() bool {
	return slices.ContainsFunc(all, func(p piece) bool { return p.done })
}

func encodesItself(t reflect.Type) bool {
	return implements[json.Marshaler](t) || implements[encoding.TextMarshaler](t)
}

// implements reports whether a type, or a pointer to it, implements an interface.
func implements[I any](t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[I]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// pieces appends the members of a reply to the open object at the end of the buffer, as [buffer.object] does, and
// closes it. It calls between after each element of a list.
func (b *buffer) pieces(all pieces, reply any, between func()) error {
	of := reflect.ValueOf(reply)
	for _, m := range all {
		value, err := of.FieldByIndexErr(m.index)
		if err != nil {
			continue // in a nil embedded struct
		}
		if m.omit && value.IsZero() {
			continue
		}
		b.buf.WriteByte(',')
		b.buf.WriteString(m.text)
		if done, ok := value.Interface().(encoded); m.done && ok && done.encoded() != nil {
			b.insert(done.encoded())
			continue
		}
		if !m.list || value.IsNil() {
			if err := b.value(value.Interface()); err != nil {
				return fmt.Errorf("encode: %w", err)
			}
			continue
		}
		if err := b.items(value, between); err != nil {
			return err
		}
	}
	b.buf.WriteString("}\n")
	return nil
}

// items appends a list, and calls between after each of its elements.
func (b *buffer) items(list reflect.Value, between func()) error {
	b.buf.WriteByte('[')
	for i := range list.Len() {
		if i > 0 {
			b.buf.WriteByte(',')
		}
		// By pointer, like the encoder does with the elements of any list.
		if err := b.value(list.Index(i).Addr().Interface()); err != nil {
			return fmt.Errorf("encode: %w", err)
		}
		if b.buf.Len() > segmentSize*3/4 {
			b.cut(segmentSize)
		}
		between()
	}
	b.buf.WriteByte(']')
	return nil
}
