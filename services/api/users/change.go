package users

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/profile"
	"chatserver.dev/pkg/user"
)

type changeParams struct {
	// ID of the account: a person's or a bot's, active or not.
	UserID id.User `path:"user_id"`
	// New full name; a blank one changes nothing.
	FullName *endpoint.JSONString `param:"full_name"`
	// New role: 100 owner, 200 administrator, 400 member, 600 guest. Only owners may make an account an owner, or
	// change an owner's role.
	Role *int `param:"role"`
	// Answers to custom profile fields, at most 100; other answers stay as they are. Bots have none.
	Answers []givenAnswer `param:"profile_data" default:"[]"`
}

// givenAnswer is an answer to a custom profile field, or none.
type givenAnswer struct {
	// ID of the field.
	ID int64 `json:"id"`
	// A text; for the type of fields that name people a list of user IDs. An empty one, or null, removes the answer.
	Value *endpoint.Either[string, []id.User] `json:"value" absent:"refused"`
}

// answer returns the answer, without a value if it is to be removed.
func (a givenAnswer) answer() profile.Answer {
	if a.Value == nil || a.Value.First != nil && *a.Value.First == "" || a.Value.Second != nil && len(*a.Value.Second) == 0 {
		return profile.Answer{Field: a.ID}
	}
	return answer(a.ID, *a.Value)
}

// Change changes an account. Administrators may change any account, other callers their own bots.
func Change(accounts *account.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /users/{user_id}", Who: permit.Anyone, ChangesCallers: true,
		Faults: append(answerFaults(),
			user.ErrNoSuchUser, account.ErrPermission, account.ErrRole, account.ErrOnlyOwner, permit.ErrNotAdmin, permit.ErrNotOwner,
			user.ErrNameTooLong, user.ErrNameTooShort, user.ErrNameCharacters, user.ErrNameFormat, user.ErrNameInUse),
	}, func(ctx context.Context, who actor.Actor, in changeParams) (endpoint.Nothing, error) {
		change := account.Change{FullName: (*string)(in.FullName), Answers: lists.Map(in.Answers, givenAnswer.answer)}
		if in.Role != nil {
			change.Role = new(actor.RoleOf(*in.Role))
		}
		return endpoint.Nothing{}, accounts.Change(ctx, who, in.UserID, change)
	})
}
