package profile

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Errors of an answer (rest-api.md, section 4.7). Texts name the field.
var (
	ErrUnknown   = fault.Bad("Field id %d not found.")
	ErrNotString = fault.Bad("%s is not a string")
	ErrLong      = fault.Bad("%s is too long (limit: %d characters)")
	ErrChoice    = fault.Bad("'%s' is not a valid choice for '%s'.")
	ErrDate      = fault.Bad("%s is not a date")
	ErrURL       = fault.Bad("%s is not a URL")
	ErrPeople    = fault.Bad("User IDs is not a list")
	ErrUser      = fault.Bad("Invalid user ID: %d")
	ErrInactive  = fault.Bad("User with ID %d is deactivated")
	ErrBot       = fault.Bad("User with ID %d is a bot")
	// ErrManyPeople says that an answer names too many people.
	ErrManyPeople = fault.Bad("Too many user IDs: the answer has %d, the limit is %d.")
	// ErrRendered says that an answer is too large as HTML.
	ErrRendered = fault.Bad("Unable to render the answer to %s")
)

// Answer is an account's answer to a field: a text or people. If both are empty, the answer is removed.
type Answer struct {
	Field  int64
	Text   *string
	People []id.User
}

// value returns an answer in its stored form, or a fault.
func (s *Service) value(ctx context.Context, tx *store.Tx, o org.Org, field event.ProfileField, a Answer) (value event.ProfileValue, err error) {
	kind := user.FieldType(field.Type)
	if kind == user.Person {
		if a.Text != nil {
			return value, ErrPeople
		}
		value.Value, err = people(ctx, tx, a.People)
		return value, err
	}
	if a.Text == nil {
		return value, ErrNotString.Format(field.Name)
	}
	value.Value = *a.Text
	switch kind {
	case user.ShortText, user.ExternalAccount:
		err = short(field, value.Value, maxShort)
	case user.LongText:
		err = short(field, value.Value, maxLong)
	case user.Choice:
		err = chosen(field, value.Value)
	case user.Date:
		if _, wrong := time.Parse(time.DateOnly, value.Value); wrong != nil {
			err = ErrDate.Format(field.Name)
		}
	case user.URL:
		if !isURL(value.Value) {
			err = ErrURL.Format(field.Name)
		}
	case user.Person: // above
	}
	if err != nil || kind != user.ShortText && kind != user.LongText {
		return value, err
	}
	html, err := s.render.RenderDescription(ctx, value.Value, markdown.Context{OrgURL: o.URI})
	switch {
	case ctx.Err() != nil:
		return value, fmt.Errorf("render an answer: %w", ctx.Err())
	case err != nil:
		return value, ErrRendered.Format(field.Name).Wrap(err)
	case len(html) > maxRendered:
		return value, ErrRendered.Format(field.Name)
	}
	value.Rendered = &html
	return value, nil
}

// short fails if a text is longer than maxLength characters.
func short(field event.ProfileField, text string, maxLength int) error {
	if utf8.RuneCountInString(text) > maxLength {
		return ErrLong.Format(field.Name, maxLength)
	}
	return nil
}

// chosen fails unless the value is one of the field's choices.
func chosen(field event.ProfileField, value string) error {
	choices := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(field.Data), &choices); err != nil {
		return fmt.Errorf("decode choices of field %d: %w", field.ID, err)
	}
	if _, ok := choices[value]; !ok {
		return ErrChoice.Format(value, field.Name)
	}
	return nil
}

// people returns an answer with people in its stored form. They must be active and not bots.
func people(ctx context.Context, tx *store.Tx, named []id.User) (string, error) {
	if len(named) > maxPeople {
		return "", ErrManyPeople.Format(len(named), maxPeople)
	}
	found, err := user.ByIDs(ctx, tx, named)
	if err != nil {
		return "", err
	}
	known := lists.Index(found, func(u user.User) id.User { return u.ID })
	for _, number := range named {
		switch u, ok := known[number]; {
		case !ok || u.System:
			return "", ErrUser.Format(number)
		case !u.Active:
			return "", ErrInactive.Format(number)
		case u.IsBot():
			return "", ErrBot.Format(number)
		}
	}
	texts := lists.Map(named, func(number id.User) string { return strconv.FormatInt(int64(number), 10) })
	return "[" + strings.Join(texts, ", ") + "]", nil
}
