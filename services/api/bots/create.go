package bots

import (
	"context"
	"io"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/permit"
	pictures "chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/picture"
)

type createParams struct {
	// Full name, which no other active account has.
	FullName string `param:"full_name"`
	// Beginning of the bot's address, before "-bot@": 1 to 50 ASCII letters, digits, dots, hyphens, plus signs and
	// underscores, the first a letter or a digit.
	ShortName string `param:"short_name"`
	// Kind of bot: 1 generic, 2 incoming webhook, 3 outgoing webhook.
	BotType int16 `param:"bot_type" default:"1"`
	// Address that an outgoing webhook bot sends messages to: http or https, at most 2048 bytes.
	PayloadURL *endpoint.JSONString `param:"payload_url"`
	// Not supported for incoming webhook bots, and without effect for others.
	ServiceName string `param:"service_name" default:""`
	// Format of an outgoing webhook bot's requests: 1 generic, 2 like Slack's.
	InterfaceType int `param:"interface_type" default:"1"`
	// Configuration of an incoming webhook bot, at most 10000 characters.
	ConfigData map[string]string `param:"config_data" default:"{}"`
	defaults
}

// defaults are the defaults for a bot's requests.
type defaults struct {
	// Name of the stream that the bot sends to by default; empty: none.
	Sending *string `param:"default_sending_stream"`
	// Name of the stream whose messages the bot's event queues receive by default; empty: none.
	Events *string `param:"default_events_register_stream"`
	// Whether the bot's event queues receive the messages of all public streams by default.
	AllPublicStreams *bool `param:"default_all_public_streams"`
}

// Check fails if the address that an outgoing webhook bot sends to is missing or invalid.
func (p createParams) Check() error {
	switch {
	case p.PayloadURL != nil && *p.PayloadURL != "":
		return account.CheckBotURL("payload_url", string(*p.PayloadURL))
	case actor.BotType(p.BotType) == actor.OutgoingWebhook:
		return fault.Missing("payload_url")
	}
	return nil
}

// oneAvatar accepts the picture of a bot, which is optional.
func oneAvatar() endpoint.OneFile {
	one := picture.OneImage("You may only upload one file at a time")
	one.Missing = nil
	return one
}

// given returns the image in a request, and reserves memory for it; nil: there is none.
func given(ctx context.Context, image *endpoint.File) (io.Reader, error) {
	if !image.Sent() {
		return nil, nil //nolint:nilnil // nil is the documented answer
	}
	return image, picture.Reserve(ctx)
}

// Create creates a bot that the caller owns. Its picture may be in the request, as an image like that for the caller's
// own picture. The answer has the bot's API key, which can't be shown again. An account can own 100 active bots and
// create 50 in 24 hours; an organization can have 2,000.
func Create(accounts *account.Service) endpoint.Endpoint {
	return endpoint.Upload(endpoint.About{
		Route: "POST /bots", Who: permit.Member,
		Faults: endpoint.Faults{
			account.ErrURL, account.ErrShortName, user.ErrNameTooLong, user.ErrNameTooShort, user.ErrNameCharacters, user.ErrNameFormat,
			account.ErrEmbedded, account.ErrEmail, account.ErrUsername, user.ErrNameInUse, permit.ErrNotAdmin, account.ErrBotType,
			account.ErrInterface, stream.ErrInvalidName, account.ErrIntegration, account.ErrConfigSize, account.ErrManyBots,
			pictures.ErrNoImage, pictures.ErrLarge, file.ErrNone,
		},
	}, oneAvatar(), func(ctx context.Context, who actor.Actor, in createParams, image *endpoint.File) (account.CreatedBot, error) {
		draft := account.BotDraft{
			FullName: in.FullName, ShortName: in.ShortName, Kind: actor.BotType(in.BotType), Interface: in.InterfaceType,
			Integration: in.ServiceName, Config: in.ConfigData,
			AllPublicStreams: in.AllPublicStreams != nil && *in.AllPublicStreams,
		}
		if in.PayloadURL != nil {
			draft.PayloadURL = string(*in.PayloadURL)
		}
		if in.Sending != nil {
			draft.Sending = *in.Sending
		}
		if in.Events != nil {
			draft.Events = *in.Events
		}
		var err error
		if draft.Image, err = given(ctx, image); err != nil {
			return account.CreatedBot{}, err
		}
		return accounts.CreateBot(ctx, who, draft)
	})
}
