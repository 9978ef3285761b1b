package profile

import (
	"context"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// Errors of a field (rest-api.md, section 4.7).
var (
	ErrBlank    = fault.Bad("Label cannot be blank.")
	ErrLongHint = fault.Bad("hint is too long (limit: 80 characters)")
	ErrLongName = fault.Bad("name is too long (limit: 40 characters)")
	ErrType     = fault.Bad("Invalid field type.")
	ErrExists   = fault.Plain("A field with that label already exists.")
	ErrNoField  = fault.Plain("Field id %d not found.")
	ErrFixed    = fault.Plain("Default custom field cannot be updated.")
	ErrOrder    = fault.Bad("Invalid order mapping.")
	// ErrManyFields says that there already are [maxFields].
	ErrManyFields = fault.Bad("There are too many profile fields: the limit is %d.")
)

// Draft is a field to create, or the new values of a field.
type Draft struct {
	Name string
	Hint string
	Type user.FieldType // ignored if the field exists
	Data map[string]any // choices, or a kind of account elsewhere
}

// check returns the draft in its stored form, or a fault. data is JSON or empty.
func (d Draft) check() (checked Draft, data string, err error) {
	if data, err = encodeData(d.Type, d.Data); err != nil {
		return d, "", err
	}
	if known, ok := predefined(d.Type, d.Data); ok {
		d.Name, d.Hint = known.Name, known.Hint
	}
	d.Name = spelling.Name(d.Name)
	switch {
	case spelling.IsBlank(d.Name):
		return d, "", ErrBlank
	case utf8.RuneCountInString(d.Hint) > maxHint:
		return d, "", ErrLongHint
	case utf8.RuneCountInString(d.Name) > maxName:
		return d, "", ErrLongName
	case d.Type < user.ShortText || d.Type > user.ExternalAccount:
		return d, "", ErrType
	}
	return d, data, nil
}

// Create creates a field at the end of the order. A predefined kind of account elsewhere determines the name and the
// hint. Create fails with [ErrData], [ErrNoChoice], [ErrBlankChoice], [ErrAccount], [ErrNoPattern], [ErrPattern],
// [ErrPatternURL], [ErrLongData], [ErrBlank], [ErrLongHint], [ErrLongName], [ErrType], [ErrManyFields] or
// [ErrExists].
func (s *Service) Create(ctx context.Context, who actor.Actor, draft Draft) (number int64, err error) {
	draft, data, err := draft.check()
	if err != nil {
		return 0, err
	}
	err = s.write(ctx, who, func(tx *store.Tx, fields []event.ProfileField) error {
		if len(fields) >= maxFields {
			return ErrManyFields.Format(maxFields)
		}
		if err := free(ctx, tx, draft.Name, 0); err != nil {
			return err
		}
		position := int32(1)
		if len(fields) > 0 {
			position = fields[len(fields)-1].Order + 1
		}
		number, err = tx.CreateProfileField(ctx, sqlc.CreateProfileFieldParams{
			Name: draft.Name, Type: int16(draft.Type), Hint: draft.Hint, FieldData: data, Position: position,
		})
		if err != nil {
			return err
		}
		return emit(ctx, tx, "add")
	})
	return number, err
}

// free fails if another field has the name.
func free(ctx context.Context, tx *store.Tx, name string, field int64) error {
	taken, err := tx.ProfileLabelTaken(ctx, name, field)
	if err == nil && taken {
		err = ErrExists
	}
	return err
}

// Change changes a field to the draft, except for its type. It fails with [ErrNoField], [ErrFixed], and with the
// errors of [Service.Create] except for [ErrType] and [ErrManyFields].
func (s *Service) Change(ctx context.Context, who actor.Actor, number int64, draft Draft) error {
	return s.write(ctx, who, func(tx *store.Tx, fields []event.ProfileField) error {
		before, ok := find(fields, number)
		if !ok {
			return ErrNoField.Format(number)
		}
		draft.Type = user.FieldType(before.Type)
		if isPredefined(before) {
			return ErrFixed
		}
		draft, data, err := draft.check()
		if err != nil {
			return err
		}
		if err := free(ctx, tx, draft.Name, number); err != nil {
			return err
		}
		params := sqlc.SaveProfileFieldParams{FieldID: number, Name: draft.Name, Hint: draft.Hint, FieldData: data}
		if err := tx.SaveProfileField(ctx, params); err != nil {
			return err
		}
		return emit(ctx, tx, "update")
	})
}

// Order changes the order of the fields. It must contain all of them. Unknown ones are ignored. It fails with
// [ErrOrder].
func (s *Service) Order(ctx context.Context, who actor.Actor, order []int64) error {
	return s.write(ctx, who, func(tx *store.Tx, fields []event.ProfileField) error {
		named := make([]int64, 0, len(fields))
		for _, number := range order {
			if _, ok := find(fields, number); ok {
				fields = without(fields, number)
				named = append(named, number)
			}
		}
		if len(fields) > 0 {
			return ErrOrder
		}
		if err := tx.OrderProfileFields(ctx, named); err != nil {
			return err
		}
		return emit(ctx, tx, "update")
	})
}

// without returns the fields except for one.
func without(fields []event.ProfileField, number int64) []event.ProfileField {
	left := make([]event.ProfileField, 0, len(fields))
	for _, field := range fields {
		if field.ID != number {
			left = append(left, field)
		}
	}
	return left
}

// Remove removes a field with all answers. This may take several transactions, but the field disappears for everyone
// with the first one. It fails with [ErrNoField].
func (s *Service) Remove(ctx context.Context, who actor.Actor, number int64) error {
	left := int64(0)
	err := s.write(ctx, who, func(tx *store.Tx, fields []event.ProfileField) (err error) {
		if _, ok := find(fields, number); !ok {
			return ErrNoField.Format(number)
		}
		if err := tx.HideProfileField(ctx, number); err != nil {
			return err
		}
		if err := tx.Emit(ctx, event.ProfileFieldsChanged{Op: "delete", Fields: without(fields, number)}); err != nil {
			return err
		}
		left, err = removals().Begin(ctx, tx, removal{Field: number})
		return err
	})
	if err != nil {
		return err
	}
	return removals().Await(ctx, s.db, who.Org(), left, s.now)
}

// removal is the rest of the removal of a field: its answers.
type removal struct{ Field int64 }

// removals is the kind of change that removes the answers to a field.
func removals() steps.Kind[removal] {
	return steps.NewKind("remove_profile_field", minRemoved, maxRemoved, removeMore)
}

// Kinds returns the kinds of changes that take several transactions.
func (*Service) Kinds() []steps.Resumable { return []steps.Resumable{removals()} }

// removeMore is a step of a removal.
func removeMore(ctx context.Context, tx *store.Tx, left *removal, pace *steps.Pace) (done bool, err error) {
	pace.Begin(pace.Rows())
	removed, err := tx.DropProfileValues(ctx, left.Field, int32(pace.Rows())) // at most a thousand
	if err != nil || removed == int64(pace.Rows()) {
		return false, err
	}
	return true, tx.DeleteProfileField(ctx, left.Field)
}
