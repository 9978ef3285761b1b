package message

import (
	"encoding/json"
	"slices"
	"strings"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
)

// The errors of the parameter "to" (rest-api.md, section 2.2.1).
var (
	ErrOneStream     = fault.Bad("Expected exactly one stream")
	ErrStreamType    = fault.Bad("Invalid data type for stream")
	ErrRecipientType = fault.Bad("Invalid data type for recipients")
	ErrMixed         = fault.Bad("Recipient lists may contain emails or user IDs, but not both.")
	// ErrManyRecipients says that there are more than [MaxRecipients].
	ErrManyRecipients = fault.Bad("Too many recipients: the request has %d, the limit is %d.")
)

// MaxRecipients is the maximum number of recipients of a private message. A conversation is found by the ids of its members, which are
// in one entry of an index: PostgreSQL has room for 2,704 bytes in it, eight for each id.
const MaxRecipients = 300

// StreamRef is a sender's reference to a stream, by id or by name. The zero value refers to none.
type StreamRef struct {
	ID   id.Stream
	Name string
}

// PeopleRef is the recipients of a private message, by id or by the address that others see, without
// duplicates.
type PeopleRef struct {
	IDs    []id.User
	Emails []string
}

// parseStream parses "to" of a stream message: a name, plain or in JSON; an id; or a list of one of these.
func parseStream(to string) (StreamRef, error) {
	value, isJSON := decodeJSON(to)
	if !isJSON {
		return StreamRef{Name: to}, nil
	}
	if list, ok := value.([]any); ok {
		if len(list) != 1 {
			return StreamRef{}, ErrOneStream
		}
		value = list[0]
	}
	switch value := value.(type) {
	case string:
		return StreamRef{Name: value}, nil
	case json.Number:
		number, err := value.Int64()
		switch {
		case err != nil:
		case number == 0: // the zero value of StreamRef
			return StreamRef{}, unknownStreamID(0)
		default:
			return StreamRef{ID: id.Stream(number)}, nil
		}
	}
	return StreamRef{}, ErrStreamType
}

// parsePeople parses "to" of a private message: a list of ids, a list of addresses, or addresses
// separated by commas.
func parsePeople(to string) (PeopleRef, error) {
	value, isJSON := decodeJSON(to)
	if !isJSON {
		return PeopleRef{Emails: splitEmails(to)}, nil
	}
	switch value := value.(type) {
	case string:
		return PeopleRef{Emails: splitEmails(value)}, nil
	case []any:
		return parseList(value)
	}
	return PeopleRef{}, ErrRecipientType
}

func parseList(list []any) (PeopleRef, error) {
	people := PeopleRef{}
	for i, item := range list {
		switch item := item.(type) {
		case string:
			people.Emails = append(people.Emails, strings.TrimSpace(item))
		case json.Number:
			number, err := item.Int64()
			if err != nil {
				return PeopleRef{}, wrongItem(i)
			}
			people.IDs = append(people.IDs, id.User(number))
		default:
			return PeopleRef{}, wrongItem(i)
		}
	}
	if len(people.Emails) > 0 && len(people.IDs) > 0 {
		return PeopleRef{}, ErrMixed
	}
	slices.Sort(people.IDs)
	people.IDs = slices.Compact(people.IDs)
	people.Emails = unique(people.Emails)
	return people, nil
}

// wrongItem returns the error of a list with an item that is neither an id nor an address. After the first
// item, which determines the type of the others, it is an error of mixed types.
func wrongItem(at int) error {
	if at > 0 {
		return ErrMixed
	}
	return ErrRecipientType
}

// decodeJSON decodes text that is exactly one JSON value.
func decodeJSON(text string) (value any, ok bool) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return nil, false
	}
	return value, !decoder.More() && decoder.InputOffset() == int64(len(strings.TrimRight(text, " \t\r\n")))
}

func splitEmails(text string) []string {
	emails := []string(nil)
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			emails = append(emails, part)
		}
	}
	return unique(emails)
}

// unique removes duplicate addresses, without regard to case, and keeps the order.
func unique(emails []string) []string {
	seen := make(map[string]bool, len(emails))
	return slices.DeleteFunc(emails, func(email string) bool {
		key := strings.ToLower(email)
		before := seen[key]
		seen[key] = true
		return before
	})
}
