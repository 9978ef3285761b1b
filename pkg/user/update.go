package user

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Alteration is what others than the account itself change of an account; nil: nothing.
type Alteration struct {
	FullName *string
	Role     *actor.Role
	Active   *bool
	Owner    *id.User // of a bot; zero: nobody. The caller has checked that it is a person
	// Sending is the stream that a bot sends to when it doesn't say; zero: none. The caller has
	// checked that there is one, and returns its name.
	Sending     *id.Stream
	SendingName string
}

// Update changes an account, emits events about actual changes and returns the changed account. The
// transaction has written nothing so far. It fails with [ErrNoSuchUser], with what can be wrong with
// names, and with [ErrNameInUse] for a bot. Whoever calls it decides whether it may be done.
func Update(ctx context.Context, tx *store.Tx, o org.Org, user id.User, change Alteration) (User, error) {
	if err := tx.LockUser(ctx, int64(user)); err != nil {
		return User{}, err
	}
	before, err := ByID(ctx, tx, user)
	if err != nil {
		return User{}, err
	}
	params := sqlc.UpdateAccountParams{
		UserID: user, FullName: before.FullName, Role: before.Role, Active: before.Active, OwnerID: ref(before.Owner),
		DefaultSendingStreamID: ref(int64(before.Register.SendingStream)),
	}
	if change.FullName != nil {
		if params.FullName, err = newName(ctx, tx, before, *change.FullName); err != nil {
			return User{}, err
		}
	}
	if change.Role != nil {
		params.Role = *change.Role
	}
	if change.Active != nil {
		params.Active = *change.Active
	}
	if change.Owner != nil {
		params.OwnerID = ref(*change.Owner)
	}
	if change.Sending != nil {
		params.DefaultSendingStreamID = ref(int64(*change.Sending))
	}
	after, err := read(tx.UpdateAccount(ctx, params))
	if err != nil {
		return User{}, err
	}
	return after, emitUpdated(ctx, tx, o, before, after, change.SendingName)
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

// emitUpdated emits the events of a change (events.md, sections 3.12 and 3.13). An account that is active again is
// sent as a whole, and of one that was deactivated nothing else is sent.
func emitUpdated(ctx context.Context, tx *store.Tx, o org.Org, before, after User, sending string) error {
	events := []event.Event(nil)
	switch {
	case before.Active && !after.Active:
		gone := event.RemovedAccount{UserID: after.ID, FullName: after.FullName}
		events = append(events, event.RealmUserRemove{Person: gone, Before: before.Account()})
		if after.IsBot() {
			events = append(events, event.RealmBotRemove{Bot: gone, Owner: after.Owner})
		}
	case !after.Active: // nobody sees it
	case !before.Active:
		events = additions(o, new(before.Account()), after)
	default:
		events = append(updates(before, after, sending), ownership(o, before, after)...)
	}
	return tx.Emit(ctx, events...)
}

func updates(before, after User, sending string) []event.Event {
	events := []event.Event(nil)
	if after.FullName != before.FullName {
		events = append(events, toAll(event.ChangedAccount{UserID: after.ID, FullName: after.FullName}))
		if after.IsBot() {
			events = append(events, event.RealmBotUpdate{Bot: event.ChangedBot{UserID: after.ID, FullName: after.FullName}, Owner: after.Owner})
		}
	}
	if after.Role != before.Role {
		was, update := before.Account(), toAll(event.ChangedAccount{UserID: after.ID, Role: int(after.Role)})
		update.Changed = &event.AccountChange{User: after.ID, Before: &was, After: after.Account()}
		events = append(events, update)
	}
	if after.Register.SendingStream != before.Register.SendingStream {
		changed := event.ChangedBot{UserID: after.ID, BotStream: &event.BotStream{}}
		if sending != "" {
			changed.DefaultSendingStream = &sending
		}
		events = append(events, event.RealmBotUpdate{Bot: changed, Owner: after.Owner})
	}
	return events
}

// ownership returns the events of a bot's new owner: for the owner before, for the new one, and for all others.
func ownership(o org.Org, before, after User) []event.Event {
	if after.Owner == before.Owner {
		return nil
	}
	events, except := []event.Event(nil), []id.User(nil)
	if before.Owner != 0 {
		events = append(events, event.RealmBotDelete{Bot: event.DeletedBot{UserID: after.ID}, Owner: before.Owner})
		except = append(except, before.Owner)
	}
	if after.Owner != 0 {
		events = append(events, event.RealmBotHanded{RealmBotAdd: event.RealmBotAdd{Bot: BotObject(o, after)}, To: after.Owner})
		except = append(except, after.Owner)
	}
	return append(events,
		event.RealmBotUpdate{Bot: event.ChangedBot{UserID: after.ID, BotOwner: &event.BotOwner{OwnerID: ref(after.Owner)}}, Except: except},
		toAll(event.ChangedAccount{UserID: after.ID, BotPart: &event.BotPart{BotOwnerID: ref(after.Owner)}}))
}

func toAll(changed event.ChangedAccount) event.RealmUserUpdate {
	return event.RealmUserUpdate{Person: changed, To: event.Audience{Everyone: true}}
}
