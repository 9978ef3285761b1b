package hook

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Document is a value of a payload. Third parties leave out members and send null, so its methods don't fail: what is
// absent or of another type is the zero value.
type Document struct{ value any }

// NewDocument returns the document of a decoded JSON value, whose numbers are of type [json.Number].
func NewDocument(value any) Document { return Document{value} }

// At returns the member at a path of names, such as "user.name"; the empty path is the document itself.
func (d Document) At(path string) Document {
	if path == "" {
		return d
	}
	value := d.value
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return Document{value}
}

// Has reports whether there is a member at a path that isn't null.
func (d Document) Has(path string) bool { return d.At(path).value != nil }

// Text returns the string at a path, or the number or boolean there as text.
func (d Document) Text(path string) string {
	switch value := d.At(path).value.(type) {
	case string:
		return value
	case json.Number:
		return value.String()
	case bool:
		return strconv.FormatBool(value)
	default:
		return ""
	}
}

// Member returns the text of a member whose name may have dots; the names are those of [Document.Names].
func (d Document) Member(name string) string {
	object, _ := d.value.(map[string]any)
	return Document{object[name]}.Text("")
}

// Or returns the text at the first of some paths that isn't empty.
func (d Document) Or(paths ...string) string {
	for _, path := range paths {
		if text := d.Text(path); text != "" {
			return text
		}
	}
	return ""
}

// Person returns the name at the first of some paths that isn't empty; if all are, "Somebody": third parties name nobody if it was one of
// their rules, or an account that is gone.
func (d Document) Person(paths ...string) string { return cmp.Or(d.Or(paths...), "Somebody") }

// Line returns the text at the first of some paths that isn't empty, as one line, cut to a number of characters.
func (d Document) Line(characters int, paths ...string) string {
	return Line(Cut(d.Or(paths...), characters))
}

// Number returns the integer at a path, which may be sent as a string.
func (d Document) Number(path string) int64 {
	n, err := strconv.ParseInt(d.Text(path), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// True reports whether the value at a path is true.
func (d Document) True(path string) bool { return d.At(path).value == true }

// List returns the items of the list at a path.
func (d Document) List(path string) []Document {
	list, _ := d.At(path).value.([]any)
	items := make([]Document, len(list))
	for i, item := range list {
		items[i] = Document{item}
	}
	return items
}

// Names returns the names of the members of the object at a path, sorted.
func (d Document) Names(path string) []string {
	object, _ := d.At(path).value.(map[string]any)
	return slices.Sorted(maps.Keys(object))
}

// Members returns the members of the object at a path, in the order of [Document.Names].
func (d Document) Members(path string) []Document {
	object, _ := d.At(path).value.(map[string]any)
	members := make([]Document, 0, len(object))
	for _, name := range d.Names(path) {
		members = append(members, Document{object[name]})
	}
	return members
}
