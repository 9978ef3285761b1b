package missed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

const (
	// quietFor is the time for which people must be away to get a digest. The digest covers that time.
	quietFor = 5 * 24 * time.Hour
	// digestPeople is the maximum number of accounts that a transaction checks.
	digestPeople = 100
	// A digest has at most digestTopics topics, with digestMessages messages each, and digestStreams new streams. Topics are searched in
	// digestLook streams, among the newest digestEach messages of each.
	digestTopics, digestMessages, digestStreams, digestLook, digestEach = 4, 3, 10, 50, 100
)

// digestState is the recipient of a digest.
type digestState struct {
	User id.User `json:"user"`
}

// digestKind returns the kind of mail that summarizes recent activity for people who were away, at most once a week.
func (s *Service) digestKind() mail.Kind[digestState] {
	return mail.NewLowPriorityKind("digest", s.composeDigest)
}

// Digest queues the digests of the day: in organizations with digests on this weekday, for people who have been away for [quietFor].
// If it fails for some organizations, it returns the first of these errors at its end.
func (s *Service) Digest(ctx context.Context) error {
	now := s.Now()
	due, err := s.DB.DueDigests(ctx, now)
	if err != nil {
		return err
	}
	failed := error(nil)
	for _, in := range due {
		if err := s.digests(ctx, in, now); err != nil && !errors.Is(err, errLost) {
			failed = cmp.Or(failed, fmt.Errorf("digests of organization %d: %w", in, err))
		}
	}
	return failed
}

// digests queues the digests of an organization.
func (s *Service) digests(ctx context.Context, in id.Org, now time.Time) error {
	for more := true; more; {
		err := s.DB.Write(ctx, in, func(tx *store.Tx) (err error) {
			more, err = s.digest(ctx, tx, now)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// digest queues the digests of some accounts and reports whether there are more accounts.
func (s *Service) digest(ctx context.Context, tx *store.Tx, now time.Time) (more bool, err error) {
	day := now.UTC().Truncate(24 * time.Hour)
	row, err := tx.DigestOf(ctx, day)
	if err != nil && !store.IsNotFound(err) {
		return false, err
	}
	if row.Done {
		return false, errLost
	}
	people, err := user.After(ctx, tx, id.User(row.After), digestPeople)
	if err != nil {
		return false, err
	}
	quiet, err := s.quiet(ctx, tx, people, now)
	if err != nil {
		return false, err
	}
	more, upto := len(people) == digestPeople, row.After
	if len(people) > 0 {
		upto = int64(people[len(people)-1].ID)
	}
	moved, err := tx.MoveDigest(ctx, sqlc.MoveDigestParams{Day: day, Upto: upto, Done: !more, After: row.After})
	if err == nil && moved == 0 {
		err = errLost
	}
	if err != nil || len(quiet) == 0 {
		return more, err
	}
	addresses := lists.Map(quiet, func(u user.User) string { return u.RealEmail })
	return more, s.digestKind().AddAll(ctx, tx, addresses, lists.Map(quiet, func(u user.User) digestState { return digestState{u.ID} }))
}

// quiet returns the given accounts that get digests and haven't been used for quietFor.
func (s *Service) quiet(ctx context.Context, tx *store.Tx, people []user.User, now time.Time) ([]user.User, error) {
	people = slices.DeleteFunc(slices.Clone(people), func(u user.User) bool { return !u.Active || u.IsBot() || !u.Settings.EnableDigestEmails })
	since := now.Add(-quietFor)
	idle, err := tx.IdlePeople(ctx, lists.Map(people, func(u user.User) int64 { return int64(u.ID) }), since)
	if err != nil {
		return nil, err
	}
	there, err := s.Presence.Who(ctx, tx.Org(), idle, since)
	return slices.DeleteFunc(people, func(u user.User) bool { return there[u.ID] || !slices.Contains(idle, u.ID) }), err
}

// composeDigest composes a digest. It returns nil if there was no activity or if digests have been turned off.
func (s *Service) composeDigest(ctx context.Context, tx *store.Tx, _ string, about digestState) (*mail.Letter, error) {
	o, err := s.Orgs.Load(ctx, tx)
	if err != nil || o.Deactivated || !o.Settings.DigestEmailsEnabled {
		return nil, err
	}
	to, err := user.ByID(ctx, tx, about.User)
	if errors.Is(err, user.ErrNoSuchUser) {
		return nil, nil //nolint:nilnil // no mail is sent
	}
	if err != nil {
		return nil, err
	}
	now := s.Now()
	quiet, err := s.quiet(ctx, tx, []user.User{to}, now)
	c := newComposer(tx, o, to)
	c.stop.Digest = true
	if err != nil || len(quiet) == 0 || !c.shows() {
		return nil, err
	}
	since := now.Add(-quietFor)
	if err := c.addHot(ctx, since); err != nil {
		return nil, err
	}
	after, err := c.newStreams(ctx, since)
	if err != nil || len(after) == 0 && len(c.quotes) == 0 {
		return nil, err
	}
	letter := mail.NewLetter(c.texts, o.Name, c.texts.Mail.Digest.Letter(o.Name, o.URI), "")
	letter.To, letter.Quotes, letter.After, letter.Unsubscribe = to.RealEmail, c.quotes, after, s.unsubscribeLink(o, c.stop)
	return letter, nil
}

// addHot adds the topics with the most senders.
func (c *composer) addHot(ctx context.Context, since time.Time) error {
	topics, err := c.tx.HotTopics(ctx, sqlc.HotTopicsParams{
		UserID: c.to.ID, Since: since, Streams: digestLook, Each: digestEach, MaxRows: digestTopics,
	})
	if err != nil {
		return err
	}
	for _, t := range topics {
		said, err := c.earlierInTopic(ctx, id.Stream(t.StreamID), t.TopicKey, t.Newest+1, digestMessages)
		if err != nil {
			return err
		}
		for i := range said {
			said[i].Old = false // all messages are new to the reader
		}
		title := "#" + t.StreamName + " > " + t.Topic
		if !t.Cut {
			title = c.texts.Mail.Digest.Topic(title, int(t.Messages))
		}
		c.quotes = append(c.quotes, mail.Quote{Title: title, Messages: said})
	}
	return nil
}

// newStreams returns a line for each new stream. It returns none for guests, who see only their own streams.
func (c *composer) newStreams(ctx context.Context, since time.Time) ([]string, error) {
	if c.to.Role == actor.Guest {
		return nil, nil
	}
	streams, err := c.tx.NewStreams(ctx, since, c.to.ID, digestStreams)
	return lists.Map(streams, func(s sqlc.NewStreamsRow) string { return c.texts.Mail.Digest.NewStream(s.Name, s.Description) }), err
}
