package login

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// ErrNoSession says that the caller has no such session.
var ErrNoSession = fault.Bad("Invalid session id")

// Session is a browser or a program that is signed in with the account's password.
type Session struct {
	// ID of the session, for DELETE /sessions/{session_id}.
	ID id.Login `json:"id"`
	// Name of the program.
	Client string `json:"client"`
	// When it signed in, in Unix seconds.
	Created int64 `json:"created_at"`
	// When it has to sign in again, in Unix seconds; null for programs, which need not.
	Ends *int64 `json:"ends_at"`
	// Whether it is the session of this request.
	Current bool `json:"current"`
}

// Sessions returns the caller's sessions, the newest first.
func (s *Service) Sessions(ctx context.Context, who actor.Actor) (sessions []Session, err error) {
	err = s.DB.Read(ctx, who.Org(), func(tx *store.Tx) error {
		sessions = []Session{} // the transaction may be retried
		rows, err := tx.LoginsOf(ctx, who.User, s.Now())
		for _, row := range rows {
			session := Session{ID: row.LoginID, Client: row.Client, Created: row.CreatedAt.Unix(), Current: row.LoginID == who.Login}
			if row.EndsAt != nil {
				session.Ends = new(row.EndsAt.Unix())
			}
			sessions = append(sessions, session)
		}
		return err
	})
	return sessions, err
}

// End ends a session of the caller. Its key is refused within a few seconds. It fails with [ErrNoSession].
func (s *Service) End(ctx context.Context, who actor.Actor, session id.Login) error {
	return s.DB.Write(ctx, who.Org(), func(tx *store.Tx) error {
		ended, err := tx.EndLogin(ctx, session, who.User)
		if err == nil && ended == 0 {
			return ErrNoSession
		}
		return err
	})
}
