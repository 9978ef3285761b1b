package endpoint

import (
	"reflect"

	"chatserver.dev/pkg/lists"
)

// About returns the declaration, with defaults filled in.
func (e Endpoint) About() About { return e.about }

// Kind returns the function that declared the endpoint.
func (e Endpoint) Kind() Kind { return e.kind }

// ByKey reports whether callers may authenticate by the parameter api_key, and never by a browser's session.
func (e Endpoint) ByKey() bool { return e.kind == KindHook }

// Method returns the HTTP method.
func (e Endpoint) Method() string { return e.method }

// Path returns the full path, "/api/v1/streams/{stream_id}".
func (e Endpoint) Path() string { return e.path }

// Route returns method and full path: the endpoint's name in metrics.
func (e Endpoint) Route() string { return e.name }

// MaxFile returns the maximum size in bytes of the file of an endpoint of [Upload]; 0 for others.
func (e Endpoint) MaxFile() int64 {
	if e.file == nil {
		return 0
	}
	return e.file.MaxBytes
}

// FileOptional reports whether the file of an endpoint of [Upload] may be left out.
func (e Endpoint) FileOptional() bool { return e.file != nil && e.file.Missing == nil }

// Params returns the parameters in the order of their declaration.
func (e Endpoint) Params() []Param {
	return lists.Map(e.schema.fields, func(f field) Param { return f.Param })
}

// Reply returns the reply's type; nil for an endpoint that writes its own.
func (e Endpoint) Reply() reflect.Type { return e.reply }

// Maker returns the full name of the function that declared the endpoint, such as
// "example.test/api/topics.Mute".
func (e Endpoint) Maker() string { return e.maker }

// Source says where a parameter comes from.
type Source int

// The sources of parameters.
const (
	InForm   Source = iota + 1 // the form body or the query string
	InPath                     // a segment of the path
	InBody                     // the whole body, as JSON
	InHeader                   // a header of the request
)

// Param describes one parameter.
type Param struct {
	Name     string
	Alias    string // an older name; empty: none
	In       Source
	Form     string // of a body: the parameter of a form that may have the JSON instead; "*": a form has its members; empty: neither
	Required bool
	Default  string   // the text used for an absent parameter; empty: none
	Enum     []string // the allowed texts
	Max      int      // maximum length in characters; 0: no limit
	Check    string   // named check, such as "color"; empty: none
	// Encoded says that the text is JSON, not the plain value.
	Encoded bool
	Type    reflect.Type // of the field, without the pointer that makes it optional
	Field   string       // name of the Go field
	Owner   reflect.Type // the struct that declares the field
}
