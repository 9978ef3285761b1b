package bots

import (
	"context"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	pictures "chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

type changeParams struct {
	// ID of the bot, which may be deactivated.
	BotID id.User `path:"bot_id"`
	// New full name, which no other active account has.
	FullName *string `param:"full_name"`
	// Person who is to own the bot.
	Owner *id.User `param:"bot_owner_id"`
	// What an incoming webhook bot is configured with, added to what it is configured with so far: at most 10000 characters together.
	ConfigData map[string]string `param:"config_data" default:"{}"`
	// Where an outgoing webhook bot sends what it hears: an address for http or https of at most 2048 bytes.
	PayloadURL *endpoint.JSONString `param:"service_payload_url"`
	// How an outgoing webhook bot sends: 1 generic, 2 as Slack does.
	Interface *int `param:"service_interface"`
	defaults
}

// Check looks at the address.
func (p changeParams) Check() error {
	if p.PayloadURL == nil {
		return nil
	}
	return account.CheckBotURL("service_payload_url", string(*p.PayloadURL))
}

// Change changes a bot, as its owner or as an administrator; its picture, too, if an image is in the request. The answer has the bot as it is afterwards.
func Change(accounts *account.Service) endpoint.Endpoint {
	return endpoint.Upload(endpoint.About{
		Route: "PATCH /bots/{bot_id}", Who: permit.Member,
		Faults: endpoint.Faults{
			account.ErrURL, account.ErrNoBot, account.ErrPermission, user.ErrNameTooLong, user.ErrNameTooShort, user.ErrNameCharacters,
			user.ErrNameFormat, user.ErrNameInUse, account.ErrNoOwner, account.ErrGoneOwner, account.ErrBotOwner, permit.ErrNotOwner,
			account.ErrManyBots, stream.ErrInvalidName, account.ErrInterface, account.ErrBotType, account.ErrConfig, account.ErrConfigSize,
			pictures.ErrNoImage, pictures.ErrLarge, file.ErrNone,
		},
	}, oneAvatar(), func(ctx context.Context, who actor.Actor, in changeParams, image *endpoint.File) (account.ChangedBot, error) {
		avatar, err := given(ctx, image)
		if err != nil {
			return account.ChangedBot{}, err
		}
		return accounts.ChangeBot(ctx, who, in.BotID, account.BotChange{
			Image:    avatar,
			FullName: in.FullName, Owner: in.Owner, Config: in.ConfigData, PayloadURL: (*string)(in.PayloadURL), Interface: in.Interface,
			Sending: in.Sending, Events: in.Events, AllPublicStreams: in.AllPublicStreams,
		})
	})
}
