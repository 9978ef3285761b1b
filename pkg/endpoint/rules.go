package endpoint

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/fault"
)

var hexColor = regexp.MustCompile(`^#[a-fA-F0-9]{3,6}$`)

// rules are the requirements of a field's tags.
type rules struct {
	enum  []string
	max   int // characters; 0: no limit
	check string
	nul   bool // U+0000 is left to the handler
}

var tagKey = regexp.MustCompile(`([a-zA-Z_]+):"`)

// knownTags returns an error for misspelt tags, which would otherwise be ignored.
func knownTags(tag reflect.StructTag, known ...string) error {
	for _, m := range tagKey.FindAllStringSubmatch(string(tag), -1) {
		if !slices.Contains(known, m[1]) {
			return fmt.Errorf("unknown tag %q", m[1])
		}
	}
	return nil
}

func rulesOf(tag reflect.StructTag, t reflect.Type) (rules, error) {
	r := rules{}
	text := t.Kind() == reflect.String
	if enum, ok := tag.Lookup("enum"); ok {
		r.enum = strings.Split(enum, ",")
		if !text && !isInt(t) {
			return r, errors.New("enum is for strings and integers")
		}
	}
	if limit, ok := tag.Lookup("max"); ok {
		n, unit, _ := strings.Cut(limit, " ")
		var err error
		if r.max, err = strconv.Atoi(n); err != nil || r.max < 1 || !text || unit != "characters" {
			return r, errors.New("max is for strings, a number of characters")
		}
	}
	if check, ok := tag.Lookup("check"); ok {
		if r.check = check; !text || check != "color" && check != "text" {
			return r, errors.New("check is for strings: color, text")
		}
	}
	if nul, ok := tag.Lookup("nul"); ok {
		if r.nul = nul == "passed"; !r.nul || !text {
			return r, errors.New(`nul is for strings, and only "passed"`)
		}
	}
	return r, nil
}

// clean refuses text that can't be stored or shown.
func (r rules) clean(at valuePath, s string) error {
	if !utf8.ValidString(s) {
		return fault.Bad(at.String() + " is not valid UTF-8")
	}
	if !r.nul && strings.IndexByte(s, 0) >= 0 {
		return fault.Bad(at.String() + " contains NULL (0x00) characters")
	}
	return nil
}

// text checks a string's rules. If raw is set, the message about a text that is too long includes
// the length sent; for strings in JSON it must be the message that clients expect.
func (r rules) text(at valuePath, s string, raw bool) error {
	if err := r.clean(at, s); err != nil {
		return err
	}
	if r.enum != nil && !slices.Contains(r.enum, s) {
		return fault.Bad("Invalid " + at.String())
	}
	if n := utf8.RuneCountInString(s); r.max > 0 && n > r.max {
		sent := ""
		if raw {
			sent = fmt.Sprintf("; sent: %d", n)
		}
		return errTooLong.Format(at, r.max, sent)
	}
	switch {
	case r.check == "color" && !hexColor.MatchString(s):
		return fault.Bad(at.String() + " is not a valid hex color code")
	case r.check == "text" && strings.TrimSpace(s) == "":
		return fault.Bad(at.String() + " cannot be blank.")
	}
	return nil
}

// number checks an integer's rules.
func (r rules) number(at valuePath, n int64) error {
	if r.enum != nil && !slices.Contains(r.enum, strconv.FormatInt(n, 10)) {
		return fault.Bad("Invalid " + at.String())
	}
	return nil
}

func isInt(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return true
	default:
		return false
	}
}

func isCompound(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Struct, reflect.Interface:
		return true
	default:
		return false
	}
}

// valuePath is the path of a value in a parameter. Its text is built only for errors.
type valuePath struct {
	parent *valuePath
	name   string // of the parameter, or the text for the whole valuePath
	key    string // in parent, if item is negative
	item   int    // in parent
}

func (p valuePath) member(key string) valuePath { return valuePath{parent: &p, key: key, item: -1} }

func (p valuePath) at(i int) valuePath { return valuePath{parent: &p, item: i} }

// A valuePath's text has at most maxShown keys and items, and maxShownKey characters of a key.
const maxShown, maxShownKey = 10, 60

// String returns the path at the beginning of messages: subscriptions[0]["description"]. A long one is cut.
func (p valuePath) String() string {
	path := []*valuePath{}
	for at := &p; at != nil; at = at.parent {
		path = append(path, at)
	}
	slices.Reverse(path)
	text := &strings.Builder{}
	text.WriteString(path[0].name)
	for _, at := range path[1:min(len(path), 1+maxShown)] {
		text.WriteString(at.step())
	}
	if len(path) > 1+maxShown {
		text.WriteString("…")
	}
	return text.String()
}

// step returns the last step of the path.
func (p valuePath) step() string {
	if p.item >= 0 {
		return fmt.Sprintf("[%d]", p.item)
	}
	key := p.key
	if characters := []rune(key); len(characters) > maxShownKey {
		key = string(characters[:maxShownKey]) + "…"
	}
	return `["` + key + `"]`
}
