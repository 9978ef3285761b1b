package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// LockLogins removes the password and the right to log in from roles that services used before, and ends their sessions.
// Roles that don't exist are skipped. It refuses roles that aren't logins of services, and the current logins; the error
// is a sentence that names the role.
func LockLogins(ctx context.Context, connString string, users []string, current Logins) error {
	if len(users) == 0 {
		return nil
	}
	return locked(ctx, connString, func(conn *pgx.Conn) error {
		for _, user := range users {
			if user == current.ServiceUser || user == current.EverywhereUser {
				return fmt.Errorf("DATABASE_FORMER_USERS names %s, which services log in as now: remove it from the list", user)
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
		return errors.New("it isn't a login of services: remove it from DATABASE_FORMER_USERS")
	}
	name := quote(user)
	if _, err := tx.Exec(ctx, "alter role "+name+" nologin password null"); err != nil {
		return err
	}
	// A stolen password may have been used for a session. Ending it takes membership in the role.
	if _, err := tx.Exec(ctx, "grant "+name+" to "+quote(owner)); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", user); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "revoke "+name+" from "+quote(owner))
	return err
}
