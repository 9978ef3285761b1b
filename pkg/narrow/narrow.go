package narrow

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"chatserver.dev/pkg/fault"
)

// Kind is the kind of a term's condition.
type Kind int

// The kinds of terms (rest-api.md, section 2.4.2).
const (
	Stream        Kind = iota + 1 // in the stream
	PublicStreams                 // in any public stream
	Topic                         // in the topic, ignoring letter case
	Sender                        // from the account
	With                          // in the private conversation of exactly these accounts and the reader
	GroupWith                     // in a conversation of three or more, the account and the reader among them
	Private                       // in any private conversation
	Starred                       //
	Unread                        //
	Mentioned                     // mentions the reader, or everybody
	Alerted                       // has one of the reader's alert words
	HasAttachment                 // has an uploaded file
	HasImage                      //
	HasLink                       //
	Home                          // neither in a muted stream nor in a muted topic
	Message                       // is the message
	Search                        // has the words
)

// Term is one condition. All terms of a narrow must hold.
type Term struct {
	Kind    Kind
	Negated bool
	// Text is the operand: a name, an address, addresses with commas between them, a topic, or words.
	Text string
	// ByID says that the operand is in IDs instead of Text.
	ByID bool
	// IDs are the ids of a stream, a message or accounts. A number that is too large becomes the largest id.
	IDs []int64
}

// equal reports whether two terms are the same.
func (t Term) equal(other Term) bool {
	return t.Kind == other.Kind && t.Negated == other.Negated && t.Text == other.Text && t.ByID == other.ByID && slices.Equal(t.IDs, other.IDs)
}

// Narrow is a list of terms; an empty one means every message.
type Narrow []Term

// Has reports whether there is a term of one of the kinds, negated or not.
func (n Narrow) Has(kinds ...Kind) bool {
	return slices.ContainsFunc(n, func(t Term) bool { return slices.Contains(kinds, t.Kind) })
}

// Words returns the words of all search terms that aren't negated, in one text.
func (n Narrow) Words() string {
	words := []string(nil)
	for _, t := range n {
		if t.Kind == Search && !t.Negated {
			words = append(words, t.Text)
		}
	}
	return strings.Join(words, " ")
}

// ErrTerm says that a term is invalid.
var ErrTerm = fault.New(fault.Invalid, "BAD_NARROW", "Invalid narrow operator: %s")

// Unknown returns [ErrTerm] for an invalid term, with the reason desc.
func Unknown(desc string) *fault.Fault { return ErrTerm.Format(desc).With("desc", desc) }

// Describe returns the term's operand for error messages.
func (t Term) Describe() string {
	if t.ByID && t.Kind == With {
		return "[" + t.Text + "]"
	}
	return t.Text
}

// term converts a raw term. ok is false if it has no condition.
func (r raw) term() (t Term, ok bool, err error) {
	t = Term{Negated: r.negated, Text: r.text, ByID: r.byID, IDs: r.ids}
	t.Kind = map[string]Kind{"stream": Stream, "topic": Topic, "sender": Sender, "pm-with": With, "group-pm-with": GroupWith, "search": Search}[r.operator]
	switch r.operator {
	case "stream", "topic", "sender", "pm-with", "group-pm-with", "search":
	case "streams":
		t.Kind, err = r.choose("streams", map[string]Kind{"public": PublicStreams})
	case "is":
		t.Kind, err = r.choose("'is'", map[string]Kind{
			"private": Private, "starred": Starred, "unread": Unread, "mentioned": Mentioned, "alerted": Alerted,
		})
	case "has":
		t.Kind, err = r.choose("'has'", map[string]Kind{"attachment": HasAttachment, "image": HasImage, "link": HasLink})
	case "in":
		t.Negated = false
		if r.text == "all" {
			return Term{}, false, nil
		}
		t.Kind, err = r.choose("'in'", map[string]Kind{"home": Home})
	case "near":
		return Term{}, false, nil
	case "id":
		t.Kind, t.ByID = Message, true
		number, ok := integer(r.text)
		if !ok || r.text[0] == '-' {
			return Term{}, false, Unknown("Invalid message ID")
		}
		t.IDs = []int64{number}
	default:
		err = Unknown("unknown operator " + r.sent)
	}
	return t, err == nil, err
}

func (r raw) choose(what string, kinds map[string]Kind) (Kind, error) {
	kind, ok := kinds[r.text]
	if !ok {
		return 0, Unknown("unknown " + what + " operand " + r.text)
	}
	return kind, nil
}

// integer parses digits with an optional sign. A number that is too large becomes the largest id, which is never used.
func integer(text string) (number int64, ok bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return math.MaxInt64, true
	}
	return number, true
}
