package user

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/yield"
)

// portion is how many accounts one query reads, in about half a millisecond. Between two portions, PostgreSQL's process
// yields to others, and the reader stops if its context has ended.
const portion = 250

// All returns every account of the transaction's organization, by id, including the server's own bots and deactivated
// accounts. Unless the transaction is a snapshot, accounts may have changed between the reading of portions.
func All(ctx context.Context, tx *store.Tx) ([]User, error) {
	all := []User{}
	err := each(ctx, tx, func(some []User) { all = append(all, some...) })
	return all, err
}

// each calls use with all accounts, by id, in portions.
func each(ctx context.Context, tx *store.Tx, use func(some []User)) error {
	for after, more := id.User(0), true; more; {
		users, err := readAll(tx.UsersAfter(ctx, int64(after), portion))
		if err != nil {
			return err
		}
		use(users)
		if more = len(users) == portion; more {
			after = users[portion-1].ID
			yield.IfDue(ctx)
		}
	}
	return nil
}

// Bots returns the bots that an account owns or, if all is set, those of the organization, by id, active or not.
func Bots(ctx context.Context, tx *store.Tx, keeper id.User, all bool) ([]User, error) {
	return readAll(tx.Bots(ctx, all, int64(keeper)))
}

// ByIDs returns the accounts with these ids, by id, without those that don't exist.
func ByIDs(ctx context.Context, tx *store.Tx, ids []id.User) ([]User, error) {
	return readAll(tx.UsersByID(ctx, id.Convert[int64](ids)))
}

// ByID returns an account, or [ErrNoSuchUser].
func ByID(ctx context.Context, tx *store.Tx, user id.User) (User, error) {
	return only(ByIDs(ctx, tx, []id.User{user}))
}

// only returns the account that was looked up, or [ErrNoSuchUser].
func only(found []User, err error) (User, error) {
	switch {
	case err != nil:
		return User{}, err
	case len(found) == 0:
		return User{}, ErrNoSuchUser
	}
	return found[0], nil
}

// ByRealEmail returns the account that logs in with an address, or [ErrNoSuchUser].
func ByRealEmail(ctx context.Context, tx *store.Tx, email string) (User, error) {
	return only(readAll(tx.UsersByEmail(ctx, []string{clean(email)})))
}

// Refs name accounts by id, or by the address that others see.
type Refs struct {
	IDs    []id.User
	Emails []string
}

// Find returns the accounts that named refers to, first those by id and then those by address, each in order. unknown is
// the first id or address without an account that fits accepts; nil: there is none.
func Find(ctx context.Context, tx *store.Tx, o org.Org, named Refs, fits func(User) bool) (found []User, unknown any, err error) {
	byID, err := ByIDs(ctx, tx, named.IDs)
	if err != nil {
		return nil, nil, err
	}
	byEmail, err := ByEmails(ctx, tx, o, named.Emails)
	if err != nil {
		return nil, nil, err
	}
	known := lists.Index(byID, func(u User) id.User { return u.ID })
	for _, wanted := range named.IDs {
		u, ok := known[wanted]
		if !ok || !fits(u) {
			return nil, wanted, nil
		}
		found = append(found, u)
	}
	for _, wanted := range named.Emails {
		u, ok := byEmail[wanted]
		if !ok || !fits(u) {
			return nil, wanted, nil
		}
		found = append(found, u)
	}
	return found, nil, nil
}

// ByEmails returns the accounts that others see with these addresses ([DisplayEmail]), by the address
// as the caller wrote it. It ignores the case of addresses and white space around them, and omits addresses without an
// account.
func ByEmails(ctx context.Context, tx *store.Tx, o org.Org, emails []string) (map[string]User, error) {
	wanted, hidden := make(map[string]string, len(emails)), []id.User(nil)
	for _, email := range emails {
		if !utf8.ValidString(email) || strings.ContainsRune(email, 0) {
			continue // PostgreSQL rejects such text
		}
		wanted[email] = clean(email)
		if u := hiddenID(o, wanted[email]); u != 0 {
			hidden = append(hidden, u)
		}
	}
	users, err := readAll(tx.UsersByEmail(ctx, slices.Collect(maps.Values(wanted))))
	if err != nil {
		return nil, err
	}
	if len(hidden) > 0 && o.Settings.EmailAddressVisibility != org.EmailsForEveryone {
		more, err := ByIDs(ctx, tx, hidden)
		if err != nil {
			return nil, err
		}
		users = append(users, more...)
	}
	known := make(map[string]User, len(users))
	for _, u := range users {
		known[clean(DisplayEmail(o, u))] = u
	}
	found := make(map[string]User, len(users))
	for email, cleaned := range wanted {
		if u, ok := known[cleaned]; ok {
			found[email] = u
		}
	}
	return found, nil
}

func clean(email string) string { return strings.ToLower(strings.TrimSpace(email)) }
