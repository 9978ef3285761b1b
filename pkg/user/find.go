package user

import (
	"context"
	"fmt"
	"strings"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/rest"
	"chatserver.dev/pkg/store"
)

// portion is how many accounts are read at a time, in half a millisecond or so: PostgreSQL's process gets to others
// between two of them, and a caller who has gone isn't read for any longer.
const portion = 250

// All returns every account of the transaction's organization, by id: people and bots, the server's
// own bots and the deactivated ones, too. Unless the transaction is a snapshot, they are not of one moment: an account is
// as it was when its portion was read.
func All(ctx context.Context, tx *store.Tx) ([]User, error) {
	all := []User{}
	err := each(ctx, tx, func(some []User) { all = append(all, some...) })
	return all, err
}

// each calls use with all accounts, by id, some at a time.
func each(ctx context.Context, tx *store.Tx, use func(some []User)) error {
	for after, more := id.User(0), true; more; {
		rows, err := tx.UsersAfter(ctx, int64(after), portion)
		if err != nil {
			return fmt.Errorf("list users: %w", err)
		}
		users, err := readAll(rows)
		if err != nil {
			return err
		}
		use(users)
		if more = len(users) == portion; more {
			after = users[portion-1].ID
			rest.Take(ctx)
		}
	}
	return nil
}

// ByIDs returns the accounts with these ids, by id. Those that don't exist are left out.
func ByIDs(ctx context.Context, tx *store.Tx, ids []id.User) ([]User, error) {
	rows, err := tx.UsersByID(ctx, id.Convert[int64](ids))
	if err != nil {
		return nil, fmt.Errorf("find users by id: %w", err)
	}
	return readAll(rows)
}

// ByID returns an account, or [ErrNoSuchUser].
func ByID(ctx context.Context, tx *store.Tx, user id.User) (User, error) {
	found, err := ByIDs(ctx, tx, []id.User{user})
	if err != nil {
		return User{}, err
	}
	if len(found) == 0 {
		return User{}, ErrNoSuchUser
	}
	return found[0], nil
}

// ByRealEmail returns the account that logs in with an address, or [ErrNoSuchUser].
func ByRealEmail(ctx context.Context, tx *store.Tx, email string) (User, error) {
	rows, err := tx.UsersByEmail(ctx, []string{clean(email)})
	if err != nil {
		return User{}, fmt.Errorf("find user by address: %w", err)
	}
	if len(rows) == 0 {
		return User{}, ErrNoSuchUser
	}
	return read(rows[0])
}

// ByEmails returns the accounts that others know by these addresses ([DisplayEmail]), by the address
// as it was asked for. Letter case and white space around an address don't count; addresses that
// are nobody's are left out.
func ByEmails(ctx context.Context, tx *store.Tx, o org.Org, emails []string) (map[string]User, error) {
	wanted := make([]string, len(emails))
	hidden := make([]int64, 0)
	for i, email := range emails {
		wanted[i] = clean(email)
		if u := hiddenID(o, wanted[i]); u != 0 {
			hidden = append(hidden, int64(u))
		}
	}
	rows, err := tx.UsersByEmail(ctx, wanted)
	if err != nil {
		return nil, fmt.Errorf("find users by address: %w", err)
	}
	if len(hidden) > 0 && o.Settings.EmailAddressVisibility != org.EmailsForEveryone {
		more, err := tx.UsersByID(ctx, hidden)
		if err != nil {
			return nil, fmt.Errorf("find users by address: %w", err)
		}
		rows = append(rows, more...)
	}
	users, err := readAll(rows)
	if err != nil {
		return nil, err
	}
	known := make(map[string]User, len(users))
	for _, u := range users {
		known[clean(DisplayEmail(o, u))] = u
	}
	found := make(map[string]User, len(users))
	for i, email := range emails {
		if u, ok := known[wanted[i]]; ok {
			found[email] = u
		}
	}
	return found, nil
}

func clean(email string) string { return strings.ToLower(strings.TrimSpace(email)) }
