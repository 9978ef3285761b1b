package subscription

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
)

// news is what the notification bot announces when the last part of a request is done.
type news struct {
	created []sqlc.Stream
	// joined are the existing streams that people other than the caller were subscribed to. It has no bots.
	joined map[id.User][]sqlc.Stream
}

// with returns the news extended by a joining.
func (n news) with(who actor.Actor, j joining) news {
	all := news{slices.Clone(n.created), maps.Clone(n.joined)}
	if all.joined == nil {
		all.joined = map[id.User][]sqlc.Stream{}
	}
	for _, p := range j.people {
		if p.bot || p.id == who.User {
			continue
		}
		known := slices.DeleteFunc(j.joined(p.id), all.made)
		all.joined[p.id] = slices.Concat(all.joined[p.id], known)
	}
	return all
}

// made reports whether the request created a stream.
func (n news) made(row sqlc.Stream) bool {
	return slices.ContainsFunc(n.created, func(made sqlc.Stream) bool { return made.StreamID == row.StreamID })
}

// announceIn returns the stream in which new streams are to be announced, or nil.
func announceIn(o org.Org, request Request) []id.Stream {
	if !request.Announce || o.Settings.NotificationsStreamID <= 0 {
		return nil
	}
	return []id.Stream{id.Stream(o.Settings.NotificationsStreamID)}
}

// prepareSubscribed renders the messages to people whom another account subscribed to existing streams. In the last part
// of a request, it does so for all of its parts; in others, it does nothing.
func (s *Service) prepareSubscribed(
	ctx context.Context, tx *store.Tx, who actor.Actor, left adding, some []person,
) (send func(ctx context.Context) error, err error) {
	users, says := []id.User(nil), []catalogue.Notice(nil)
	for _, p := range some {
		known := slices.Clone(left.news.joined[p.id])
		if !left.notify || !left.last || len(known) == 0 {
			continue
		}
		slices.SortFunc(known, func(a, b sqlc.Stream) int { return strings.Compare(a.Name, b.Name) })
		links, more := links(known)
		users = append(users, p.id)
		says = append(says, func(in catalogue.Texts) string { return in.Notices.Subscribed("@**"+who.FullName+"**", links, more) })
	}
	if len(users) == 0 {
		return func(context.Context) error { return nil }, nil
	}
	return s.notices.ToUsers(ctx, tx, users, says)
}

// announce sends one message about all new streams, including private ones, to the stream for announcements (rest-api.md,
// section 3.4). If that stream was deactivated, it does nothing.
func (s *Service) announce(ctx context.Context, tx *store.Tx, who actor.Actor, created []sqlc.Stream, in []id.Stream) error {
	if len(in) == 0 || len(created) == 0 {
		return nil
	}
	to, err := tx.StreamByID(ctx, who.User, in[0])
	if store.IsNotFound(err) || err == nil && to.Stream.Deactivated {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find the stream for announcements: %w", err)
	}
	links, more := links(created)
	return s.notices.ToStream(ctx, tx, to.Stream.StreamID, func(in catalogue.Texts) (topic, text string) {
		return in.Notices.NewStreams, in.Notices.StreamsCreated(silently(who), links, more)
	}, who.User)
}

// maxLinks is the maximum size of the links in a notice, in bytes. It leaves room for the rest of the message.
const maxLinks = 9000

// links returns links to the first streams, as many as a notice has room for, and the number of the others.
func links(streams []sqlc.Stream) (shown []string, more int) {
	size := 0
	for i, row := range streams {
		link := stream.Link(row)
		if size += len(link) + len(", "); size > maxLinks {
			return shown, len(streams) - i
		}
		shown = append(shown, link)
	}
	return shown, 0
}

func silently(who actor.Actor) string { return fmt.Sprintf("@_**%s|%d**", who.FullName, who.User) }
