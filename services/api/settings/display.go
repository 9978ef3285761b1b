package settings

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type displayParams struct {
	user.DisplaySwitches
	// Code of the language, as in "de".
	DefaultLanguage *endpoint.JSONString `param:"default_language"`
	// Look of emoji: one of the keys in emojiset_choices.
	Emojiset *endpoint.JSONString `param:"emojiset" enum:"google,google-blob,twitter,text"`
	// Time zone: an IANA name, as in "Europe/Vienna".
	Timezone *endpoint.JSONString `param:"timezone"`
}

// Display changes the caller's display settings. The answer has the settings whose value has changed.
func Display(users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /settings/display", Who: permit.Human, ChangesCallers: true,
		Faults: endpoint.Faults{user.ErrLanguage, user.ErrTimezone},
	}, func(ctx context.Context, who actor.Actor, in displayParams) (user.DisplayChange, error) {
		return users.SetDisplay(ctx, who, user.DisplayChange{
			DisplaySwitches: in.DisplaySwitches,
			DefaultLanguage: (*string)(in.DefaultLanguage), Emojiset: (*string)(in.Emojiset), Timezone: (*string)(in.Timezone),
		})
	})
}
