package subscription

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// ErrPrincipal says that one of those named isn't an active account of the organization (rest-api.md,
// section 1.2).
var ErrPrincipal = fault.New(fault.Forbidden, fault.CodeUnauthorizedPrincipal,
	"User not authorized to execute queries on behalf of '%s'")

// Principals are those that a request is about, by id or by the address that others see. Without any
// it is about the one who makes it.
type Principals struct {
	IDs    []id.User
	Emails []string
}

func (p Principals) given() bool { return len(p.IDs)+len(p.Emails) > 0 }

// others reports whether the request is about more than the one who makes it.
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

// person is somebody who is subscribed or unsubscribed.
type person struct {
	id    id.User
	role  actor.Role
	bot   bool
	email string // as others see it
}

// people finds those that a request is about, each once, or fails with [ErrPrincipal].
func people(ctx context.Context, tx *store.Tx, o org.Org, who actor.Actor, p Principals) ([]person, error) {
	if !p.given() {
		return []person{{who.User, who.Role, who.IsBot(), who.Email}}, nil
	}
	found := make([]user.User, 0, len(p.IDs)+len(p.Emails))
	byID, err := user.ByIDs(ctx, tx, p.IDs)
	if err != nil {
		return nil, err
	}
	ids := lists.Index(byID, func(u user.User) id.User { return u.ID })
	for _, principal := range p.IDs {
		u, ok := ids[principal]
		if !ok || !mayBeSubscribed(u) {
			return nil, unknownPrincipal(principal)
		}
		found = append(found, u)
	}
	byEmail, err := user.ByEmails(ctx, tx, o, p.Emails)
	if err != nil {
		return nil, err
	}
	for _, email := range p.Emails {
		u, ok := byEmail[email]
		if !ok || !mayBeSubscribed(u) {
			return nil, unknownPrincipal(email)
		}
		found = append(found, u)
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

func mayBeSubscribed(u user.User) bool { return u.Active && !u.System }

// unknownPrincipal names a principal as the request did, by a number or an address.
func unknownPrincipal[P id.User | string](principal P) error {
	return ErrPrincipal.Format(fmt.Sprint(principal)).With("principal", principal)
}

func userNumbers(people []person) []int64 { return id.Convert[int64](ids(people)) }
