package message

import (
	"context"
	"strconv"
	"sync"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
)

// staleTries is how often sending a message is tried if its stream changes meanwhile.
const staleTries = 5

var errStreamKeepsChanging = fault.New(fault.Unavailable, fault.CodeNone,
	"The stream is being changed: the message isn't sent; try again in a few seconds")

func (s *Service) postToStream(ctx context.Context, who actor.Actor, to StreamRef, topic, content string, draft Draft) (id.Message, error) {
	body, haveBody := Rendered{}, false
	for range staleTries {
		facts, err := s.facts(ctx, who, to)
		if store.IsNotFound(err) {
			err = unknownStream(to)
			s.notifyStreamOwner(ctx, who, to, false)
		}
		if err != nil {
			return 0, err
		}
		accessBy, err := s.mayPost(who, to, facts)
		if err != nil {
			s.streams.drop(who, to) // it may be permitted at the next attempt
			return 0, err
		}
		if !haveBody {
			if body, err = s.renderDraft(ctx, who, content, draft, nil); err != nil {
				return 0, err
			}
			haveBody = true
		}
		m, err := streamMessage(who, facts, topic, body, draft)
		if err != nil {
			return 0, err
		}
		m.AccessBy = accessBy
		message, ok, err := s.deliver(ctx, who, m, draft)
		if err != nil {
			return 0, err
		}
		if ok {
			if !facts.Occupied {
				s.notifyStreamOwner(ctx, who, to, true)
			}
			return message, nil
		}
		s.streams.drop(who, to)
	}
	return 0, errStreamKeepsChanging
}

// mayPost returns the account whose subscription permits who to send to a stream, see [permit.Post]. A fault has the stream's name only
// if who may know it: who called the stream by its id may not, or not anymore, and then it has the id.
func (s *Service) mayPost(who actor.Actor, to StreamRef, facts stream.Facts) (accessBy id.User, err error) {
	target := facts.PostTarget
	hidden := target.InviteOnly || who.Role == actor.Guest
	if to.ID != 0 && hidden && !who.Role.IsAdmin() {
		target.Name = strconv.FormatInt(int64(to.ID), 10)
	}
	return permit.Post(s.Now(), who, target)
}

// streamMessage returns the row of a message to a stream.
func streamMessage(who actor.Actor, to stream.Facts, topic string, body Rendered, draft Draft) (_ store.NewMessage, err error) {
	e, m := compose(who, "stream", topic, body, draft)
	e.DisplayRecipient, e.StreamID, e.RecipientID = to.Name, to.ID, int64(to.ID)
	e.TopicLinks = markdown.NewTopics(body.linkifiers).Links(topic)
	public := !to.InviteOnly
	m.Audience.Subscribers, m.Audience.Public = to.ID, public
	flags := personal(body, func(id.User) bool { return true })
	receiverFlags(who, body, flags, &m.Audience)
	for _, user := range draft.readBy {
		m.Audience.FlagsOf[user] |= event.Read
	}
	bots := map[id.User]event.Flags{}
	if public {
		m.Audience.Users = body.bots
		for _, bot := range body.bots {
			bots[bot] = flags[bot] | event.Delivered | m.Audience.FlagsOf[bot]&event.Read
		}
	}
	m.Stream, m.StreamVersion = to.ID, to.Version
	m.BotCalls = calls(who, body.called, store.ByMention)
	m.Flagged, m.FlaggedAnyway = flagged(flags), flagged(bots)
	m.Payload, err = e.EncodeAfterID()
	return m, err
}

// facts returns the facts about the stream, from the cache or from the database.
func (s *Service) facts(ctx context.Context, who actor.Actor, to StreamRef) (stream.Facts, error) {
	if facts, ok := s.streams.get(who, to, s.Now()); ok {
		return facts, nil
	}
	facts := stream.Facts{}
	err := s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error {
		var err error
		if to.ID != 0 {
			facts, err = stream.FactsByID(ctx, tx, who, to.ID)
		} else {
			facts, err = stream.FactsByName(ctx, tx, who, spelling.Name(to.Name))
		}
		return err
	})
	if err == nil {
		s.streams.put(who, to, facts, s.Now())
	}
	return facts, err
}

// streamCache caches the facts about streams that sending needs. Outdated entries don't affect
// correctness: storing a message verifies the facts.
type streamCache struct {
	mutex   sync.RWMutex
	entries map[streamKey]streamEntry
}

type streamKey struct {
	org    id.Org
	sender id.User
	to     StreamRef
}

type streamEntry struct {
	facts   stream.Facts
	expires time.Time
}

const (
	// maxStreamEntries is the size of the cache; when it is full, it is cleared.
	maxStreamEntries = 50_000
	// streamEntryLife is the maximum age of an entry. It matters for the facts that storing a message doesn't verify: that the
	// permission doesn't depend on a subscription, and whether anybody is subscribed.
	streamEntryLife = 10 * time.Second
)

func newStreamCache() streamCache { return streamCache{entries: map[streamKey]streamEntry{}} }

func (c *streamCache) get(who actor.Actor, to StreamRef, now time.Time) (stream.Facts, bool) {
	c.mutex.RLock()
	defer c.mutex.RUnlock()
	entry, ok := c.entries[streamKey{who.Org(), who.User, to}]
	return entry.facts, ok && now.Before(entry.expires)
}

func (c *streamCache) put(who actor.Actor, to StreamRef, facts stream.Facts, now time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.entries) >= maxStreamEntries {
		clear(c.entries)
	}
	c.entries[streamKey{who.Org(), who.User, to}] = streamEntry{facts, now.Add(streamEntryLife)}
}

func (c *streamCache) drop(who actor.Actor, to StreamRef) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.entries, streamKey{who.Org(), who.User, to})
}
