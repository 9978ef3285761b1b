package endpoint

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"chatserver.dev/pkg/fault"
)

// textParser sets dst from the text of the parameter name.
type textParser func(name, raw string, dst reflect.Value) error

// textParserFor returns the parser for a parameter of type t, and whether its text is JSON.
func textParserFor(t reflect.Type, r rules, in Source) (parse textParser, encoded bool, err error) {
	switch {
	case in == InPath && t.Kind() != reflect.String:
		if !isInt(t) {
			return nil, false, errors.New("a segment of the path is a string or an integer")
		}
		return parseSegment, false, nil
	case in == InBody:
		parse, err := jsonParser(t, r, true)
		return parse, true, err
	case reflect.PointerTo(t).Implements(reflect.TypeFor[Parser]()):
		return r.parseOwn, false, nil
	case t == reflect.TypeFor[NNInt]():
		return parseNNInt, false, nil
	case t == reflect.TypeFor[JSONString]():
		parse, err := jsonParser(t, r, false)
		return r.perhapsQuoted(parse), true, err
	case t.Kind() == reflect.String:
		return r.parseString, false, nil
	case t.Kind() == reflect.Bool:
		parse, err := jsonParser(t, r, false)
		return quickBool(parse), true, err
	case isInt(t):
		parse, err := jsonParser(t, r, false)
		return r.quickInt(parse), true, err
	default:
		parse, err := jsonParser(t, r, false)
		return parse, true, err
	}
}

func (r rules) parseString(name, raw string, dst reflect.Value) error {
	if err := r.text(valuePath{name: name}, raw, true); err != nil {
		return err
	}
	dst.SetString(raw)
	return nil
}

// perhapsQuoted passes text with JSON's quotes, and null, to the JSON parser.
func (r rules) perhapsQuoted(quoted textParser) textParser {
	return func(name, raw string, dst reflect.Value) error {
		if raw == "null" || strings.HasPrefix(strings.TrimSpace(raw), `"`) {
			return quoted(name, raw, dst)
		}
		return r.parseString(name, raw, dst)
	}
}

func (r rules) parseOwn(name, raw string, dst reflect.Value) error {
	if err := r.clean(valuePath{name: name}, raw); err != nil {
		return err
	}
	p, ok := dst.Addr().Interface().(Parser)
	if !ok {
		return fmt.Errorf("%v isn't a parser", dst.Type())
	}
	err := p.ParseParam(raw)
	if err != nil && fault.Of(err) == nil {
		return fault.BadValue(name, raw).Wrap(err)
	}
	return err
}

// parseSegment parses a number in the path, of which the router only accepts digits. A number that is too large for an id
// becomes the largest one, which names nothing: so it is answered as every other unknown id of the endpoint.
func parseSegment(_, raw string, dst reflect.Value) error {
	n, err := strconv.ParseInt(raw, 10, dst.Type().Bits())
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return errUnknownPath
	}
	dst.SetInt(n)
	return nil
}

func parseNNInt(name, raw string, dst reflect.Value) error {
	if err := (rules{}).clean(valuePath{name: name}, raw); err != nil {
		return err
	}
	n, err := strconv.ParseUint(strings.TrimSpace(raw), 10, 64)
	if err != nil || n > math.MaxUint32 {
		return fault.BadValue(name, raw)
	}
	dst.SetInt(int64(n))
	return nil
}

// quickBool parses the two JSON texts of a boolean without the JSON parser.
func quickBool(slow textParser) textParser {
	return func(name, raw string, dst reflect.Value) error {
		switch raw {
		case "true":
			dst.SetBool(true)
		case "false":
			dst.SetBool(false)
		default:
			return slow(name, raw, dst)
		}
		return nil
	}
}

// quickInt parses ordinary numbers without the JSON parser.
func (r rules) quickInt(slow textParser) textParser {
	return func(name, raw string, dst reflect.Value) error {
		n, err := strconv.ParseInt(raw, 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != raw || dst.OverflowInt(n) {
			return slow(name, raw, dst)
		}
		if err := r.number(valuePath{name: name}, n); err != nil {
			return err
		}
		dst.SetInt(n)
		return nil
	}
}
