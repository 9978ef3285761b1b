package transfer

import (
	"context"
	"crypto/sha1" //nolint:gosec // a name that the format asks for, and no secret
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// eachStream calls each with the streams that the archive contains.
func (x *export) eachStream(ctx context.Context, each func(s sqlc.Stream) error) error {
	return portions(ctx, x, func(tx *store.Tx, last sqlc.Stream) ([]sqlc.Stream, error) {
		return tx.ArchivedStreams(ctx, last.StreamID, maxRows)
	}, func(s sqlc.Stream) error {
		if x.PublicOnly && (s.InviteOnly || s.Deactivated) {
			return nil
		}
		return each(s)
	})
}

// places writes streams and conversations with their subscribers and members.
func (r *realmExport) places(ctx context.Context) error {
	recipients, defaults := []archive.Recipient(nil), []archive.DefaultStream(nil)
	clear(r.streams)
	r.Begin(archive.Streams)
	err := r.eachStream(ctx, func(s sqlc.Stream) error {
		r.streams[s.StreamID] = true
		number := int64(s.StreamID)
		recipients = append(recipients, archive.Recipient{ID: number, Type: archive.ToStream, TypeID: number})
		if s.IsDefault {
			defaults = append(defaults, archive.DefaultStream{ID: number, Realm: int64(r.of), Stream: number})
		}
		row := archive.Stream{
			ID: number, Realm: int64(r.of), Recipient: &number, Name: s.Name, Description: s.Description, InviteOnly: s.InviteOnly, WebPublic: s.IsWebPublic,
			HistoryPublic: &s.HistoryPublic, PostPolicy: int(s.PostPolicy), Deactivated: s.Deactivated, Created: archive.Time{Time: s.CreatedAt},
		}
		if permit.PostPolicy(s.PostPolicy) == permit.PostNewMembers {
			row.PostPolicy, row.NewMembersOnly = int(permit.PostAdmins), true
		}
		if s.RetentionDays != nil {
			row.RetentionDays = new(int(*s.RetentionDays))
		}
		return r.add("streams", row)
	})
	if err != nil {
		return err
	}
	r.Begin(archive.DefaultStreams)
	for _, d := range defaults {
		if err := r.Add(d); err != nil {
			return err
		}
	}
	if err := r.streamGroups(ctx); err != nil {
		return err
	}
	huddles, err := r.huddles(ctx)
	if err != nil {
		return err
	}
	r.Begin(archive.Recipients)
	for _, account := range slices.Sorted(maps.Keys(r.people)) {
		recipients = append(recipients, archive.Recipient{ID: recipientOf(account), Type: archive.ToUser, TypeID: int64(account)})
	}
	for _, h := range huddles {
		number := int64(h.ConversationID)
		recipients = append(recipients, archive.Recipient{ID: number, Type: archive.ToHuddle, TypeID: number})
	}
	for _, row := range recipients {
		if err := r.Add(row); err != nil {
			return err
		}
	}
	return r.subscriptions(ctx, huddles)
}

// streamGroups writes the groups of default streams.
func (r *realmExport) streamGroups(ctx context.Context) error {
	groups, err := store.Read(ctx, r.DB, r.of, func(tx *store.Tx) ([]event.DefaultStreamGroup, error) {
		return stream.Groups(ctx, tx)
	})
	if err != nil {
		return err
	}
	r.Begin(archive.StreamGroups)
	for _, g := range groups {
		row := archive.StreamGroup{ID: g.ID, Realm: int64(r.of), Name: g.Name, Description: g.Description, Streams: []int64{}}
		for _, s := range g.Streams {
			if r.streams[s.ID] {
				row.Streams = append(row.Streams, int64(s.ID))
			}
		}
		if err := r.add("groups of default streams", row); err != nil {
			return err
		}
	}
	return nil
}

// huddles writes the private conversations of more than two members, and returns them.
func (r *realmExport) huddles(ctx context.Context) ([]sqlc.ArchivedConversationsRow, error) {
	type conversation = sqlc.ArchivedConversationsRow
	all := []conversation(nil)
	r.Begin(archive.Huddles)
	if r.PublicOnly {
		return nil, nil
	}
	err := portions(ctx, r.export, func(tx *store.Tx, last conversation) ([]conversation, error) {
		return tx.ArchivedConversations(ctx, last.ConversationID, maxRows)
	}, func(c conversation) error {
		if len(c.Members) < 3 || slices.ContainsFunc(c.Members, func(u id.User) bool { return !r.people[u] }) {
			return nil
		}
		all = append(all, c)
		names := strings.Join(lists.Map(c.Members, id.User.String), ",")
		sum := sha1.Sum([]byte(names)) //nolint:gosec // see above
		return r.add("private conversations of more than two", archive.Huddle{ID: int64(c.ConversationID), Hash: hex.EncodeToString(sum[:])})
	})
	return all, err
}

// subscriptions writes the subscriptions to streams, and those by which the format represents members of conversations.
func (r *realmExport) subscriptions(ctx context.Context, huddles []sqlc.ArchivedConversationsRow) error {
	r.Begin(archive.Subscriptions)
	number := int64(0)
	err := portions(ctx, r.export, func(tx *store.Tx, last sqlc.Subscription) ([]sqlc.Subscription, error) {
		return tx.ArchivedSubscriptions(ctx, int64(last.StreamID), int64(last.UserID), maxRows)
	}, func(s sqlc.Subscription) error {
		if !r.streams[s.StreamID] || !r.people[s.UserID] || r.PublicOnly && !s.Active {
			return nil
		}
		number++
		if r.PublicOnly {
			return r.add("subscriptions", plainSubscription(number, s.UserID, int64(s.StreamID)))
		}
		return r.add("subscriptions", archive.Subscription{
			ID: number, User: int64(s.UserID), Recipient: int64(s.StreamID), Active: s.Active, Color: s.Color, Muted: s.Muted, Pinned: s.PinToTop,
			Desktop: s.DesktopNotifications, Audible: s.AudibleNotifications, Push: s.PushNotifications, Email: s.EmailNotifications,
			Wildcard: s.WildcardMentionsNotify,
		})
	})
	if err != nil {
		return err
	}
	member := func(account id.User, recipient int64) error {
		number++
		return r.Add(plainSubscription(number, account, recipient))
	}
	for _, account := range slices.Sorted(maps.Keys(r.people)) {
		if err := member(account, recipientOf(account)); err != nil {
			return err
		}
	}
	for _, h := range huddles {
		for _, account := range h.Members {
			if err := member(account, int64(h.ConversationID)); err != nil {
				return err
			}
		}
	}
	return nil
}

// plainSubscription returns a subscription without an account's settings for it.
func plainSubscription(number int64, account id.User, recipient int64) archive.Subscription {
	return archive.Subscription{ID: number, User: int64(account), Recipient: recipient, Active: true, Color: "#c2c2c2"}
}
