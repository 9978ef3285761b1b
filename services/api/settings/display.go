package settings

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

type displayParams struct {
	displaySwitches
	// Code of the language, as in "de".
	DefaultLanguage *endpoint.JSONString `param:"default_language"`
	// Look of emoji: one of the keys in emojiset_choices.
	Emojiset *endpoint.JSONString `param:"emojiset" enum:"google,google-blob,twitter,text"`
	// Time zone: an IANA name, as in "Europe/Vienna".
	Timezone *endpoint.JSONString `param:"timezone"`
}

// displaySwitches has the fields of user.DisplaySwitches, which it is converted to.
type displaySwitches struct {
	// Whether times are shown as 17:00 instead of 5:00 PM.
	TwentyFourHourTime *bool `param:"twenty_four_hour_time"`
	// Less space between messages.
	DenseMode *bool `param:"dense_mode"`
	// Whether to show how many messages are starred.
	StarredMessageCounts *bool `param:"starred_message_counts"`
	// As wide as the window.
	FluidLayoutWidth *bool `param:"fluid_layout_width"`
	// Stronger colors.
	HighContrastMode *bool `param:"high_contrast_mode"`
	// 1 automatic, 2 night, 3 day.
	ColorScheme *int `param:"color_scheme" enum:"1,2,3"`
	// Whether emoticons in the user's messages become emoji.
	TranslateEmoticons *bool `param:"translate_emoticons"`
	// Whether people are listed on the left in narrow windows.
	LeftSideUserlist *bool `param:"left_side_userlist"`
	// Whether inactive streams are listed last: 1 automatic, 2 always, 3 never.
	DemoteInactiveStreams *int `param:"demote_inactive_streams" enum:"1,2,3"`
}

// Display changes the caller's display settings. The answer has those that really changed, each with its
// new value.
func Display(users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "PATCH /settings/display", Who: permit.Human,
		Faults: endpoint.Faults{user.ErrLanguage, user.ErrTimezone},
	}, func(ctx context.Context, who actor.Actor, in displayParams) (user.DisplayChange, error) {
		return users.SetDisplay(ctx, who, user.DisplayChange{
			DisplaySwitches: user.DisplaySwitches(in.displaySwitches),
			DefaultLanguage: (*string)(in.DefaultLanguage), Emojiset: (*string)(in.Emojiset), Timezone: (*string)(in.Timezone),
		})
	})
}
