package user

import (
	"context"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// ErrEmailInUse says that another account of the organization has the address; Format takes it.
var ErrEmailInUse = fault.Plain("Email '%s' already in use")

// Draft is an account that is yet to be made.
type Draft struct {
	RealEmail string
	FullName  string
	Role      actor.Role
	Bot       actor.BotType // Human for a person
	Owner     id.User       // of a bot; zero: nobody
	Timezone  string        // IANA name, or empty
}

// Create creates an account with an API key, which nobody can find out afterwards, and notifies
// everybody. Streams are for the caller to subscribe it to. It fails with [ErrEmailInUse], and
// with [ErrNameInUse] for a bot.
func (s *Service) Create(ctx context.Context, tx *store.Tx, o org.Org, draft Draft) (made User, key string, err error) {
	name, err := CheckName(draft.FullName)
	if err != nil {
		return User{}, "", err
	}
	if draft.Bot != actor.Human {
		taken, err := tx.NameTaken(ctx, name)
		if err != nil {
			return User{}, "", err
		}
		if taken {
			return User{}, "", ErrNameInUse
		}
	}
	if key, err = NewKey(); err != nil {
		return User{}, "", err
	}
	settings, err := EncodeSettings(initial(o.Settings))
	if err != nil {
		return User{}, "", err
	}
	hash := HashKey(key)
	email := strings.TrimSpace(draft.RealEmail)
	params := sqlc.CreateUserParams{
		Email: email, FullName: name, Role: draft.Role, OwnerID: ref(draft.Owner),
		APIKeyHash: hash[:], Timezone: draft.Timezone, Settings: settings, JoinedAt: s.now(),
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
	return made, key, tx.Emit(ctx, additions(o, nil, made)...)
}

// additions are the events of an account that is new, or active again after it was as before says (events.md, sections
// 3.12 and 3.13).
func additions(o org.Org, before *event.Account, made User) []event.Event {
	// Seen by a member: what only administrators may know is sent to them alone.
	view := View{Org: o, Viewer: actor.Member, Profiles: Profiles{}}
	events := []event.Event{event.RealmUserAdd{Person: view.Object(made), Before: before, After: made.Account()}}
	if seesRealAddresses(o, actor.Administrator) && !made.IsBot() {
		events = append(events, event.RealmUserUpdate{
			Person: event.ChangedAccount{UserID: made.ID, DeliveryEmail: made.RealEmail}, To: event.Audience{Admins: true},
		})
	}
	if made.IsBot() {
		events = append(events, event.RealmBotAdd{Bot: BotObject(o, made)})
	}
	return events
}
