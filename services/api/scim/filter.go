package scim

import (
	"encoding/json"
	"strconv"
	"strings"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/provision"
)

// maxFilter is the maximum length of a filter, in bytes.
const maxFilter = 4096

// parseFilter parses comparisons for equality, combined by "and" (RFC 7644, section 3.4.2.2), and calls narrow with
// each.
func parseFilter(text string, narrow func(name, value string) error) error {
	rest := strings.TrimSpace(text)
	if len(rest) > maxFilter {
		return bad(invalidFilter, "The filter is too long")
	}
	for rest != "" {
		name, after, _ := strings.Cut(rest, " ")
		operator, after, _ := strings.Cut(strings.TrimLeft(after, " "), " ")
		if !strings.EqualFold(operator, "eq") {
			return unknownFilter()
		}
		value, after, err := quoted(strings.TrimLeft(after, " "))
		if err != nil {
			return err
		}
		if err := narrow(key(name), value); err != nil {
			return err
		}
		if after = strings.TrimLeft(after, " "); after == "" {
			break
		}
		and, more, ok := strings.Cut(after, " ")
		if rest = strings.TrimLeft(more, " "); !ok || !strings.EqualFold(and, "and") || rest == "" {
			return unknownFilter()
		}
	}
	return nil
}

func unknownFilter() error {
	return bad(invalidFilter, `Filters compare userName, externalId, id or emails.value, and of groups displayName, externalId, id or members.value, `+
		`by eq with a text in quotes, combined by "and"`)
}

// peopleBy parses a filter of people.
func peopleBy(text string) (f provision.Filter, err error) {
	err = parseFilter(text, func(name, value string) error { return narrow(&f, name, value) })
	return f, err
}

func narrow(f *provision.Filter, name, value string) error {
	switch name {
	case "username":
		f.UserName = &value
	case "externalid":
		f.ExternalID = &value
	case "emails", "emails.value":
		f.Email = &value
	case "id":
		f.ID = new(id.User(number(value)))
	default:
		return unknownFilter()
	}
	return nil
}

// groupsBy parses a filter of groups.
func groupsBy(text string) (f provision.GroupFilter, err error) {
	err = parseFilter(text, func(name, value string) error { return narrowGroups(&f, name, value) })
	return f, err
}

func narrowGroups(f *provision.GroupFilter, name, value string) error {
	switch name {
	case "displayname":
		f.Name = &value
	case "externalid":
		f.ExternalID = &value
	case "members", "members.value":
		f.Member = new(id.User(number(value)))
	case "id":
		f.ID = new(id.Group(number(value)))
	default:
		return unknownFilter()
	}
	return nil
}

// number parses an id; 0 means that it is invalid, since no resource has this id.
func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// quoted returns the JSON string at the beginning of rest, and the text after it.
func quoted(rest string) (value, after string, err error) {
	decoder := json.NewDecoder(strings.NewReader(rest))
	if !strings.HasPrefix(rest, `"`) || decoder.Decode(&value) != nil || strings.ContainsRune(value, 0) {
		return "", "", unknownFilter()
	}
	return value, rest[decoder.InputOffset():], nil
}
