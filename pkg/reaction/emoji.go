package reaction

import (
	"context"
	"strconv"

	"chatserver.dev/pkg/customemoji"
	"chatserver.dev/pkg/emoji"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/store"
)

// The kinds of emoji (rest-api.md, section 2.13).
const (
	unicodeEmoji = "unicode_emoji"
	customEmoji  = "realm_emoji"
	extraEmoji   = "zulip_extra_emoji"
)

// extraName is the only extra emoji; its code is the same.
const extraName = "zulip"

// Errors of an emoji.
var (
	// ErrNoEmoji says that no emoji has the name.
	ErrNoEmoji = fault.Bad("Emoji '%s' does not exist")
	// ErrCustom says that no custom emoji has the id.
	ErrCustom = fault.Bad("Invalid custom emoji.")
	// ErrCustomName says that the custom emoji with the id has another name.
	ErrCustomName = fault.Bad("Invalid custom emoji name.")
	// ErrDeactivated says that the custom emoji can't be used any more.
	ErrDeactivated = fault.Bad("This custom emoji has been deactivated.")
	// ErrCode says that no emoji has the code.
	ErrCode = fault.Bad("Invalid emoji code.")
	// ErrName says that the emoji with the code has another name.
	ErrName = fault.Bad("Invalid emoji name.")
	// ErrKind says that there is no such kind of emoji.
	ErrKind = fault.Bad("Invalid emoji type.")
)

// Emoji is an emoji in a request. A field that the client omitted is empty, and follows from the name.
type Emoji struct{ Name, Code, Kind string }

// byName returns the kind and the code of the emoji with a name. Custom emoji have precedence.
func byName(ctx context.Context, tx *store.Tx, name string) (kind, code string, err error) {
	custom, err := customemoji.ByNames(ctx, tx, []string{name})
	if err != nil {
		return "", "", err
	}
	if found, ok := custom[name]; ok {
		return customEmoji, strconv.FormatInt(found.ID, 10), nil
	}
	if name == extraName {
		return extraEmoji, extraName, nil
	}
	code, ok := emoji.ByName(name)
	if !ok {
		return "", "", ErrNoEmoji.Format(name)
	}
	return unicodeEmoji, code, nil
}

// complete looks up the fields that the client omitted.
func (e Emoji) complete(ctx context.Context, tx *store.Tx) (Emoji, error) {
	if e.Code != "" && e.Kind != "" {
		return e, nil
	}
	kind, code, err := byName(ctx, tx, e.Name)
	if e.Kind == "" {
		e.Kind = kind
	}
	if e.Code == "" {
		e.Code = code
	}
	return e, err
}

// check fails if an emoji that the message doesn't have yet is invalid.
func (e Emoji) check(ctx context.Context, tx *store.Tx) error {
	if e.Kind != customEmoji {
		return e.Check()
	}
	number, err := strconv.ParseInt(e.Code, 10, 64)
	if err != nil || strconv.FormatInt(number, 10) != e.Code {
		return ErrCustom
	}
	name, active, err := customemoji.ByID(ctx, tx, number)
	switch {
	case store.IsNotFound(err):
		return ErrCustom
	case err != nil:
		return err
	case name != e.Name:
		return ErrCustomName
	case !active:
		return ErrDeactivated
	}
	return nil
}

// Check fails if an emoji other than a custom one is invalid.
func (e Emoji) Check() error {
	switch e.Kind {
	case unicodeEmoji:
		if _, ok := emoji.Canonical(e.Code); !ok {
			return ErrCode
		}
		if code, _ := emoji.ByName(e.Name); code != e.Code {
			return ErrName
		}
	case extraEmoji:
		if e.Code != extraName {
			return ErrCode
		}
		if e.Name != extraName {
			return ErrName
		}
	default:
		return ErrKind
	}
	return nil
}
