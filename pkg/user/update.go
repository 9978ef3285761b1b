package user

import (
	"context"
	"fmt"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Change says what to change of an account, except its own settings. Members that are nil are not changed.
type Change struct {
	FullName *string
	Role     *actor.Role
	Active   *bool
	Owner    *id.User // of a bot; zero: nobody. The caller has checked that it is a person
	// Sending and Events are the default streams that a bot sends to and registers for; zero: none. The caller has
	// checked that they exist.
	Sending, Events  *id.Stream
	AllPublicStreams *bool // as in [RegisterDefaults]
	// Service is where messages for an outgoing webhook bot are sent. Its token is not changed.
	Service *event.BotService
	// Config is the complete new configuration of an incoming webhook bot.
	Config map[string]string
}

// Update changes an account, emits events about actual changes and returns the changed account. It must come before the
// transaction's first write. It fails with [ErrNoSuchUser], with the errors of [CheckName] and, for a bot, with
// [ErrNameInUse]. The caller has checked that the change is permitted.
//
// If an account in many streams becomes active, or inactive where it was the only subscriber, a runner of [Service.Kinds]
// reports the rest of them.
//
// An account that becomes active again loses the logins that it had before.
//
// A person who loses permissions loses them for their bots, too, since they have the bots' keys. Invitations that they may no longer send
// end.
func Update(ctx context.Context, tx *store.Tx, o org.Org, user id.User, change Change) (User, error) {
	if err := tx.LockUser(ctx, int64(user)); err != nil {
		return User{}, err
	}
	before, err := ByID(ctx, tx, user)
	if err != nil {
		return User{}, err
	}
	wanted, err := withChange(ctx, tx, before, change)
	if err != nil {
		return User{}, err
	}
	u, err := prepareUpdate(ctx, tx, o, before, wanted)
	if err != nil {
		return User{}, err
	}
	u.after, err = read(tx.UpdateAccount(ctx, sqlc.UpdateAccountParams{
		UserID: user, FullName: wanted.FullName, Role: wanted.Role, Active: wanted.Active, OwnerID: ref(wanted.Owner),
		DefaultSendingStreamID: ref(int64(wanted.Register.SendingStream)), DefaultRegisterStreamID: ref(int64(wanted.Register.EventsStream)),
		DefaultAllPublicStreams: wanted.Register.AllPublicStreams,
	}))
	if err != nil {
		return User{}, err
	}
	if !before.Active && u.after.Active { // until now their keys were refused with the reason
		if err := tx.EndLogins(ctx, user, 0, 0); err != nil {
			return User{}, err
		}
	}
	if err := u.saveBot(ctx, tx, change); err != nil {
		return User{}, err
	}
	events := append(u.events(), reports(user, u.after.Active, u.streams)...)
	if u.invited {
		if err := tx.EndRefusedInvitations(ctx, user); err != nil {
			return User{}, err
		}
		events = append(events, event.InvitesChanged{})
	}
	if err := tx.Emit(ctx, events...); err != nil {
		return User{}, err
	}
	if err := u.report(ctx, tx); err != nil {
		return User{}, err
	}
	if u.after.Role <= before.Role || before.IsBot() {
		return u.after, nil
	}
	return u.after, lowerBots(ctx, tx, o, user, u.after.Role)
}

// report changes what the account has received in the first of the streams where others learn that it is active, or isn't any
// more, and leaves the others to a runner.
func (u *updating) report(ctx context.Context, tx *store.Tx) error {
	left := reporting{User: u.after.ID}
	if u.since != nil {
		newest, err := tx.NewestMessageID(ctx)
		if err != nil {
			return err
		}
		left.Missed, left.Before = *u.since, newest+1
	}
	if err := forgetAbsence(ctx, tx, left, u.streams); err != nil {
		return err
	}
	n := len(u.streams)
	if n < minReported {
		return nil
	}
	left.After = u.streams[n-1].Stream.StreamID
	return reportings().Leave(ctx, tx, left)
}

// saveBot stores the changed service and configuration of a bot, if they change.
func (u *updating) saveBot(ctx context.Context, tx *store.Tx, change Change) error {
	bot := u.after.ID
	if service, ok := u.views.Service(bot); ok && change.Service != nil {
		changed := *change.Service
		if changed.Token = service.Token; changed != service {
			u.views.services[bot], u.service = changed, &changed
			if err := saveService(ctx, tx, bot, changed); err != nil {
				return err
			}
		}
	}
	if u.config = change.Config; u.config == nil {
		return nil
	}
	return saveConfig(ctx, tx, bot, u.config)
}

// prepareUpdate reads what the events of a change contain.
func prepareUpdate(ctx context.Context, tx *store.Tx, o org.Org, before, wanted User) (u updating, err error) {
	u.before = before
	if before.IsBot() {
		if u.views, err = ViewBots(ctx, tx, o, []User{before}, wanted.Register); err != nil {
			return u, err
		}
		if u.admins, err = adminsOf(ctx, tx, before.Owner, wanted.Owner); err != nil {
			return u, err
		}
	}
	if before.Active != wanted.Active || before.Role != wanted.Role {
		if u.invited, err = tx.HasInvited(ctx, before.ID); err != nil {
			return u, err
		}
	}
	if !before.Active && wanted.Active {
		if u.answers, err = profileOf(ctx, tx, before.ID); err != nil {
			return u, err
		}
		if u.statuses, err = tx.StatusOf(ctx, before.ID); err != nil {
			return u, err
		}
		if u.since, err = tx.AwaySince(ctx, before.ID); err != nil {
			return u, err
		}
	}
	if before.Active != wanted.Active {
		if u.streams, err = nextStreams(ctx, tx, reporting{User: before.ID}, wanted.Active, minReported); err != nil {
			return u, err
		}
	}
	u.views.org = o
	return u, nil
}

// maxLowered is the maximum number of bots in one transaction. A person has at most half as many active bots, and few
// of the inactive ones may do more than members.
const maxLowered = 200

// lowerBots sets the role of a person's bots that have a higher one. If there are too many, inactive bots with the
// fewest permissions keep theirs.
func lowerBots(ctx context.Context, tx *store.Tx, o org.Org, of id.User, role actor.Role) error {
	bots, err := tx.BotsAbove(ctx, int64(of), role, maxLowered)
	if err != nil {
		return fmt.Errorf("read the bots of user %d: %w", of, err)
	}
	for _, bot := range bots {
		if _, err := Update(ctx, tx, o, bot, Change{Role: &role}); err != nil {
			return err
		}
	}
	return nil
}

// withChange returns an account with a change applied.
func withChange(ctx context.Context, tx *store.Tx, u User, change Change) (wanted User, err error) {
	wanted = u
	if change.FullName != nil {
		if wanted.FullName, err = newName(ctx, tx, u, *change.FullName); err != nil {
			return User{}, err
		}
	}
	assign(&wanted.Role, change.Role)
	assign(&wanted.Active, change.Active)
	assign(&wanted.Owner, change.Owner)
	assign(&wanted.Register.SendingStream, change.Sending)
	assign(&wanted.Register.EventsStream, change.Events)
	assign(&wanted.Register.AllPublicStreams, change.AllPublicStreams)
	return wanted, nil
}

// assign sets *to to *value, unless value is nil.
func assign[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

// adminsOf returns which of two accounts, if they differ, are active administrators. Zero is nobody.
func adminsOf(ctx context.Context, tx *store.Tx, one, other id.User) (map[id.User]bool, error) {
	if one == other {
		return nil, nil
	}
	users, err := ByIDs(ctx, tx, []id.User{one, other})
	admins := map[id.User]bool{}
	for _, u := range users {
		admins[u.ID] = u.Active && u.Role.IsAdmin()
	}
	return admins, err
}

func newName(ctx context.Context, tx *store.Tx, u User, wanted string) (string, error) {
	name, err := CheckName(wanted)
	if err != nil || name == u.FullName || !u.IsBot() {
		return name, err
	}
	taken, err := tx.NameTakenByOther(ctx, name, u.ID)
	if taken {
		return "", ErrNameInUse
	}
	return name, err
}

// updating is a change of an account, with its events.
type updating struct {
	before, after User
	views         BotViews              // of after, for a bot
	service       *event.BotService     // nil: not changed
	config        map[string]string     // nil: not changed
	admins        map[id.User]bool      // which of a bot's owners are administrators, if the owner changed
	answers       Profiles              // of after, if it is active again
	statuses      []sqlc.StatusOfRow    // at most one, of after, if it is active again
	streams       []sqlc.StreamsWithRow // the first of those where others learn that it is active, or isn't any more
	since         *int64                // the first message that it didn't receive, if it is active again
	invited       bool                  // the account has sent invitations, whose validity may change
}

// events returns the events of the change (events.md, sections 3.12 and 3.13). For a reactivated account, they contain
// the whole account with its status; for a deactivated one, only the deactivation.
func (u updating) events() []event.Event {
	before, after := u.before, u.after
	switch {
	case before.Active && !after.Active:
		gone := event.RemovedAccount{UserID: after.ID, FullName: after.FullName}
		events := []event.Event{event.RealmUserRemove{Person: gone, Before: before.Account()}}
		if after.IsBot() {
			events = append(events, event.RealmBotRemove{Bot: gone, Owner: after.Owner, Private: u.views.private(after)})
		}
		return events
	case !before.Active && after.Active:
		events := additions(u.views, new(before.Account()), after, u.answers)
		for _, status := range u.statuses {
			events = append(events, event.UserStatus{UserID: after.ID, Away: &status.Away, Text: &status.Text})
		}
		return events
	default:
		return slices.Concat(u.ofAccount(), u.ownership(), u.ofBot())
	}
}

// ofAccount returns the events of a new name and role.
func (u updating) ofAccount() []event.Event {
	before, after, events := u.before, u.after, []event.Event(nil)
	if after.FullName != before.FullName {
		events = append(events, toAll(event.ChangedAccount{UserID: after.ID, FullName: after.FullName}))
		if after.IsBot() {
			events = append(events, u.toKeepers(event.ChangedBot{FullName: after.FullName}))
		}
	}
	if after.Role != before.Role {
		was, update := before.Account(), toAll(event.ChangedAccount{UserID: after.ID, Role: int(after.Role)})
		update.Changed = &event.AccountChange{User: after.ID, Before: &was, After: after.Account()}
		events = append(events, update)
	}
	return events
}

// ofBot returns the events of a bot's new defaults, service and configuration.
func (u updating) ofBot() []event.Event {
	before, after, events := u.before.Register, u.after.Register, []event.Event(nil)
	if after.SendingStream != before.SendingStream {
		events = append(events, u.toKeepers(event.ChangedBot{BotStream: &event.BotStream{DefaultSendingStream: u.views.Stream(after.SendingStream)}}))
	}
	if after.EventsStream != before.EventsStream {
		events = append(events, u.toKeepers(event.ChangedBot{
			BotEvents: &event.BotEvents{DefaultEventsRegisterStream: u.views.Stream(after.EventsStream)},
		}))
	}
	if after.AllPublicStreams != before.AllPublicStreams {
		events = append(events, u.toKeepers(event.ChangedBot{DefaultAllPublicStreams: &after.AllPublicStreams}))
	}
	if u.service != nil {
		events = append(events, u.toKeepers(event.ChangedBot{Services: []event.ChangedService{{BotService: u.service}}}))
	}
	if u.config != nil {
		events = append(events, u.toKeepers(event.ChangedBot{Services: []event.ChangedService{{ConfigData: u.config}}}))
	}
	return events
}

// ownership returns the events of a bot's new owner: for the former owner, for the new one, and for all others. Owners who
// are administrators see the bot in any case, so they receive the same events as others.
func (u updating) ownership() []event.Event {
	before, after := u.before, u.after
	if after.Owner == before.Owner {
		return nil
	}
	events, changed := []event.Event(nil), u.toKeepers(event.ChangedBot{BotOwner: &event.BotOwner{OwnerID: ref(after.Owner)}})
	if owner := before.Owner; owner != 0 && !u.admins[owner] {
		events = append(events, event.RealmBotDelete{Bot: event.DeletedBot{UserID: after.ID}, Owner: owner})
		changed.Except = append(changed.Except, owner)
	}
	if owner := after.Owner; owner != 0 && !u.admins[owner] {
		events = append(events, event.RealmBotTransferred{RealmBotAdd: event.RealmBotAdd{Bot: u.views.Object(after)}, To: owner})
		changed.Except = append(changed.Except, owner)
	}
	return append(events, changed, toAll(event.ChangedAccount{UserID: after.ID, BotPart: &event.BotPart{BotOwnerID: ref(after.Owner)}}))
}

// toKeepers returns an event for the bot's owner and those who administer it.
func (u updating) toKeepers(changed event.ChangedBot) event.RealmBotUpdate {
	changed.UserID = u.after.ID
	return event.RealmBotUpdate{Bot: changed, Owner: u.after.Owner, Private: u.views.private(u.after)}
}

func toAll(changed event.ChangedAccount) event.RealmUserUpdate {
	return event.RealmUserUpdate{Person: changed, To: event.Audience{Everyone: true}}
}
