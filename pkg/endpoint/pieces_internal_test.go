package endpoint

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

type part struct {
	Text  string         `json:"text"`
	Maybe *int           `json:"maybe,omitempty"`
	When  textual        `json:"when"`
	More  map[string]any `json:"more"`
}

// textual encodes itself, through a pointer only.
type textual struct{ n int }

func (t *textual) MarshalJSON() ([]byte, error) { return json.Marshal([]int{t.n}) }

// Textual encodes itself and the types that embed it.
type Textual struct{ textual }

type plain struct {
	Members []part          `json:"members"`
	Refs    []*part         `json:"refs"`
	None    []part          `json:"none"`
	Empty   []int           `json:"empty"`
	Bytes   []byte          `json:"bytes"`
	Raw     json.RawMessage `json:"raw"`
	Own     textual         `json:"own"`
	Found   bool            `json:"found_oldest"`
	Any     any             `json:"any"`
	Asked   []part          `json:"asked,omitzero"`
	Pointer *int            `json:"pointer,omitzero"`
	Done    Encoded[[]int]  `json:"done"`
}

// More is embedded.
type More struct {
	*Maybe
	List []int `json:"list"`
}

// Maybe is embedded as a pointer.
type Maybe struct {
	Text string `json:"text"`
}

type composed struct {
	First int  `json:"first"`
	Cut   bool `json:"-"`
	More
	Last string `json:"last"`
}

// A large response has the same bytes as a small one.
func TestPiecesAreTheWhole(t *testing.T) {
	t.Parallel()
	one := 1
	parts := []part{{Text: "<b> & \u2028 \" é \xff"}, {Maybe: &one, When: textual{7}, More: map[string]any{"b": 1.5, "a": nil}}, {}}
	for _, reply := range []any{
		plain{},
		plain{Asked: []part{}, Pointer: new(int)},
		plain{Done: Encoded[[]int]{JSON: []byte(`[1,2]`)}},
		plain{Members: parts, Refs: []*part{&parts[1], nil}, Empty: []int{}, Bytes: []byte("abc"), Raw: json.RawMessage(`{"x":[1, 2]}`), Own: textual{3}, Found: true, Any: parts},
		struct {
			List [][]string `json:"list"`
		}{[][]string{{"a"}, nil, {}}},
		composed{First: 1, Cut: true, More: More{List: []int{1, 2}}, Last: "x"},
		composed{More: More{Maybe: &Maybe{"y"}}},
	} {
		whole, pieces := newBuffer(), newBuffer()
		for _, b := range []*buffer{whole, pieces} {
			b.buf.WriteString(`{"result":"success"`)
		}
		count := 0
		if err := whole.object(reply); err != nil {
			t.Fatal(err)
		}
		plan := piecesOf(reflect.TypeOf(reply))
		if plan == nil {
			t.Fatalf("%T isn't encoded in pieces", reply)
		}
		if err := pieces.pieces(plan, reply, func() { count++ }); err != nil {
			t.Fatal(err)
		}
		if got := string(bytes.Join(pieces.segments(), nil)); whole.buf.String() != got {
			t.Errorf("%s\nwant %s", got, whole.buf.String())
		}
		if p, ok := reply.(plain); ok && count != len(p.Members)+len(p.Refs) {
			t.Errorf("%d pieces", count)
		}
	}
}

// A large response isn't one block of memory, and the memory that it really takes is counted.
func TestLargeAnswerIsSegments(t *testing.T) {
	t.Parallel()
	b, reply := newBuffer(), More{List: make([]int, 1<<19)}
	b.buf.WriteString("{")
	if err := b.pieces(piecesOf(reflect.TypeOf(reply)), reply, func() {}); err != nil {
		t.Fatal(err)
	}
	all, length := b.segments(), 0
	for i, segment := range all {
		length += len(segment)
		if i > 0 && cap(segment) > segmentSize {
			t.Errorf("segment %d takes %d bytes", i, cap(segment))
		}
	}
	if want := len(`{,"list":[]}`+"\n") + 2*len(reply.List) - 1; length != want || len(all) < want/segmentSize {
		t.Errorf("%d bytes in %d segments, want %d", length, len(all), want)
	}
	if size := b.size(); size < length || size > 2*length {
		t.Errorf("%d bytes count as %d", length, size)
	}
}

// Values with their own encoding are encoded as a whole.
func TestNoPieces(t *testing.T) {
	t.Parallel()
	type Embedded struct {
		A int `json:"a"`
	}
	type hidden struct {
		B int `json:"b"`
	}
	for _, reply := range []any{
		map[string]int{},
		textual{},
		&plain{},
		struct{ hidden }{},
		struct {
			Embedded
			Other int `json:"a"`
		}{},
		struct{ Textual }{},
		struct {
			*Textual
			A int `json:"a"`
		}{},
		struct{ A int }{},
		struct {
			A int `json:"a,omitempty"`
		}{},
		struct {
			A time.Time `json:"a,omitzero"`
		}{},
		struct {
			A int `json:"<"`
		}{},
		struct {
			a int
		}{},
	} {
		if piecesOf(reflect.TypeOf(reply)) != nil {
			t.Errorf("%T is encoded in pieces", reply)
		}
	}
}

// A value that can't be encoded is an error, also in a piece.
func TestBrokenPiece(t *testing.T) {
	t.Parallel()
	reply := struct {
		List []any `json:"list"`
	}{[]any{1, func() {}}}
	if err := newBuffer().pieces(piecesOf(reflect.TypeOf(reply)), reply, func() {}); err == nil {
		t.Error("no error")
	}
}
