package account

import (
	"context"
	"errors"
	"io"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/avatar"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// BotChange is the changes to a bot. Members that are nil are not changed.
type BotChange struct {
	FullName *string
	Owner    *id.User
	// Config is added to the configuration of an incoming webhook bot.
	Config map[string]string
	// PayloadURL and Interface are as in [BotDraft].
	PayloadURL *string
	Interface  *int
	// Sending and Events name streams; empty: none.
	Sending, Events  *string
	AllPublicStreams *bool
	// Image becomes the bot's picture.
	Image io.Reader
}

// ChangedBot is a bot after a change.
type ChangedBot struct {
	// Name of the bot.
	FullName string `json:"full_name"`
	BotFacts
	// How an outgoing webhook bot sends: 1 generic, 2 as Slack does; null for other bots.
	Interface *int `json:"service_interface"`
	// URL to which messages for an outgoing webhook bot are sent; null for other bots.
	PayloadURL *string `json:"service_payload_url"`
	// Configuration of an incoming webhook bot.
	Config map[string]string `json:"config_data"`
	// Address of the owner as others see it; absent: nobody.
	Owner string `json:"bot_owner,omitempty"`
}

// ChangeBot changes a bot. The caller must be an administrator or its owner. A bot that its owner hands over, who isn't an
// administrator, has no key until the new owner renews it: whoever has the key may send wherever the owner may, and the new
// owner wasn't asked. It fails with [ErrNoBot], [ErrPermission], [ErrNoOwner],
// [ErrGoneOwner], [ErrBotOwner], [ErrManyBots], [permit.ErrNotOwner], stream.ErrInvalidName, [ErrInterface], [ErrBotType],
// [ErrConfig], [ErrConfigSize], the errors of names, and those of storing a picture. It changes the picture last.
func (s *Service) ChangeBot(ctx context.Context, who actor.Actor, bot id.User, change BotChange) (changed ChangedBot, err error) {
	picture := avatar.Picture{}
	if change.Image != nil {
		if picture, err = s.Avatars.Make(ctx, who.Org(), change.Image); err != nil {
			return ChangedBot{}, err
		}
	}
	err = s.writeBot(ctx, who, bot, func(tx *store.Tx, who actor.Actor, o org.Org, before user.User) error {
		userChange, err := s.userChange(ctx, tx, who, before, change)
		if err != nil {
			return err
		}
		if _, err := user.Update(ctx, tx, o, bot, userChange); err != nil || userChange.Owner == nil || who.Role.IsAdmin() {
			return err
		}
		_, err = user.RevokeKeys(ctx, tx, bot)
		return err
	})
	if err == nil && change.Image != nil {
		_, err = s.Avatars.Put(ctx, who.Org(), bot, picture) // it was allowed just now
	}
	if err != nil {
		return ChangedBot{}, err
	}
	return store.Read(ctx, s.DB, who.Org(), func(tx *store.Tx) (ChangedBot, error) { return s.describe(ctx, tx, bot) })
}

// userChange converts a change of a bot to that of its account.
func (s *Service) userChange(ctx context.Context, tx *store.Tx, who actor.Actor, bot user.User, change BotChange) (user.Change, error) {
	a := user.Change{FullName: change.FullName, AllPublicStreams: change.AllPublicStreams}
	if change.Owner != nil && *change.Owner != bot.Owner {
		if err := s.checkOwner(ctx, tx, who, bot, *change.Owner); err != nil {
			return user.Change{}, err
		}
		a.Owner = change.Owner
	}
	for _, stream := range []struct {
		into **id.Stream
		name *string
	}{{&a.Sending, change.Sending}, {&a.Events, change.Events}} {
		if stream.name == nil {
			continue
		}
		found, err := streamNamed(ctx, tx, who, *stream.name)
		if err != nil {
			return user.Change{}, err
		}
		*stream.into = &found
	}
	var err error
	if a.Service, err = serviceAfter(ctx, tx, bot, change); err != nil || len(change.Config) == 0 {
		return a, err
	}
	if bot.Bot != actor.IncomingWebhook {
		return user.Change{}, ErrConfig
	}
	a.Config, err = configAfter(ctx, tx, bot.ID, change.Config)
	return a, err
}

// checkOwner returns an error if an account can't become a bot's owner. A bot's owner has its key, and so its rights, so
// only owners of the organization may hand over a bot with an owner's rights.
func (s *Service) checkOwner(ctx context.Context, tx *store.Tx, who actor.Actor, bot user.User, owner id.User) error {
	u, err := user.ByID(ctx, tx, owner)
	switch {
	case errors.Is(err, user.ErrNoSuchUser):
		return ErrNoOwner
	case err != nil:
		return err
	case !u.Active:
		return ErrGoneOwner
	case u.IsBot():
		return ErrBotOwner
	case bot.Role == actor.Owner && who.Role != actor.Owner:
		return permit.ErrNotOwner
	}
	return s.checkNumber(ctx, tx, owner, false)
}

// serviceAfter returns the service of an outgoing webhook bot after a change; nil: not changed.
func serviceAfter(ctx context.Context, tx *store.Tx, bot user.User, change BotChange) (*event.BotService, error) {
	if change.PayloadURL == nil && change.Interface == nil {
		return nil, nil
	}
	if change.Interface != nil {
		if err := checkInterface(*change.Interface); err != nil {
			return nil, err
		}
	}
	rows, err := tx.BotServices(ctx, []int64{int64(bot.ID)})
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0 && change.PayloadURL == nil:
		return nil, nil // clients send the default with every change
	case len(rows) == 0:
		return nil, ErrBotType
	}
	service := event.BotService{BaseURL: rows[0].URL, Interface: int(rows[0].Interface)}
	if change.PayloadURL != nil {
		service.BaseURL = *change.PayloadURL
	}
	if change.Interface != nil {
		service.Interface = *change.Interface
	}
	return &service, nil
}

// describe returns the current state of a bot.
func (s *Service) describe(ctx context.Context, tx *store.Tx, number id.User) (ChangedBot, error) {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil {
		return ChangedBot{}, err
	}
	bot, err := user.ByID(ctx, tx, number)
	if err != nil {
		return ChangedBot{}, err
	}
	views, err := user.ViewBots(ctx, tx, o, []user.User{bot})
	if err != nil {
		return ChangedBot{}, err
	}
	changed := ChangedBot{FullName: bot.FullName, BotFacts: factsOf(o, views, bot)}
	if service, ok := views.Service(bot.ID); ok {
		changed.Interface, changed.PayloadURL = &service.Interface, &service.BaseURL
	}
	if changed.Config, err = configOf(ctx, tx, number); err != nil || bot.Owner == 0 {
		return changed, err
	}
	owner, err := user.ByID(ctx, tx, bot.Owner)
	changed.Owner = user.DisplayEmail(o, owner)
	return changed, err
}

// DeactivateBot deactivates a bot. The caller must be an administrator or its owner. It fails with [ErrNoBot] or [ErrPermission].
func (s *Service) DeactivateBot(ctx context.Context, who actor.Actor, bot id.User) error {
	return s.writeBot(ctx, who, bot, func(tx *store.Tx, _ actor.Actor, o org.Org, _ user.User) error {
		_, err := user.Update(ctx, tx, o, bot, user.Change{Active: new(false)})
		return err
	})
}

// RenewBotKey replaces a bot's API key. The caller must be an administrator or its owner. It fails with [ErrNoBot], [ErrPermission],
// or with [permit.ErrNotOwner] if the caller would gain rights by the key.
func (s *Service) RenewBotKey(ctx context.Context, who actor.Actor, bot id.User) (key string, err error) {
	err = s.writeBot(ctx, who, bot, func(tx *store.Tx, who actor.Actor, _ org.Org, before user.User) error {
		if before.Role == actor.Owner && who.Role != actor.Owner && before.Owner != who.User {
			return permit.ErrNotOwner
		}
		if err := tx.LockUser(ctx, int64(bot)); err != nil {
			return err
		}
		rotation, err := s.Users.Rotate(ctx, tx, bot, "", 0)
		key = rotation.Key
		return err
	})
	return key, err
}

// writeBot runs a change of a bot that the caller administers. It fails with [ErrNoBot] or [ErrPermission].
func (s *Service) writeBot(
	ctx context.Context, who actor.Actor, bot id.User, work func(tx *store.Tx, who actor.Actor, o org.Org, before user.User) error,
) error {
	err := s.write(ctx, who, bot, func(tx *store.Tx, who actor.Actor, o org.Org, before user.User) error {
		switch {
		case !before.IsBot():
			return ErrNoBot
		case !administers(who, before):
			return ErrPermission
		}
		return work(tx, who, o, before)
	})
	if errors.Is(err, user.ErrNoSuchUser) {
		return ErrNoBot
	}
	return err
}
