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

// What can be wrong with an emoji.
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

// Emoji is an emoji as a client names it. What a client left out is "" and follows from the name.
type Emoji struct{ Name, Code, Kind string }

// byName returns kind and code of the emoji with a name; custom emoji come first.
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

// complete looks up what the client left out.
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

// check reports what is wrong with an emoji that nobody put on the message yet.
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

// Check reports what is wrong with an emoji that isn't an organization's own.
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
