package profile

import (
	"context"
	"maps"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// ErrMany says that a request has more than [maxAnswers] answers.
var ErrMany = fault.Bad("Too many answers: the request has %d, the limit is %d.")

// ErrFull says that the answer would exceed the organization's limit on all answers.
var ErrFull = fault.Bad("The profiles of the organization are too large: there is no room for this answer.")

// SetOwn changes the caller's answers. It fails with [ErrMany], [ErrUnknown], [ErrFull], and with the errors of an
// answer.
func (s *Service) SetOwn(ctx context.Context, who actor.Actor, answers []Answer) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		change, err := s.Prepare(ctx, tx, who.User, answers)
		if err != nil {
			return err
		}
		return change.Write(ctx, tx)
	})
}

// ClearOwn removes the caller's answers to some fields. It fails with [ErrMany] or [ErrUnknown].
func (s *Service) ClearOwn(ctx context.Context, who actor.Actor, fields []int64) error {
	return s.SetOwn(ctx, who, lists.Map(fields, func(field int64) Answer { return Answer{Field: field} }))
}

// Change contains new answers of an account, ready to be written.
type Change struct {
	of     id.User
	after  map[int64]event.ProfileValue
	set    []int64 // fields
	remove []int64 // fields
	events []event.Event
}

// Prepare reads and checks a change of an account's answers. Of several answers to one field, the last one counts.
// Call it before the transaction's first write. It locks fields and the account's answers until the transaction ends.
// It fails with the errors of [Service.SetOwn].
func (s *Service) Prepare(ctx context.Context, tx *store.Tx, of id.User, answers []Answer) (Change, error) {
	c := Change{of: of, after: map[int64]event.ProfileValue{}}
	if len(answers) == 0 {
		return c, nil
	}
	if len(answers) > maxAnswers {
		return c, ErrMany.Format(len(answers), maxAnswers)
	}
	if err := tx.HoldProfileFields(ctx); err != nil {
		return c, err
	}
	if err := tx.LockUser(ctx, int64(of)); err != nil {
		return c, err
	}
	o, err := s.orgs.Load(ctx, tx)
	if err != nil {
		return c, err
	}
	fields, err := user.Fields(ctx, tx)
	if err != nil {
		return c, err
	}
	before, err := answersOf(ctx, tx, of)
	if err != nil {
		return c, err
	}
	maps.Copy(c.after, before)
	touched := []int64{}
	for _, answer := range answers {
		field, ok := find(fields, answer.Field)
		if !ok {
			return c, ErrUnknown.Format(answer.Field)
		}
		if delete(c.after, field.ID); answer.Text != nil || answer.People != nil {
			if c.after[field.ID], err = s.value(ctx, tx, o, field, answer); err != nil {
				return c, err
			}
		}
		if !slices.Contains(touched, field.ID) {
			touched = append(touched, field.ID)
		}
	}
	return c, c.compare(ctx, tx, before, touched)
}

// answersOf returns the answers of an account by field.
func answersOf(ctx context.Context, tx *store.Tx, of id.User) (map[int64]event.ProfileValue, error) {
	rows, err := tx.ProfileValuesOf(ctx, of)
	answers := make(map[int64]event.ProfileValue, len(rows))
	for _, row := range rows {
		answers[row.FieldID] = event.ProfileValue{Value: row.Value, Rendered: row.Rendered}
	}
	return answers, err
}

// compare determines which answers differ, and checks the limit of the organization.
func (c *Change) compare(ctx context.Context, tx *store.Tx, before map[int64]event.ProfileValue, touched []int64) error {
	more := int64(0)
	for _, field := range touched {
		was, had := before[field]
		current, has := c.after[field]
		changed := &event.ChangedAnswer{ID: field}
		switch {
		case has && (!had || was.Value != current.Value):
			c.set = append(c.set, field)
			changed.Value, changed.Rendered = &current.Value, current.Rendered
		case had && !has:
			c.remove = append(c.remove, field)
		default:
			continue
		}
		more += size(current) - size(was)
		c.events = append(c.events, event.RealmUserUpdate{
			Person: event.ChangedAccount{UserID: c.of, ProfileField: changed}, To: event.Audience{Everyone: true},
		})
	}
	if more <= 0 {
		return nil
	}
	room, err := tx.ProfileRoom(ctx)
	if err == nil && room.Bytes+more > roomForAll+roomPerAccount*room.Accounts {
		err = ErrFull
	}
	return err
}

// size returns the size of an answer in bytes.
func size(v event.ProfileValue) int64 {
	bytes := len(v.Value)
	if v.Rendered != nil {
		bytes += len(*v.Rendered)
	}
	return int64(bytes)
}

// Write writes the answers, and emits an event for each changed one.
func (c Change) Write(ctx context.Context, tx *store.Tx) error {
	if len(c.set) > 0 {
		params := sqlc.SetProfileValuesParams{UserID: c.of, FieldIds: c.set}
		for _, field := range c.set {
			value, html := c.after[field], ""
			if value.Rendered != nil {
				html = *value.Rendered
			}
			params.Answers, params.Rendered = append(params.Answers, value.Value), append(params.Rendered, html)
			params.AreRendered = append(params.AreRendered, value.Rendered != nil)
		}
		if err := tx.SetProfileValues(ctx, params); err != nil {
			return err
		}
	}
	if len(c.remove) > 0 {
		if err := tx.RemoveProfileValues(ctx, c.of, c.remove); err != nil {
			return err
		}
	}
	return tx.Emit(ctx, c.events...)
}
