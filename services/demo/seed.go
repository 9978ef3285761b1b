package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/domain"
	"chatserver.dev/services/program"
)

// Seed creates the organization if there is none at the server's root domain. It returns a description with the
// keys, which it also writes to the file at path. It returns nil if the root domain has another organization.
func Seed(ctx context.Context, d boot.Deps, path string) (*Demo, error) {
	kept, ok, err := load(path)
	if err != nil {
		return nil, err
	}
	blobs, err := blob.Open(d.Config.Files)
	if err != nil {
		return nil, err
	}
	s := &seeding{deps: d, file: path, domain: program.NewDomain(d, blobs), users: map[string]user.User{}, keys: map[string]string{}}
	o, err := d.Orgs.ByHost(ctx, d.Config.Org.ExternalHost)
	switch {
	case errors.Is(err, org.ErrInvalidSubdomain):
		if err = s.sent(len(posts())); err == nil {
			err = s.create(ctx)
		}
	case err != nil:
		return nil, err
	case o.Name != orgName:
		return nil, nil //nolint:nilnil // nil is the documented answer
	case ok && kept.Organization.ID == o.ID:
		kept.BaseURL = o.URI
		if err := kept.checkKeys(ctx, d, o); err != nil {
			return nil, fmt.Errorf("check the demo's keys: %w", err)
		}
		return &kept, kept.save(path)
	default:
		s.org, s.missing = o, kept.Missing
		err = s.renewKeys(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("create the demo organization: %w", err)
	}
	if err := s.fill(ctx); err != nil {
		return nil, fmt.Errorf("fill the demo organization: %w", err)
	}
	made, err := s.describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("describe the demo organization: %w", err)
	}
	return made, made.save(path)
}

// seeding is the state of the creation of the organization.
type seeding struct {
	deps    boot.Deps
	file    string
	domain  domain.Domain
	org     org.Org
	missing int                  // how many of the last [posts] are to be sent
	users   map[string]user.User // by name
	keys    map[string]string    // by name
}

// sent notes how many messages are missing, so that the next start continues if this one is interrupted.
func (s *seeding) sent(missing int) error {
	s.missing = missing
	return Demo{Missing: missing}.save(s.file)
}

// create creates the organization with its accounts.
func (s *seeding) create(ctx context.Context) error {
	draft := org.Draft{
		Name: orgName, Description: orgDescription, RenderedDescription: "<p>" + orgDescription + "</p>", Settings: s.deps.Orgs.Config().Defaults(),
	}
	_, err := s.deps.Orgs.Create(ctx, draft, func(tx *store.Tx, made org.Org) (err error) {
		if s.org, err = s.domain.Streams.CreateGeneral(ctx, tx, made); err != nil {
			return err
		}
		for _, p := range people() {
			account, key, err := s.domain.Users.Create(ctx, tx, made, user.Draft{
				RealEmail: p.address(made), FullName: p.name, Role: p.role, Bot: p.bot, Owner: s.users[p.owner].ID,
			})
			if err != nil {
				return err
			}
			s.users[p.name], s.keys[p.name] = account, key
		}
		return nil
	})
	return err
}

// checkKeys updates the addresses of accounts, and removes the keys that don't authenticate them any more.
func (d *Demo) checkKeys(ctx context.Context, deps boot.Deps, o org.Org) error {
	users, err := store.Read(ctx, deps.DB, o.ID, func(tx *store.Tx) ([]user.User, error) { return user.All(ctx, tx) })
	if err != nil {
		return err
	}
	all := []*Account{}
	for i := range d.Accounts {
		all = append(all, &d.Accounts[i])
	}
	for i := range d.Bots {
		all = append(all, &d.Bots[i].Account)
	}
	for _, a := range all {
		if i := slices.IndexFunc(users, func(u user.User) bool { return u.ID == a.UserID }); i >= 0 {
			a.Email = users[i].RealEmail
		}
		_, err := deps.Accounts.Authenticate(ctx, deps.Config.Org.ExternalHost, a.Email, a.APIKey)
		switch {
		case err == nil:
		case fault.Of(err) == nil:
			return err
		default:
			a.APIKey = ""
		}
	}
	return nil
}

// renewKeys replaces the keys of all accounts that have their first address, since they are lost.
func (s *seeding) renewKeys(ctx context.Context) error {
	return s.deps.DB.Write(ctx, s.org.ID, func(tx *store.Tx) error {
		all, err := user.All(ctx, tx)
		if err != nil {
			return err
		}
		for _, u := range all {
			for _, p := range people() {
				if u.RealEmail != p.address(s.org) {
					continue
				}
				renewed, err := s.domain.Users.Rotate(ctx, tx, u.ID, "", 0)
				if err != nil {
					return err
				}
				s.users[p.name], s.keys[p.name] = u, renewed.Key
			}
		}
		return nil
	})
}

func (p person) address(o org.Org) string {
	if p.bot != actor.Human {
		return p.email + o.Domain
	}
	return p.email
}

// fill creates the streams and messages that are missing. It does nothing if the owner has another address, and so isn't known.
func (s *seeding) fill(ctx context.Context) error {
	if _, ok := s.users[owner]; !ok {
		return nil
	}
	for _, r := range streams() {
		request := subscription.Request{
			Streams: []subscription.Wanted{{Name: r.name, Description: r.description}},
			New:     stream.Settings{InviteOnly: r.private, HistoryPublic: !r.private, PostPolicy: permit.PostAnyone},
		}
		for _, name := range r.members {
			if u, ok := s.users[name]; ok {
				request.Principals.IDs = append(request.Principals.IDs, u.ID)
			}
		}
		if _, err := s.domain.Subscriptions.Subscribe(ctx, s.actor(owner), request); err != nil {
			return fmt.Errorf("stream %s: %w", r.name, err)
		}
		if !r.isDefault {
			continue
		}
		made, err := s.domain.Streams.Find(ctx, s.actor(owner), r.name)
		if err == nil {
			err = s.domain.Streams.AddDefault(ctx, s.actor(owner), made)
		}
		if err != nil {
			return fmt.Errorf("make stream %s a default: %w", r.name, err)
		}
	}
	return s.addActivity(ctx)
}

// actor returns an account as a caller.
func (s *seeding) actor(name string) actor.Actor {
	who := s.users[name].Actor(s.org, nil)
	who.Client = "Demo"
	return who
}

// describe returns the organization as it is now.
func (s *seeding) describe(ctx context.Context) (*Demo, error) {
	made := &Demo{
		BaseURL:      s.org.URI,
		Organization: Organization{ID: s.org.ID, Name: s.org.Name, Subdomain: s.org.Subdomain},
	}
	for _, p := range people() {
		u, ok := s.users[p.name]
		if !ok {
			continue
		}
		account := Account{Email: u.RealEmail, APIKey: s.keys[p.name], Role: roleName(u.Role), UserID: u.ID, FullName: u.FullName}
		if u.IsBot() {
			made.Bots = append(made.Bots, Bot{Account: account, Type: botName(u.Bot), OwnerID: u.Owner})
		} else {
			made.Accounts = append(made.Accounts, account)
		}
	}
	if _, ok := s.users[owner]; !ok {
		return made, nil
	}
	listed, err := s.domain.Streams.List(ctx, s.actor(owner), stream.Filter{All: true})
	if err != nil {
		return nil, err
	}
	for _, l := range listed {
		made.Streams = append(made.Streams, Stream{ID: l.ID, Name: l.Name, Private: l.InviteOnly, IsDefault: l.IsDefault})
	}
	return made, nil
}
