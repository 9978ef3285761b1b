package endpoint

import "reflect"

// JSONString is a string parameter that some clients send JSON-encoded: if the text begins with a quote,
// it is JSON, otherwise it is the string itself.
type JSONString string

// NNInt is an integer parameter that is sent as a decimal number from 0 to 2^32-1. Any other text
// is refused with the code REQUEST_VARIABLE_INVALID.
type NNInt int64

// Either is a JSON value of one of two types: the first that fits is set, the other one is nil.
type Either[A, B any] struct {
	First  *A
	Second *B
}

func (Either[A, B]) alternatives() (first, second reflect.Type) {
	return reflect.TypeFor[A](), reflect.TypeFor[B]()
}

// Alternatives returns the two types of an [Either], and false for every other type.
func Alternatives(t reflect.Type) (first, second reflect.Type, ok bool) {
	if t.Kind() == reflect.Pointer { // whose methods are the same
		return nil, nil, false
	}
	either, ok := reflect.Zero(t).Interface().(interface {
		alternatives() (first, second reflect.Type)
	})
	if !ok {
		return nil, nil, false
	}
	first, second = either.alternatives()
	return first, second, true
}

// Redirect is a reply that redirects the client to another path of this server.
type Redirect struct{ Path string }

// Parser is a parameter type that parses its own text: the text as sent or, inside JSON, the value's
// JSON text. An error that isn't a fault becomes REQUEST_VARIABLE_INVALID.
type Parser interface {
	ParseParam(raw string) error
}

// Checker is a parameter struct with rules for several fields. Check is called after all
// fields have been read, and its error is the request's.
type Checker interface {
	Check() error
}
