package subscription

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// newStreamsTopic is the topic of announcements.
const newStreamsTopic = "new streams"

// notice is what the notification bot tells of.
type notice struct {
	who        actor.Actor
	created    []sqlc.Stream
	outcome    outcome
	announceIn []id.Stream // none or one
	tell       bool        // those who were subscribed by somebody else
}

// announceIn gives the stream that new streams are announced in, if they are to be.
func announceIn(o org.Org, request Request) []id.Stream {
	if !request.Announce || o.Settings.NotificationsStreamID <= 0 {
		return nil
	}
	return []id.Stream{id.Stream(o.Settings.NotificationsStreamID)}
}

// notify has the notification bot say what happened (rest-api.md, section 3.4). The one who asked for it
// knows, so for them it is read.
func (s *Service) notify(ctx context.Context, tx *store.Tx, n notice) error {
	if n.tell {
		if err := s.tellSubscribed(ctx, tx, n); err != nil {
			return err
		}
	}
	if err := s.announce(ctx, tx, n); err != nil {
		return err
	}
	for _, row := range n.created {
		text := fmt.Sprintf("Stream created by %s.", silently(n.who))
		if err := s.notices.ToStream(ctx, tx, row.StreamID, stream.EventsTopic, text, n.who.User); err != nil {
			return fmt.Errorf("note the creation of stream %d: %w", row.StreamID, err)
		}
	}
	return nil
}

// tellSubscribed writes to the people whom somebody else subscribed to streams that were there before.
func (s *Service) tellSubscribed(ctx context.Context, tx *store.Tx, n notice) error {
	for _, p := range n.outcome.people {
		if p.bot || p.id == n.who.User {
			continue
		}
		names := []string{}
		for _, row := range n.outcome.joined(p.id) {
			isNew := slices.ContainsFunc(n.created, func(c sqlc.Stream) bool { return c.StreamID == row.StreamID })
			if !isNew {
				names = append(names, link(row.Name))
			}
		}
		if len(names) == 0 {
			continue
		}
		slices.Sort(names)
		text := fmt.Sprintf("@**%s** subscribed you to the stream %s.", n.who.FullName, names[0])
		if len(names) > 1 {
			text = fmt.Sprintf("@**%s** subscribed you to the following streams:\n\n* %s",
				n.who.FullName, strings.Join(names, "\n* "))
		}
		if err := s.notices.ToUser(ctx, tx, p.id, text); err != nil {
			return fmt.Errorf("tell user %d of new subscriptions: %w", p.id, err)
		}
	}
	return nil
}

// announce tells of new streams where the organization wants to read that. An organization whose
// stream for it is gone doesn't.
func (s *Service) announce(ctx context.Context, tx *store.Tx, n notice) error {
	if len(n.announceIn) == 0 || len(n.created) == 0 {
		return nil
	}
	to, err := tx.StreamByID(ctx, n.who.User, n.announceIn[0])
	if store.IsNotFound(err) || err == nil && to.Stream.Deactivated {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find the stream for announcements: %w", err)
	}
	text := fmt.Sprintf("%s created a new stream %s.", silently(n.who), link(n.created[0].Name))
	if len(n.created) > 1 {
		names := make([]string, len(n.created))
		for i, row := range n.created {
			names[i] = link(row.Name)
		}
		text = fmt.Sprintf("%s created the following streams: %s.", silently(n.who), strings.Join(names, ", "))
	}
	if err := s.notices.ToStream(ctx, tx, to.Stream.StreamID, newStreamsTopic, text, n.who.User); err != nil {
		return fmt.Errorf("announce new streams: %w", err)
	}
	return nil
}

func silently(who actor.Actor) string { return fmt.Sprintf("@_**%s|%d**", who.FullName, who.User) }

func link(name string) string { return "#**" + name + "**" }
