package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// LockLogins takes the password and the right to log in from roles that services had before, and ends their sessions.
// Those that don't exist are left out. What isn't a login of services is refused, as are the current logins; the error is
// a sentence that says which role it is.
func LockLogins(ctx context.Context, connString string, users []string, current Logins) error {
	if len(users) == 0 {
		return nil
	}
	return locked(ctx, connString, func(conn *pgx.Conn) error {
		for _, user := range users {
			if user == current.ServiceUser || user == current.EverywhereUser {
				return fmt.Errorf("DATABASE_FORMER_USERS names %s, which services log in as now", user)
			}
			if err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return lockLogin(ctx, tx, user) }); err != nil {
				return fmt.Errorf("lock the role %s: %w", user, err)
			}
		}
		return nil
	})
}

func lockLogin(ctx context.Context, tx pgx.Tx, user string) error {
	ours, owner := false, ""
	err := tx.QueryRow(ctx, `select not r.rolsuper and r.rolname <> current_user and exists (
			select from pg_auth_members m join pg_roles g on g.oid = m.roleid
			where m.member = r.oid and g.rolname in ('chatserver_service', 'chatserver_everywhere')), current_user
		from pg_roles r where r.rolname = $1`, user).Scan(&ours, &owner)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return err
	case !ours:
		return errors.New("it is no login of services: remove it from DATABASE_FORMER_USERS")
	}
	name := quote(user)
	if _, err := tx.Exec(ctx, "alter role "+name+" nologin password null"); err != nil {
		return err
	}
	// Whoever stole a password may have a session. To end it takes the role's rights.
	if _, err := tx.Exec(ctx, "grant "+name+" to "+quote(owner)); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", user); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "revoke "+name+" from "+quote(owner))
	return err
}
