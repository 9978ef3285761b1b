package linkifier

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/patterns"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// maxLinkifiers is the maximum number of linkifiers in an organization. Every message is searched for each of them.
const maxLinkifiers = 50

// maxRemembered is the maximum number of cached linkifiers of all organizations. Each takes about 10 KB.
const maxRemembered = 5_000

// Faults (rest-api.md, section 5.7).
var (
	ErrNone = fault.Plain("Filter not found")
	ErrMany = fault.Bad("Too many linkifiers (limit: 50)")
)

// there is the error for a pattern that already exists in the organization.
const there = "Realm filter with this Realm and Pattern already exists."

// Service manages linkifiers. It is safe for concurrent use.
type Service struct {
	db       *store.DB
	compiled *patterns.Cache[[]*markdown.Linkifier]
}

// New makes the service.
func New(db *store.DB, logger *slog.Logger) *Service {
	read := func(ctx context.Context, tx *store.Tx) ([]*markdown.Linkifier, int, error) {
		rows, err := tx.Linkifiers(ctx)
		if err != nil {
			return nil, 0, err
		}
		all := []*markdown.Linkifier(nil)
		for _, row := range rows {
			l, err := markdown.NewLinkifier(row.Pattern, row.URLFormat)
			if err != nil { // another release has accepted it
				logger.WarnContext(ctx, "skipping an invalid linkifier", slog.Int64("org", int64(tx.Org())), slog.Int64("linkifier", row.LinkifierID), slog.Any("error", err))
				continue
			}
			all = append(all, l)
		}
		return all, 1 + len(all), nil
	}
	return &Service{db, patterns.New(db, maxRemembered, read)}
}

// Of returns the linkifiers of the caller's organization, ready for use.
func (s *Service) Of(ctx context.Context, who actor.Actor) ([]*markdown.Linkifier, error) {
	return s.compiled.Of(ctx, who)
}

// In is like [Service.Of], within a transaction.
func (s *Service) In(ctx context.Context, tx *store.Tx, who actor.Actor) ([]*markdown.Linkifier, error) {
	return s.compiled.In(ctx, tx, who)
}

// ListIn returns the linkifiers of the transaction's organization, in the order of their ids.
func ListIn(ctx context.Context, tx *store.Tx) ([]event.Linkifier, error) {
	rows, err := tx.Linkifiers(ctx)
	return lists.Map(rows, func(row sqlc.LinkifiersRow) event.Linkifier {
		return event.Linkifier{row.Pattern, row.URLFormat, row.LinkifierID}
	}), err
}

// List returns the linkifiers of the caller's organization, in the order of their ids.
func (s *Service) List(ctx context.Context, who actor.Actor) ([]event.Linkifier, error) {
	return store.Read(ctx, s.db, who.Org(), func(tx *store.Tx) ([]event.Linkifier, error) { return ListIn(ctx, tx) })
}

// Add adds a linkifier and returns its id. It ignores white space around both texts. It fails with [ErrInvalid] or [ErrMany].
// Add and Remove don't check that the caller is an administrator.
func (s *Service) Add(ctx context.Context, who actor.Actor, pattern, format string) (number int64, err error) {
	pattern, format = strings.TrimSpace(pattern), strings.TrimSpace(format)
	wrong := check(pattern, format)
	err = s.change(ctx, who, func(tx *store.Tx) error {
		before, err := tx.Linkifiers(ctx)
		if err != nil {
			return err
		}
		exists := slices.ContainsFunc(before, func(row sqlc.LinkifiersRow) bool { return row.Pattern == pattern })
		switch {
		case exists:
			return invalid(append(slices.Clip(wrong), fieldError{"__all__", there}))
		case len(wrong) > 0:
			return invalid(wrong)
		case len(before) >= maxLinkifiers:
			return ErrMany
		}
		number, err = tx.AddLinkifier(ctx, pattern, format)
		return err
	})
	return number, err
}

// Remove removes a linkifier. It fails with [ErrNone].
func (s *Service) Remove(ctx context.Context, who actor.Actor, number int64) error {
	return s.change(ctx, who, func(tx *store.Tx) error {
		removed, err := tx.RemoveLinkifier(ctx, number)
		if err == nil && removed == 0 {
			err = ErrNone
		}
		return err
	})
}

// change changes the linkifiers of an organization and emits the event.
func (s *Service) change(ctx context.Context, who actor.Actor, how func(tx *store.Tx) error) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if _, err := tx.LockOrganization(ctx); err != nil {
			return err
		}
		if err := how(tx); err != nil {
			return err
		}
		all, err := ListIn(ctx, tx)
		if err != nil {
			return err
		}
		if err := tx.Emit(ctx, event.Linkifiers{Linkifiers: all}); err != nil {
			return err
		}
		return tx.CountPatternsChange(ctx)
	})
}
