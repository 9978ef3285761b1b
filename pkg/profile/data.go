package profile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/user"
)

// Errors of field_data (rest-api.md, sections 1.3 and 4.7).
var (
	// ErrData contains the interface's text of an error.
	ErrData        = fault.Bad("%s")
	ErrNoChoice    = fault.Bad("Field must have at least one choice.")
	ErrBlankChoice = fault.Bad("'value' cannot be blank.")
	ErrAccount     = fault.Bad("Invalid external account type")
	ErrNoPattern   = fault.Bad("Custom external account must define url pattern")
	ErrPattern     = fault.Bad("Malformed URL pattern.")
	ErrPatternURL  = fault.Bad("url_pattern is not a URL")
	ErrLongData    = fault.Bad("field_data is too long: it has %d bytes, the limit is %d")
)

// ExternalAccount is a kind of account elsewhere that profiles can link to.
type ExternalAccount struct {
	Text       string `json:"text"`        // of the link
	URLPattern string `json:"url_pattern"` // with %(username)s
	Name       string `json:"name"`        // of the profile field
	Hint       string `json:"hint"`        // helps to fill in the field
}

// ExternalAccounts are the kinds of accounts elsewhere that are known, by their names.
func ExternalAccounts() map[string]ExternalAccount {
	return map[string]ExternalAccount{
		"github":  {"GitHub", "https://github.com/%(username)s", "GitHub username", "Without the address in front of it"},
		"twitter": {"Twitter", "https://twitter.com/%(username)s", "Twitter username", "Without the @ in front of it"},
	}
}

const (
	subtype = "subtype"
	// ownKind is the subtype of accounts with their own url_pattern.
	ownKind  = "custom"
	pattern  = "url_pattern"
	username = "%(username)s"
)

// predefined returns the predefined kind of account elsewhere of a field, if it has one.
func predefined(kind user.FieldType, data map[string]any) (ExternalAccount, bool) {
	name, _ := data[subtype].(string)
	known, ok := ExternalAccounts()[name]
	return known, ok && kind == user.ExternalAccount
}

// isPredefined reports whether a field has a predefined kind of account elsewhere.
func isPredefined(field event.ProfileField) bool {
	data := map[string]any{}
	if json.Unmarshal([]byte(field.Data), &data) != nil {
		return false
	}
	_, ok := predefined(user.FieldType(field.Type), data)
	return ok
}

// encodeData returns the data of a field in its stored form. It returns an empty text for types without data.
func encodeData(kind user.FieldType, data map[string]any) (string, error) {
	check := checkChoices
	switch kind {
	case user.Choice:
	case user.ExternalAccount:
		check = checkAccount
	case user.ShortText, user.LongText, user.Date, user.URL, user.Person:
		return "", nil
	default:
		return "", nil // the type is invalid
	}
	if err := check(data); err != nil {
		return "", err
	}
	text := bytes.Buffer{}
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		return "", fmt.Errorf("encode field_data: %w", err)
	}
	if text.Len() > maxData {
		return "", ErrLongData.Format(text.Len(), maxData)
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}

// checkChoices checks the choices of a field, by their values.
func checkChoices(data map[string]any) error {
	if len(data) == 0 {
		return ErrNoChoice
	}
	for _, value := range slices.Sorted(maps.Keys(data)) {
		if strings.TrimSpace(value) == "" {
			return ErrBlankChoice
		}
		choice, ok := data[value].(map[string]any)
		if !ok {
			return ErrData.Format("field_data is not a dict")
		}
		for _, member := range []string{"text", "order"} {
			text, err := textIn(choice, member)
			if err != nil {
				return err
			}
			if strings.TrimSpace(text) == "" {
				return ErrData.Format(`field_data["` + member + `"] cannot be blank.`)
			}
		}
		if err := closed(choice, "text", "order"); err != nil {
			return err
		}
	}
	return nil
}

// checkAccount checks the kind of account elsewhere of a field.
func checkAccount(data map[string]any) error {
	kind, err := textIn(data, subtype)
	if err != nil {
		return err
	}
	address, hasPattern := "", data[pattern] != nil
	if hasPattern {
		if address, err = textIn(data, pattern); err != nil {
			return err
		}
	}
	if err := closed(data, subtype, pattern); err != nil {
		return err
	}
	_, known := ExternalAccounts()[kind]
	switch {
	case known:
		return nil
	case kind != ownKind:
		return ErrAccount
	case !hasPattern:
		return ErrNoPattern
	case strings.Count(address, username) != 1:
		return ErrPattern
	case !isURL(strings.Replace(address, username, "username", 1)):
		return ErrPatternURL
	}
	return nil
}

// textIn returns a member of an object that must be a text.
func textIn(object map[string]any, member string) (string, error) {
	value, ok := object[member]
	if !ok {
		return "", ErrData.Format(member + " key is missing from field_data")
	}
	text, ok := value.(string)
	if !ok {
		return "", ErrData.Format(`field_data["` + member + `"] is not a string`)
	}
	return text, nil
}

// closed fails if an object has unknown members.
func closed(object map[string]any, known ...string) error {
	extra := []string{}
	for _, member := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(known, member) {
			extra = append(extra, member)
		}
	}
	if len(extra) > 0 {
		return ErrData.Format("Unexpected arguments: " + strings.Join(extra, ", "))
	}
	return nil
}

// isURL reports whether a text is a URL that is safe to follow.
func isURL(text string) bool {
	address, err := url.Parse(text)
	return err == nil && len(text) <= maxURL && address.Hostname() != "" && slices.Contains([]string{"http", "https", "ftp", "ftps"}, address.Scheme)
}
