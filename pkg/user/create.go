package user

import (
	"context"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// ErrEmailInUse says that another account of the organization has the address; Format takes it.
var ErrEmailInUse = fault.Plain("Email '%s' already in use")

// Draft is an account to be created.
type Draft struct {
	RealEmail string
	FullName  string
	Role      actor.Role
	Bot       actor.BotType // Human for a person
	Owner     id.User       // of a bot; zero: nobody
	Register  RegisterDefaults
	// Service is where messages for an outgoing webhook bot are sent; nil: nowhere.
	Service *event.BotService
	// Config is the configuration of an incoming webhook bot.
	Config map[string]string
	// AvatarPath is the path of the account's picture; empty: one is generated.
	AvatarPath string
}

// Create creates an account with an API key, which can't be retrieved later, and emits the events. It doesn't subscribe
// the account to streams. It fails with [ErrEmailInUse] and, for a bot, with [ErrNameInUse].
func (s *Service) Create(ctx context.Context, tx *store.Tx, o org.Org, draft Draft) (made User, key string, err error) {
	name, err := CheckName(draft.FullName)
	if err != nil {
		return User{}, "", err
	}
	if draft.Bot != actor.Human {
		if err := CheckFree(ctx, tx, name); err != nil {
			return User{}, "", err
		}
	}
	if key, err = NewKey(); err != nil {
		return User{}, "", err
	}
	settings, err := EncodeSettings(initial(o.Settings))
	if err != nil {
		return User{}, "", err
	}
	views, err := ViewBots(ctx, tx, o, nil, draft.Register)
	if err != nil {
		return User{}, "", err
	}
	hash := HashKey(key)
	email := strings.TrimSpace(draft.RealEmail)
	params := sqlc.CreateUserParams{
		Email: email, FullName: name, Role: draft.Role, OwnerID: ref(draft.Owner),
		APIKeyHash: hash[:], Settings: settings, JoinedAt: s.now(),
		DefaultSendingStreamID: ref(int64(draft.Register.SendingStream)), DefaultRegisterStreamID: ref(int64(draft.Register.EventsStream)),
		DefaultAllPublicStreams: draft.Register.AllPublicStreams,
	}
	if draft.Bot != actor.Human {
		params.BotType = &draft.Bot
	}
	made, err = read(tx.CreateUser(ctx, params))
	switch {
	case store.IsNotFound(err):
		return User{}, "", ErrEmailInUse.Format(email)
	case err != nil:
		return User{}, "", err
	}
	if draft.AvatarPath != "" {
		if made, err = read(tx.SetAvatar(ctx, avatarUploaded, draft.AvatarPath, made.ID)); err != nil {
			return User{}, "", err
		}
	}
	if err := draft.saveBot(ctx, tx, made.ID, views); err != nil {
		return User{}, "", err
	}
	return made, key, tx.Emit(ctx, additions(views, nil, made, Profiles{})...)
}

// saveBot stores a bot's service and configuration, if it has them, and adds the service to views.
func (d Draft) saveBot(ctx context.Context, tx *store.Tx, bot id.User, views BotViews) error {
	if d.Service != nil {
		views.services[bot] = *d.Service
		if err := saveService(ctx, tx, bot, *d.Service); err != nil {
			return err
		}
	}
	if len(d.Config) == 0 {
		return nil
	}
	return saveConfig(ctx, tx, bot, d.Config)
}

// CheckFree returns [ErrNameInUse] if an active account has the name, so that a bot can't have it.
func CheckFree(ctx context.Context, tx *store.Tx, name string) error {
	taken, err := tx.NameTaken(ctx, spelling.Clean(name))
	if taken {
		return ErrNameInUse
	}
	return err
}

// additions returns the events of an account that is new or, unless before is nil, active again (events.md, sections 3.12
// and 3.13). answers are the account's answers to profile fields.
func additions(views BotViews, before *event.Account, made User, answers Profiles) []event.Event {
	// As seen by members. Data for administrators is sent separately.
	o := views.org
	view := View{Org: o, Viewer: actor.Member, Profiles: answers}
	events := []event.Event{event.RealmUserAdd{Person: view.Object(made), Before: before, After: made.Account()}}
	if AdminsSeeMore(o) {
		events = append(events, RealAddress(made))
	}
	if made.IsBot() {
		events = append(events, event.RealmBotAdd{Bot: views.Object(made), Private: views.private(made)})
	}
	return events
}
