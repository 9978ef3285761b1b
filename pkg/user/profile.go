package user

import (
	"context"
	"strconv"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// FieldType is the type of the answers to a custom profile field (rest-api.md, section 4.7).
type FieldType int16

// The types, with the interface's own numbers.
const (
	ShortText       FieldType = 1
	LongText        FieldType = 2
	Choice          FieldType = 3
	Date            FieldType = 4
	URL             FieldType = 5
	Person          FieldType = 6
	ExternalAccount FieldType = 7
)

// Profiles are answers to custom profile fields, by account and by the field's id as a string.
type Profiles map[id.User]map[string]event.ProfileValue

// of returns an account's answers, never nil.
func (p Profiles) of(user id.User) map[string]event.ProfileValue {
	if answers := p[user]; answers != nil {
		return answers
	}
	return map[string]event.ProfileValue{}
}

func (p Profiles) add(user id.User, field int64, value event.ProfileValue) {
	if p[user] == nil {
		p[user] = map[string]event.ProfileValue{}
	}
	p[user][strconv.FormatInt(field, 10)] = value
}

// Fields returns the organization's custom profile fields in their order.
func Fields(ctx context.Context, tx *store.Tx) ([]event.ProfileField, error) {
	rows, err := tx.ProfileFields(ctx)
	return lists.Map(rows, func(row sqlc.ProfileFieldsRow) event.ProfileField {
		return event.ProfileField{ID: row.FieldID, Name: row.Name, Type: row.Type, Hint: row.Hint, Data: row.FieldData, Order: row.Position}
	}), err
}

// allProfiles returns the answers of everybody.
func allProfiles(ctx context.Context, tx *store.Tx) (Profiles, error) {
	rows, err := tx.AllProfileValues(ctx)
	profiles := Profiles{}
	for _, row := range rows {
		profiles.add(row.UserID, row.FieldID, event.ProfileValue{Value: row.Value, Rendered: row.Rendered})
	}
	return profiles, err
}

// profileOf returns the answers of one account.
func profileOf(ctx context.Context, tx *store.Tx, user id.User) (Profiles, error) {
	rows, err := tx.ProfileValuesOf(ctx, user)
	profiles := Profiles{}
	for _, row := range rows {
		profiles.add(user, row.FieldID, event.ProfileValue{Value: row.Value, Rendered: row.Rendered})
	}
	return profiles, err
}
