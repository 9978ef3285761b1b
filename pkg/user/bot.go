package user

import (
	"context"
	"encoding/json"
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// BotViews are bots as their owners and administrators see them (events.md, section 1.6.6).
type BotViews struct {
	org      org.Org
	streams  map[id.Stream]sqlc.BotStreamsRow // active ones
	services map[id.User]event.BotService     // of outgoing webhook bots
}

// ViewBots reads the data that views of bots need besides their accounts. more are defaults that the bots are about to
// get.
func ViewBots(ctx context.Context, tx *store.Tx, o org.Org, bots []User, more ...RegisterDefaults) (BotViews, error) {
	v := BotViews{org: o, streams: map[id.Stream]sqlc.BotStreamsRow{}, services: map[id.User]event.BotService{}}
	streams := []int64(nil)
	for _, d := range append(lists.Map(bots, func(u User) RegisterDefaults { return u.Register }), more...) {
		for _, stream := range []id.Stream{d.SendingStream, d.EventsStream} {
			if stream != 0 {
				streams = append(streams, int64(stream))
			}
		}
	}
	if len(streams) > 0 {
		rows, err := tx.BotStreams(ctx, streams)
		if err != nil {
			return BotViews{}, err
		}
		v.streams = lists.Index(rows, func(row sqlc.BotStreamsRow) id.Stream { return row.StreamID })
	}
	senders := []int64(nil)
	for _, u := range bots {
		if u.Bot == actor.OutgoingWebhook {
			senders = append(senders, int64(u.ID))
		}
	}
	if len(senders) == 0 {
		return v, nil
	}
	rows, err := tx.BotServices(ctx, senders)
	for _, row := range rows {
		v.services[row.UserID] = event.BotService{BaseURL: row.URL, Interface: int(row.Interface), Token: row.Token}
	}
	return v, err
}

// Object returns a bot.
func (v BotViews) Object(u User) event.BotObject {
	object := event.BotObject{
		UserID: u.ID, BotType: u.Bot, Email: u.RealEmail, FullName: u.FullName, IsActive: u.Active,
		DefaultSendingStream: v.Stream(u.Register.SendingStream), DefaultEventsRegisterStream: v.Stream(u.Register.EventsStream),
		DefaultAllPublicStreams: u.Register.AllPublicStreams, AvatarURL: AvatarURL(v.org, u), OwnerID: ref(u.Owner),
		Services: []event.BotService{},
	}
	if service, ok := v.services[u.ID]; ok {
		object.Services = append(object.Services, service)
	}
	return object
}

// Stream returns the name of a stream if it is active, or nil.
func (v BotViews) Stream(stream id.Stream) *string {
	if row, ok := v.streams[stream]; ok {
		return &row.Name
	}
	return nil
}

// Service returns where messages for an outgoing webhook bot are sent; ok is false for other bots.
func (v BotViews) Service(bot id.User) (service event.BotService, ok bool) {
	service, ok = v.services[bot]
	return service, ok
}

// private reports whether one of the bot's default streams is private. Then only its owner receives the events of its
// changes.
func (v BotViews) private(u User) bool {
	return v.streams[u.Register.SendingStream].InviteOnly || v.streams[u.Register.EventsStream].InviteOnly
}

func saveService(ctx context.Context, tx *store.Tx, bot id.User, service event.BotService) error {
	return tx.SaveBotService(ctx, sqlc.SaveBotServiceParams{
		UserID: bot, URL: service.BaseURL, Interface: int16(service.Interface), Token: service.Token,
	})
}

func saveConfig(ctx context.Context, tx *store.Tx, bot id.User, config map[string]string) error {
	encoded, err := json.Marshal(config)
	if err != nil {
		return fmt.Errorf("encode configuration of bot %d: %w", bot, err)
	}
	return tx.SaveBotConfig(ctx, bot, encoded)
}
