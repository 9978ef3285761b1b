package subscription

import (
	"context"
	"fmt"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

// ErrPrincipal says that one of the principals isn't an active account of the organization (rest-api.md,
// section 1.2).
var ErrPrincipal = fault.New(fault.Forbidden, fault.CodeUnauthorizedPrincipal,
	"User not authorized to execute queries on behalf of '%s'")

// Principals are the accounts that a request changes, by id or by the address that others see. Without any, it changes
// the caller.
type Principals struct {
	IDs    []id.User
	Emails []string
}

func (p Principals) given() bool { return len(p.IDs)+len(p.Emails) > 0 }

// others reports whether the request changes accounts other than the caller.
func (p Principals) others(who actor.Actor) bool {
	switch {
	case !p.given():
		return false
	case len(p.IDs)+len(p.Emails) > 1:
		return true
	case len(p.IDs) == 1:
		return p.IDs[0] != who.User
	default:
		return p.Emails[0] != who.Email
	}
}

// person is an account that is subscribed or unsubscribed.
type person struct {
	id    id.User
	role  actor.Role
	bot   bool
	email string // as others see it
}

// people returns the accounts that a request changes, each once, or [ErrPrincipal].
func people(ctx context.Context, tx *store.Tx, o org.Org, who actor.Actor, p Principals) ([]person, error) {
	if !p.given() {
		return []person{{who.User, who.Role, who.IsBot(), who.Email}}, nil
	}
	found, unknown, err := user.Find(ctx, tx, o, user.Refs(p), func(u user.User) bool { return u.Active && !u.System })
	switch {
	case err != nil:
		return nil, err
	case unknown != nil:
		return nil, ErrPrincipal.Format(fmt.Sprint(unknown)).With("principal", unknown)
	}
	list := make([]person, 0, len(found))
	seen := make(map[id.User]bool, len(found))
	for _, u := range found {
		if !seen[u.ID] {
			seen[u.ID] = true
			list = append(list, person{u.ID, u.Role, u.IsBot(), user.DisplayEmail(o, u)})
		}
	}
	return list, nil
}

// stillActive returns those of the people whose accounts are active, and remain so until the transaction ends: whoever is
// deactivated later leaves the streams for their other subscribers. It must come after the locks of the streams, and before
// the transaction's first write.
func stillActive(ctx context.Context, tx *store.Tx, some []person) ([]person, error) {
	if err := tx.ShareActivity(ctx, slices.Sorted(slices.Values(userNumbers(some)))); err != nil {
		return nil, fmt.Errorf("lock the people to subscribe: %w", err)
	}
	rows, err := tx.UsersByID(ctx, userNumbers(some))
	if err != nil {
		return nil, fmt.Errorf("read the people to subscribe: %w", err)
	}
	byID := lists.Index(rows, func(row sqlc.User) id.User { return row.UserID })
	return slices.DeleteFunc(slices.Clone(some), func(p person) bool { return !byID[p.id].Active }), nil
}

// deactivated returns the error of a request one of whose people isn't active anymore (see [stillActive]): the one that the same
// request would get now.
func deactivated(ctx context.Context, tx *store.Tx, o org.Org, who actor.Actor, p Principals) error {
	if !p.given() {
		return fault.ErrUserDeactivated
	}
	_, err := people(ctx, tx, o, who, p)
	return err
}

func userNumbers(people []person) []int64 { return id.Convert[int64](ids(people)) }
