package feed

import (
	"context"
	"errors"
	"slices"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/linkifier"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/narrow"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

const (
	// maxMessages is the maximum number of messages in a request.
	maxMessages = 5000
	// fewMessages is the maximum number in a request that is cheap, as clients send while their users scroll.
	fewMessages = 200
)

// Approximate sizes of pages, in bytes of the reply.
const (
	// PageBytes is the maximum size of a page. The client requests the rest in further pages.
	PageBytes = 8 << 20
	// SmallPage is the maximum size of a page for which PageMemory need not be reserved, but see [FirstMemory].
	SmallPage = 1 << 20
	// PageMemory is the memory that it takes to make a page of PageBytes, in bytes.
	PageMemory = 4 * PageBytes
)

// FirstMemory returns the memory to reserve before reading a SmallPage of that many messages, in bytes; 0: none. The amount
// is small. The purpose is that requests which reserve memory take turns: reading 1,000 messages occupies a connection to the
// database for a tenth of a second or longer, so a few hundred clients that request as many would leave none for others.
//
// Searches reserve memory as well, however few messages they return.
func FirstMemory(messages int, n narrow.Narrow) int64 {
	if messages <= fewMessages && !searches(n) {
		return 0
	}
	return int64(min((messages+1)*store.MinMessage, SmallPage))
}

// searches reports whether the database may have to look at many messages that a narrow doesn't return.
func searches(n narrow.Narrow) bool {
	return slices.ContainsFunc(n, func(t narrow.Term) bool { return t.Negated }) ||
		n.Has(narrow.Search, narrow.Sender, narrow.HasAttachment, narrow.HasImage, narrow.HasLink, narrow.Home)
}

// searchTime is the time limit for finding the messages of a narrow. Most searches take milliseconds, but the database may
// have to look at millions of messages if the reader may see few of those that match.
const searchTime = 5 * time.Second

// unreadTime is the time limit for finding the first unread message. Beyond it, the page begins at the newest message.
const unreadTime = 2 * time.Second

// The faults of [Service.Fetch].
var (
	// ErrTooMany says that a request asks for more than [maxMessages].
	ErrTooMany = fault.Plain("Too many messages requested (maximum 5000).")
	// ErrTooSlow says that the database didn't find the messages within [searchTime].
	ErrTooSlow = fault.Plain("This search takes too long: name a stream, a topic, a conversation, or more words.")
)

// Service reads messages. It is safe for concurrent use.
type Service struct {
	db         *store.DB
	orgs       *org.Service
	linkifiers *linkifier.Service
	searchTime time.Duration
	unreadTime time.Duration
}

// New makes the service.
func New(db *store.DB, orgs *org.Service, linkifiers *linkifier.Service) *Service {
	return &Service{db, orgs, linkifiers, searchTime, unreadTime}
}

// Request is a request for messages (rest-api.md, section 2.3).
type Request struct {
	Anchor Anchor
	// Before and After are the numbers of messages before and after the anchor, without the anchor itself.
	Before, After int
	Narrow        narrow.Narrow
	Form          Form
	// Bytes is the maximum size of the page: PageBytes or SmallPage. If not all messages fit into a SmallPage, it has none.
	Bytes int
}

// Page is a part of the messages of a narrow (rest-api.md, section 2.3).
type Page struct {
	// Messages are the messages, ascending by id.
	Messages []Message `json:"messages"`
	// Anchor is the id that messages were wanted around; 10000000000000000 for the newest ones.
	Anchor Anchor `json:"anchor"`
	// FoundAnchor says that the message with that id is among them.
	FoundAnchor bool `json:"found_anchor"`
	// FoundOldest says that no older message matches; false where the page ended before num_before, too.
	FoundOldest bool `json:"found_oldest"`
	// FoundNewest says that no newer message matches; false where the page ended before num_after, too.
	FoundNewest bool `json:"found_newest"`
	// HistoryLimited says that older messages are withheld; always false.
	HistoryLimited bool `json:"history_limited"`
	// Cut says that the page ended because of its size, or that its only message is larger than that.
	Cut bool `json:"-"`
}

// Fetch returns messages of a narrow around an anchor. If finding the first unread message takes too long, that is the end.
// Its faults are [ErrTooMany], [ErrTooSlow] and narrow.ErrTerm.
func (s *Service) Fetch(ctx context.Context, who actor.Actor, request Request) (Page, error) {
	if request.Before+request.After > maxMessages {
		return Page{}, ErrTooMany
	}
	limit := s.searchTime
	if request.Anchor == FirstUnread {
		limit = s.unreadTime
	}
	page, err := s.fetch(ctx, who, request, limit)
	if errors.Is(err, store.ErrSlow) && request.Anchor == FirstUnread {
		request.Anchor = page.Anchor
		page, err = s.fetch(ctx, who, request, s.searchTime)
	}
	return page, tooSlow(err, request.Narrow)
}

// tooSlow returns [ErrTooSlow] for store.ErrSlow if a narrow searches. Other errors stay as they are.
func tooSlow(err error, n narrow.Narrow) error {
	if errors.Is(err, store.ErrSlow) && searches(n) {
		return ErrTooSlow.Wrap(err)
	}
	return err
}

// fetch is Fetch with a limit for each statement. If it fails, the page has the anchor, [Newest] if the first unread message wasn't found.
func (s *Service) fetch(ctx context.Context, who actor.Actor, request Request, limit time.Duration) (page Page, err error) {
	err = s.db.Search(ctx, who.Org(), limit, func(tx *store.Tx) error {
		request := request // the transaction may be tried again
		page = Page{Anchor: Newest}
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		resolved, err := resolve(ctx, tx, o, who, request.Narrow)
		if err != nil {
			return err
		}
		if request.Anchor == FirstUnread {
			if request.Anchor, err = firstUnread(ctx, tx, resolved, request.Narrow.Has(narrow.Stream)); err != nil {
				return err
			}
			page.Anchor = request.Anchor
		}
		found, cut := []store.NarrowedMessage(nil), []bool(nil)
		ranges := request.ranges()
		if len(ranges) > 0 {
			if found, cut, err = tx.Messages(ctx, resolved, ranges...); err != nil {
				return err
			}
		}
		page, found = request.page(found)
		page.Cut = slices.Contains(cut, true)
		for i, part := range ranges {
			if part.Newest {
				page.FoundOldest = page.FoundOldest && !cut[i]
			} else {
				page.FoundNewest = page.FoundNewest && !cut[i]
			}
		}
		if page.Cut && request.Bytes == SmallPage {
			return nil // a single message may have many reactions
		}
		who.Sending.Patterns = o.Patterns // as of now
		linkifiers, err := s.linkifiers.In(ctx, tx, who)
		if err != nil {
			return err
		}
		in := scope{o, markdown.NewTopics(linkifiers)}
		page.Messages, err = request.Form.messages(ctx, tx, in, found, request.Narrow.Has(narrow.Search), request.Narrow.Words())
		return err
	})
	return page, err
}

// ranges returns the parts of the narrow to read: before the anchor, and from the anchor on. Each
// begins at the anchor and has its share of the page, so that the page has no gap.
func (r Request) ranges() []store.MessageRange {
	ranges := []store.MessageRange(nil)
	anchor := id.Message(r.Anchor)
	if r.Before > 0 && r.Anchor > Oldest {
		ranges = append(ranges, store.MessageRange{First: 0, Last: anchor - 1, Newest: true, Limit: r.Before})
	}
	switch {
	case r.Anchor == Newest:
	case r.After > 0: // one more, for the anchor itself
		ranges = append(ranges, store.MessageRange{First: anchor, Last: id.Message(Newest), Limit: r.After + 1})
	default:
		ranges = append(ranges, store.MessageRange{First: anchor, Last: anchor, Limit: 1})
	}
	for i := range ranges {
		ranges[i].Bytes = r.Bytes / len(ranges)
		ranges[i].Limit = min(ranges[i].Limit, ranges[i].Bytes/store.MinMessage+1) // one more than can fit
	}
	return ranges
}

// page returns a page with its flags set, but without messages, and the requested messages.
func (r Request) page(found []store.NarrowedMessage) (Page, []store.NarrowedMessage) {
	before, at, after := 0, 0, 0
	for _, m := range found {
		switch {
		case m.ID < id.Message(r.Anchor):
			before++
		case m.ID == id.Message(r.Anchor):
			at++
		default:
			after++
		}
	}
	page := Page{
		Anchor: r.Anchor, FoundAnchor: at > 0,
		FoundOldest: r.Anchor == Oldest || before < r.Before,
		FoundNewest: r.Anchor == Newest || after < r.After,
	}
	return page, found[:before+at+min(after, r.After)]
}

// firstUnread returns the first unread message of a narrow, or [Newest]. It ignores messages in muted topics, and
// those in muted streams unless the narrow names a stream.
func firstUnread(ctx context.Context, tx *store.Tx, n store.Narrow, inStream bool) (Anchor, error) {
	n.History = false
	n.Terms = append(n.Terms[:len(n.Terms):len(n.Terms)],
		store.NarrowTerm{Condition: store.IsUnread{}}, store.NarrowTerm{Condition: store.InHome{TopicsOnly: inStream}})
	found, err := tx.MessageIDs(ctx, n, store.MessageRange{First: 0, Last: id.Message(Newest), Limit: 1})
	if err != nil || len(found) == 0 {
		return Newest, err
	}
	return Anchor(found[0]), nil
}

// Raw returns the source text of a message. It fails with message.ErrInvalid if the caller has no access to the message
// (rest-api.md, section 2.6).
func (s *Service) Raw(ctx context.Context, who actor.Actor, wanted id.Message) (string, error) {
	seen, err := store.Read(ctx, s.db, who.Org(), func(tx *store.Tx) (message.Visible, error) {
		return message.Load(ctx, tx, who, wanted)
	})
	return seen.Content, err
}
