package scim

import (
	"encoding/json"
	"strconv"
	"strings"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/provision"
)

// maxFilter is how many bytes a filter has at most.
const maxFilter = 4096

// parseFilter reads comparisons for equality, combined by "and" (RFC 7644, section 3.4.2.2).
func parseFilter(text string) (f provision.Filter, err error) {
	rest := strings.TrimSpace(text)
	if len(rest) > maxFilter {
		return f, bad(invalidFilter, "The filter is too long")
	}
	for rest != "" {
		name, after, _ := strings.Cut(rest, " ")
		operator, after, _ := strings.Cut(strings.TrimLeft(after, " "), " ")
		if !strings.EqualFold(operator, "eq") {
			return f, unknownFilter()
		}
		value, after, err := quoted(strings.TrimLeft(after, " "))
		if err != nil {
			return f, err
		}
		if err := narrow(&f, key(name), value); err != nil {
			return f, err
		}
		if after = strings.TrimLeft(after, " "); after == "" {
			break
		}
		and, more, ok := strings.Cut(after, " ")
		if rest = strings.TrimLeft(more, " "); !ok || !strings.EqualFold(and, "and") || rest == "" {
			return f, unknownFilter()
		}
	}
	return f, nil
}

func unknownFilter() error {
	return bad(invalidFilter, `Filters compare userName, externalId, id or emails.value by eq with a text in quotes, combined by "and"`)
}

// narrow adds a comparison.
func narrow(f *provision.Filter, name, value string) error {
	switch name {
	case "username":
		f.UserName = &value
	case "externalid":
		f.ExternalID = &value
	case "emails", "emails.value":
		f.Email = &value
	case "id":
		number, _ := strconv.ParseInt(value, 10, 64) // 0 is nobody's
		f.ID = new(id.User(number))
	default:
		return unknownFilter()
	}
	return nil
}

// quoted returns the JSON text that a filter's rest begins with, and what follows.
func quoted(rest string) (value, after string, err error) {
	decoder := json.NewDecoder(strings.NewReader(rest))
	if !strings.HasPrefix(rest, `"`) || decoder.Decode(&value) != nil || strings.ContainsRune(value, 0) {
		return "", "", unknownFilter()
	}
	return value, rest[decoder.InputOffset():], nil
}
