package stream

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// emitChange emits the events of a change from before to after, one for each property that was set, and sends the
// notification bot's message about a new name. Accounts that can no longer see the stream only receive its deletion;
// accounts that newly see it only receive its new state.
func (s *Service) emitChange(ctx context.Context, tx *store.Tx, who actor.Actor, before, after sqlc.Stream, change Change) error {
	events := changeEvents(before, after, change, s.orgs.Config().MailIn)
	switch {
	case after.InviteOnly && !before.InviteOnly:
		events = append(events, event.StreamDeleted{Streams: []event.Stream{Object(before)}, Hidden: true})
	case !after.InviteOnly && before.InviteOnly:
		events = append(events, event.StreamCreated{Streams: []event.Stream{Object(after)}, Revealed: true})
	}
	if err := tx.Emit(ctx, events...); err != nil {
		return err
	}
	if after.InviteOnly || before.InviteOnly {
		if err := emitLists(ctx, tx, after); err != nil {
			return err
		}
	}
	if change.Name == nil {
		return nil
	}
	if err := emitBots(ctx, tx, after.StreamID, &after.Name); err != nil {
		return err
	}
	return s.notices.ToStream(ctx, tx, after.StreamID, func(in catalogue.Texts) (topic, text string) {
		mention := fmt.Sprintf("@_**%s|%d**", who.FullName, who.User)
		return in.Notices.StreamEvents, in.Notices.StreamRenamed(mention, Name(before.Name), Name(after.Name))
	})
}

// emitLists emits the events with the lists that include a stream. The lists contain it even for accounts that don't see
// it.
func emitLists(ctx context.Context, tx *store.Tx, of sqlc.Stream) error {
	if of.IsDefault {
		if err := emitDefaults(ctx, tx); err != nil {
			return err
		}
	}
	grouped, err := tx.InDefaultStreamGroup(ctx, []int64{int64(of.StreamID)})
	if err == nil && grouped {
		err = emitGroups(ctx, tx)
	}
	return err
}

// maxBots is the maximum number of bots in the events of a stream's new name. Clients see the name at other bots with
// their next registration.
const maxBots = 200

// emitBots emits the events of the bots whose default stream is this one, since bots contain its name (events.md, section
// 1.6.6). name is the new name; nil: none, because the stream is about to be deactivated.
func emitBots(ctx context.Context, tx *store.Tx, stream id.Stream, name *string) error {
	rows, err := tx.BotsOfStream(ctx, int64(stream), maxBots)
	if err != nil {
		return fmt.Errorf("read bots of stream %d: %w", stream, err)
	}
	events := []event.Event(nil)
	for _, row := range rows {
		owner := id.User(0)
		if row.OwnerID != nil {
			owner = *row.OwnerID
		}
		update := func(changed event.ChangedBot) {
			changed.UserID = row.UserID
			events = append(events, event.RealmBotUpdate{Bot: changed, Owner: owner, Private: row.Private})
		}
		if row.Sends {
			update(event.ChangedBot{BotStream: &event.BotStream{DefaultSendingStream: name}})
		}
		if row.Registers {
			update(event.ChangedBot{BotEvents: &event.BotEvents{DefaultEventsRegisterStream: name}})
		}
	}
	return tx.Emit(ctx, events...)
}

// changeEvents returns the events for accounts that see the stream before and after (events.md, section 3.10). in is the
// pattern of the addresses of streams.
func changeEvents(before, after sqlc.Stream, change Change, in gateway.Pattern) []event.Event {
	events := []event.Event{}
	update := func(property string, value any, more func(e *event.StreamUpdated)) {
		e := event.StreamUpdated{
			ID: after.StreamID, Name: before.Name, Property: property, Value: value,
			Private: after.InviteOnly, Turned: after.InviteOnly != before.InviteOnly,
		}
		if more != nil {
			more(&e)
		}
		events = append(events, e)
	}
	if change.Retention != nil {
		update("message_retention_days", after.RetentionDays, nil)
	}
	if change.Description != nil {
		update("description", after.Description, func(e *event.StreamUpdated) { e.RenderedDescription = &after.RenderedDescription })
	}
	if change.Name != nil {
		update("email_address", in.Stream(after.Name, gateway.Token(after.EmailToken)), nil)
		update("name", after.Name, nil)
	}
	if change.PostPolicy != nil {
		update("stream_post_policy", after.PostPolicy, nil)
		update("is_announcement_only", permit.PostPolicy(after.PostPolicy) == permit.PostAdmins, nil)
	}
	if change.Private != nil {
		update("invite_only", after.InviteOnly, func(e *event.StreamUpdated) { e.HistoryPublic = &after.HistoryPublic })
	}
	return events
}
