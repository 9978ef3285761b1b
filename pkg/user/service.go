package user

import (
	"context"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// ErrNoSuchUser says that an organization has no such account (rest-api.md, section 1.9).
var ErrNoSuchUser = fault.Bad("No such user")

// Service creates, reads and changes accounts. It is safe for concurrent use.
type Service struct {
	db   *store.DB
	orgs *org.Service
	now  func() time.Time

	directory *directory
}

// New makes the service.
func New(db *store.DB, orgs *org.Service, now func() time.Time) *Service {
	return &Service{db: db, orgs: orgs, now: now, directory: newDirectory(maxCached)}
}

// Options select the members of accounts that a caller gets.
type Options struct {
	// HostedAvatar omits the URLs of pictures on a third party's host.
	HostedAvatar bool
	// Profiles adds the answers to custom profile fields.
	Profiles bool
}

// List returns all accounts of the caller's organization, including deactivated ones but without the server's own bots, by
// id, as a JSON array of [event.UserObject]. If it isn't cached, List first calls list, and returns its error if it fails.
func (s *Service) List(ctx context.Context, who actor.Actor, options Options, list func() error) ([]byte, error) {
	form := Form{Options: options}
	lists, found, err := s.cached(ctx, keyOf(who.Org(), who.Role, form))
	if err != nil || found {
		return lists.Members, err
	}
	if err := list(); err != nil {
		return nil, err
	}
	err = s.db.Snapshot(ctx, who.Org(), func(tx *store.Tx, _ store.Snapshot) error {
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		lists, err = s.Lists(ctx, tx, o, who.Role, form)
		return err
	})
	return lists.Members, err
}

// Avatar returns the URL of the picture of the account that others see with an address ([DisplayEmail]), or
// [ErrNoSuchUser]. It also finds the server's own bots and deactivated accounts. medium selects the size for profiles.
func (s *Service) Avatar(ctx context.Context, who actor.Actor, email string, medium bool) (url string, err error) {
	url, _, err = s.avatar(ctx, who, medium, func(tx *store.Tx, o org.Org) (User, error) {
		found, err := ByEmails(ctx, tx, o, []string{email})
		if err != nil {
			return User{}, err
		}
		u, ok := found[email]
		if !ok {
			return User{}, ErrNoSuchUser
		}
		return u, nil
	})
	return url, err
}

// AvatarOf is [Service.Avatar] for an account by its id. drawn reports that the picture is the one generated from its id.
func (s *Service) AvatarOf(ctx context.Context, who actor.Actor, account id.User, medium bool) (url string, drawn bool, err error) {
	return s.avatar(ctx, who, medium, func(tx *store.Tx, _ org.Org) (User, error) { return ByID(ctx, tx, account) })
}

func (s *Service) avatar(
	ctx context.Context, who actor.Actor, medium bool, find func(tx *store.Tx, o org.Org) (User, error),
) (url string, drawn bool, err error) {
	err = s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		u, err := find(tx, o)
		if url = AvatarURL(o, u); medium {
			url = AvatarURLMedium(o, u)
		}
		drawn = strings.HasPrefix(url, drawnPath)
		return err
	})
	return url, drawn, err
}

// Get returns one account of the caller's organization, or [ErrNoSuchUser]. It also finds the server's own bots and
// deactivated accounts.
func (s *Service) Get(ctx context.Context, who actor.Actor, user id.User, options Options) (event.UserObject, error) {
	object := event.UserObject{}
	err := s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
		view, err := s.view(ctx, tx, who, options)
		if err != nil {
			return err
		}
		if options.Profiles {
			if view.Profiles, err = profileOf(ctx, tx, user); err != nil {
				return err
			}
		}
		found, err := ByID(ctx, tx, user)
		if err != nil {
			return err
		}
		object = view.Object(found)
		return nil
	})
	return object, err
}

// Addresses returns the addresses that others see of these accounts of the caller's organization ([DisplayEmail]), in the
// order of ids, without the server's own bots.
func (s *Service) Addresses(ctx context.Context, who actor.Actor, of []id.User) ([]string, error) {
	addresses := []string{}
	err := s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
		o, err := s.orgs.Load(ctx, tx)
		if err != nil {
			return err
		}
		found, err := ByIDs(ctx, tx, of)
		if err != nil {
			return err
		}
		addresses = addresses[:0] // the transaction may be tried again
		for _, u := range found {
			if !u.System {
				addresses = append(addresses, DisplayEmail(o, u))
			}
		}
		return nil
	})
	return addresses, err
}

// Own is the caller's own account (http-api.md, own user).
type Own struct {
	event.UserObject
	// BotType is the type of a bot; people have none.
	BotType *actor.BotType `json:"bot_type,omitempty"`
	// MaxMessageID is the newest message that the caller received; -1: none.
	MaxMessageID id.Message `json:"max_message_id"`
}

// Me returns the caller's own account.
func (s *Service) Me(ctx context.Context, who actor.Actor) (Own, error) {
	own := Own{}
	err := s.db.Read(ctx, who.Org(), func(tx *store.Tx) error {
		newest, err := NewestReceived(ctx, tx, who.User)
		if err != nil {
			return err
		}
		view, err := s.view(ctx, tx, who, Options{})
		if err != nil {
			return err
		}
		profiles, err := profileOf(ctx, tx, who.User)
		if err != nil {
			return err
		}
		found, err := ByID(ctx, tx, who.User)
		if err != nil {
			return err
		}
		own = Own{UserObject: view.Object(found), MaxMessageID: newest}
		own.BotType = own.UserObject.BotType
		own.ProfileData = profiles.of(who.User) // bots have no answers, but the field, too (http-api.md)
		return nil
	})
	return own, err
}

// NewestReceived returns the newest of the messages that a user received, in streams while they were
// subscribed and in private conversations; -1: none. Its cost grows with the user's subscriptions
// and conversations, not with messages.
func NewestReceived(ctx context.Context, tx *store.Tx, user id.User) (id.Message, error) {
	newest, err := tx.NewestReceived(ctx, user)
	return id.Message(newest), err
}

func (s *Service) view(ctx context.Context, tx *store.Tx, who actor.Actor, options Options) (View, error) {
	o, err := s.orgs.Load(ctx, tx)
	if err != nil {
		return View{}, err
	}
	return View{Org: o, Viewer: who.Role, HostedAvatar: options.HostedAvatar}, nil
}
