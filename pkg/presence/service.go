package presence

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// Errors of a status.
var (
	ErrLong    = fault.Bad("status_text is too long (limit: 60 characters)")
	ErrNothing = fault.Plain("Client did not pass any new values.")
)

// maxText is the maximum length of a status in characters.
const maxText = 60

// Deps are the dependencies of a [Service].
type Deps struct {
	DB     *store.DB
	Orgs   *org.Service
	Store  *Store
	Now    func() time.Time
	Logger *slog.Logger
}

// Service manages the statuses and the presence of people. It is safe for concurrent use.
type Service struct {
	Deps
	recent recent
}

// New makes the service.
func New(d Deps) *Service { return &Service{Deps: d, recent: newRecent()} }

// UserStatus is the status of a person.
type UserStatus struct {
	// Whether they want to be seen as away.
	Away bool `json:"away,omitempty"`
	// What they say.
	Text string `json:"status_text,omitempty"`
}

// Set changes the fields of the caller's status that aren't nil. An empty text clears it. It fails with [ErrNothing]
// or [ErrLong].
func (s *Service) Set(ctx context.Context, who actor.Actor, away *bool, text *string) error {
	if away == nil && text == nil {
		return ErrNothing
	}
	if text != nil {
		trimmed := strings.TrimSpace(*text)
		if utf8.RuneCountInString(trimmed) > maxText {
			return ErrLong
		}
		text = &trimmed
	}
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockUser(ctx, int64(who.User)); err != nil {
			return err
		}
		if err := tx.SetUserStatus(ctx, who.User, away, text); err != nil {
			return err
		}
		return tx.Emit(ctx, event.UserStatus{UserID: who.User, Away: away, Text: text})
	})
}

// All returns the statuses of active accounts by id, except empty ones.
func All(ctx context.Context, tx *store.Tx) (map[string]UserStatus, error) {
	rows, err := tx.UserStatuses(ctx)
	all := make(map[string]UserStatus, len(rows))
	for _, row := range rows {
		all[strconv.FormatInt(int64(row.UserID), 10)] = UserStatus{Away: row.Away, Text: row.Text}
	}
	return all, err
}
