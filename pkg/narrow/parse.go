package narrow

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/fault"
)

// Limits on the work for a narrow. Clients send a few terms.
const (
	maxTerms = 100
	maxText  = 10_000 // characters of an operand
)

// ErrTerms says that there are too many terms.
var ErrTerms = fault.Bad("narrow is too long (limit: 100 terms)")

// Parse parses a narrow in a request (rest-api.md, section 2.4.1). Its errors are faults: those of a
// value that can't be converted, those of an element, or [ErrTerm]. Parse skips repeated terms and those without a condition.
func Parse(text string) (Narrow, error) {
	bad := fault.BadValue("narrow", text)
	if !json.Valid([]byte(text)) {
		return nil, bad
	}
	elements := []json.RawMessage(nil)
	if err := json.Unmarshal([]byte(text), &elements); err != nil || elements == nil {
		return nil, bad
	}
	if len(elements) > maxTerms {
		return nil, ErrTerms
	}
	raws := make([]raw, len(elements))
	for i, element := range elements {
		var err error
		switch element[0] {
		case '[':
			pair := []string(nil)
			// A null would be an empty string.
			if json.Unmarshal(element, &pair) != nil || len(pair) != 2 || hasNull(element) {
				return nil, bad
			}
			raws[i] = raw{operator: pair[0], text: pair[1]}
			err = raws[i].checkText()
		case '{':
			raws[i], err = parseObject(element)
		default:
			return nil, bad
		}
		if err != nil {
			return nil, err
		}
	}
	narrow := Narrow{}
	for _, r := range raws {
		r.sent, r.operator = r.operator, strings.ReplaceAll(r.operator, "_", "-")
		term, ok, err := r.term()
		if err != nil {
			return nil, err
		}
		if ok && !slices.ContainsFunc(narrow, term.equal) {
			narrow = append(narrow, term)
		}
	}
	return narrow, nil
}

func hasNull(list json.RawMessage) bool {
	items := []json.RawMessage(nil)
	err := json.Unmarshal(list, &items)
	return err != nil || slices.ContainsFunc(items, func(item json.RawMessage) bool { return item[0] == 'n' })
}

// raw is an element as it was sent.
type raw struct {
	sent     string // the operator
	operator string // with "-" for "_"
	text     string
	byID     bool
	ids      []int64
	negated  bool
}

func parseObject(object json.RawMessage) (raw, error) {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(object, &members); err != nil {
		return raw{}, fault.BadValue("narrow", string(object)).Wrap(err)
	}
	r := raw{}
	for _, key := range []string{"operator", "operand"} {
		value, ok := members[key]
		if !ok {
			return raw{}, fault.Bad(key + " key is missing from elem")
		}
		if key == "operand" {
			if err := r.readOperand(value); err != nil {
				return raw{}, err
			}
			continue
		}
		if r.operator, ok = text(value); !ok {
			return raw{}, fault.Bad(`elem["operator"] is not a string`)
		}
	}
	if err := r.checkText(); err != nil {
		return raw{}, err
	}
	if negated, ok := members["negated"]; ok {
		switch string(negated) {
		case "true":
			r.negated = true
		case "false":
		default:
			return raw{}, fault.Bad(`elem["negated"] is not a boolean`)
		}
	}
	return r, nil
}

// readOperand reads an operand in one of the types that the operator accepts.
func (r *raw) readOperand(value json.RawMessage) error {
	if operand, ok := text(value); ok {
		r.text = operand
		return nil
	}
	switch r.operator {
	case "sender", "group-pm-with", "stream":
		number, ok := integer(string(value))
		if !ok {
			return fault.Bad(`elem["operand"] is not a string or integer`)
		}
		r.text, r.ids, r.byID = string(value), []int64{number}, true
	case "pm-with":
		items := []json.RawMessage(nil)
		if json.Unmarshal(value, &items) != nil || items == nil {
			return fault.Bad(`elem["operand"] is not a string or an integer list`)
		}
		texts := make([]string, len(items))
		for i, item := range items {
			number, ok := integer(string(item))
			if !ok {
				return fault.Bad(`elem["operand"] is not a string or an integer list`)
			}
			texts[i] = string(item)
			r.ids = append(r.ids, number)
		}
		r.text, r.byID = strings.Join(texts, ", "), true
	default:
		return fault.Bad(`elem["operand"] is not a string`)
	}
	return nil
}

// checkText fails if the operator or the operand can't be looked up.
func (r *raw) checkText() error {
	switch {
	case strings.ContainsRune(r.operator, 0):
		return fault.Bad(`elem["operator"] contains NULL (0x00) characters`)
	case strings.ContainsRune(r.text, 0):
		return fault.Bad(`elem["operand"] contains NULL (0x00) characters`)
	case utf8.RuneCountInString(r.text) > maxText:
		return fault.Bad(`elem["operand"] is too long (limit: ` + strconv.Itoa(maxText) + ` characters)`)
	case r.operator == "search" && strings.TrimSpace(r.text) == "":
		return fault.Bad(`elem["operand"] cannot be blank.`)
	}
	return nil
}

// text reads a JSON string.
func text(value json.RawMessage) (s string, ok bool) {
	ok = value[0] == '"' && json.Unmarshal(value, &s) == nil
	return s, ok
}

// ParseParam parses a parameter, see [Parse].
func (n *Narrow) ParseParam(text string) (err error) {
	*n, err = Parse(text)
	return err
}
