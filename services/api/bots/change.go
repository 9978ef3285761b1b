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
	// Person who will own the bot. Unless an administrator hands it over, its API key ends; the new owner generates another one.
	Owner *id.User `param:"bot_owner_id"`
	// Configuration of an incoming webhook bot, which is added to its current one: at most 10000 characters together.
	ConfigData map[string]string `param:"config_data" default:"{}"`
	// Address that an outgoing webhook bot sends messages to: http or https, at most 2048 bytes.
	PayloadURL *endpoint.JSONString `param:"service_payload_url"`
	// Format of an outgoing webhook bot's requests: 1 generic, 2 like Slack's.
	Interface *int `param:"service_interface"`
	defaults
}

// Check validates the address.
func (p changeParams) Check() error {
	if p.PayloadURL == nil {
		return nil
	}
	return account.CheckBotURL("service_payload_url", string(*p.PayloadURL))
}

// Change changes a bot, as its owner or as an administrator. It also changes its picture, if an image is in the
// request. The answer has the changed bot.
func Change(accounts *account.Service) endpoint.Endpoint {
	return endpoint.Upload(endpoint.About{
		Route: "PATCH /bots/{bot_id}", Who: permit.Member, ChangesCallers: true,
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
