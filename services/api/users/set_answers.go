package users

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/profile"
)

type setAnswersParams struct {
	// Answers to custom profile fields, at most 100; other answers stay as they are.
	Data []ownAnswer `param:"data"`
}

// ownAnswer is an answer to a custom profile field.
type ownAnswer struct {
	// ID of the field.
	ID int64 `json:"id"`
	// A text; for the type of fields that name people a list of user IDs.
	Value endpoint.Either[string, []id.User] `json:"value"`
}

// answer returns the answer to a field.
func answer(field int64, value endpoint.Either[string, []id.User]) profile.Answer {
	a := profile.Answer{Field: field, Text: value.First}
	if value.Second != nil {
		a.People = *value.Second
	}
	return a
}

// answerFaults returns the faults of answers.
func answerFaults() endpoint.Faults {
	return endpoint.Faults{
		profile.ErrMany, profile.ErrUnknown, profile.ErrNotString, profile.ErrLong, profile.ErrChoice, profile.ErrDate, profile.ErrURL,
		profile.ErrPeople, profile.ErrUser, profile.ErrInactive, profile.ErrBot, profile.ErrManyPeople, profile.ErrRendered, profile.ErrFull,
	}
}

// SetAnswers changes the caller's answers to custom profile fields.
func SetAnswers(profiles *profile.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /users/me/profile_data", Who: permit.Human, Faults: answerFaults(),
	}, func(ctx context.Context, who actor.Actor, in setAnswersParams) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, profiles.SetOwn(ctx, who, lists.Map(in.Data, func(a ownAnswer) profile.Answer { return answer(a.ID, a.Value) }))
	})
}
