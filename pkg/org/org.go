package org

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// The errors of finding and creating organizations.
var (
	// ErrInvalidSubdomain says that a host belongs to no organization (rest-api.md, section 5.1).
	ErrInvalidSubdomain = fault.Bad("Invalid subdomain")
	// ErrSubdomainTaken says that another organization has the subdomain.
	ErrSubdomainTaken = fault.Bad("Subdomain unavailable. Please choose a different one.")
	// ErrNotSubdomain says that a new organization's subdomain can't be part of a host name.
	ErrNotSubdomain = fault.Bad("Subdomain must consist of lowercase letters, numbers and hyphens, and begin and end with no hyphen.")
)

// Org is an organization as it was when it was read.
type Org struct {
	ID                  id.Org
	Subdomain           string // lower case; empty: the root domain
	Name                string
	Description         string // Markdown
	RenderedDescription string // HTML
	Settings            Settings
	Methods             map[string]bool // ways to sign in as chosen, whether or not the server offers them; nil: not chosen
	Patterns            int64           // version, which grows with each change of alert words and linkifiers; 0: there were never any
	Created             time.Time
	Deactivated         bool
	URI                 string // canonical URL, without a trailing slash
	Domain              string // of generated email addresses
	Pictures            Pictures
}

// Service creates, finds and changes organizations. It is safe for concurrent use.
type Service struct {
	db     *store.DB
	config Config
	now    func() time.Time
}

// New makes the service.
func New(db *store.DB, config Config, now func() time.Time) *Service {
	return &Service{db: db, config: config, now: now}
}

// Config returns the server's configuration for its organizations.
func (s *Service) Config() Config { return s.config }

// ByHost returns the organization of a request's host, which may be deactivated, or [ErrInvalidSubdomain].
func (s *Service) ByHost(ctx context.Context, host string) (Org, error) {
	found, err := s.db.FindOrganization(ctx, strings.ToLower(s.config.Subdomain(host)))
	if store.IsNotFound(err) {
		return Org{}, ErrInvalidSubdomain
	}
	if err != nil {
		return Org{}, err
	}
	return store.Read(ctx, s.db, found, func(tx *store.Tx) (Org, error) { return s.Load(ctx, tx) })
}

// Load returns the transaction's organization.
func (s *Service) Load(ctx context.Context, tx *store.Tx) (Org, error) {
	return s.read(tx.OwnOrganization(ctx))
}

// Lock is Load with the locks of LockOrganization.
func (s *Service) Lock(ctx context.Context, tx *store.Tx) (Org, error) {
	return s.read(tx.LockOrganization(ctx))
}

// read returns the organization of a query's row.
func (s *Service) read(row sqlc.Organization, err error) (Org, error) {
	if err != nil {
		return Org{}, err
	}
	settings, err := store.DecodeSettings(row.Settings, s.config.Defaults())
	if err != nil {
		return Org{}, fmt.Errorf("organization %d: %w", row.OrgID, err)
	}
	chosen := settings.AuthenticationMethods
	settings.AuthenticationMethods = s.config.methods(row.Subdomain, chosen)
	return Org{
		ID: row.OrgID, Subdomain: row.Subdomain, Name: row.Name,
		Description: row.Description, RenderedDescription: row.RenderedDescription,
		Settings: settings, Methods: chosen, Patterns: row.AlertWordsVersion, Created: row.CreatedAt, Deactivated: row.Deactivated,
		URI: s.config.URI(row.Subdomain), Domain: s.config.Domain(), Pictures: readPictures(row),
	}, nil
}

// Draft is an organization to be created.
type Draft struct {
	Subdomain           string   // empty: the root domain
	Name                string   // up to 40 characters
	Description         string   // Markdown, up to 1000 characters
	RenderedDescription string   // HTML of Description
	Settings            Settings // without ways to sign in
}

// Create creates an organization with its notification bot, and calls begin, unless it is nil, in
// the same transaction. It fails with [ErrSubdomainTaken] or [ErrNotSubdomain].
func (s *Service) Create(ctx context.Context, draft Draft, begin func(tx *store.Tx, made Org) error) (Org, error) {
	if !validSubdomain(draft.Subdomain) {
		return Org{}, ErrNotSubdomain
	}
	settings, err := store.EncodeSettings(draft.Settings, s.config.Defaults())
	if err != nil {
		return Org{}, err
	}
	made := Org{}
	_, err = s.db.NewOrganization(ctx, func(tx *store.Tx) error {
		made, err = s.read(tx.CreateOrganization(ctx, sqlc.CreateOrganizationParams{
			Subdomain: draft.Subdomain, Name: draft.Name, Description: draft.Description,
			RenderedDescription: draft.RenderedDescription, Settings: settings,
		}))
		if store.IsNotFound(err) {
			return ErrSubdomainTaken
		}
		if err != nil {
			return err
		}
		if err := s.createNotificationBot(ctx, tx); err != nil {
			return err
		}
		if begin == nil {
			return nil
		}
		return begin(tx, made)
	})
	return made, err
}

// createNotificationBot creates the account that sends the server's own notices. It has no key, so
// nobody can act as it. It emits no event, since the organization has no clients yet.
func (s *Service) createNotificationBot(ctx context.Context, tx *store.Tx) error {
	bot := actor.GenericBot
	_, err := tx.CreateUser(ctx, sqlc.CreateUserParams{
		Email: "notification-bot@" + s.config.Domain(), FullName: "Notification Bot", Role: actor.Member,
		BotType: &bot, System: true, Settings: []byte("{}"), JoinedAt: s.now(),
	})
	return err
}

// The errors of subdomains at sign-up (rest-api.md, section 5.4).
var (
	ErrSubdomainShort      = fault.Bad("Subdomain needs to have length 3 or greater.")
	ErrSubdomainDash       = fault.Bad("Subdomain cannot start or end with a '-'.")
	ErrSubdomainCharacters = fault.Bad("Subdomain can only have lowercase letters, numbers, and '-'s.")
)

// Available returns nil if an organization that signs up can have the subdomain, or a fault that says why not.
// Operators may choose further subdomains, see [Service.Create].
func (s *Service) Available(ctx context.Context, subdomain string) error {
	switch {
	case len(subdomain) < 3:
		return ErrSubdomainShort
	case strings.HasPrefix(subdomain, "-") || strings.HasSuffix(subdomain, "-"):
		return ErrSubdomainDash
	case strings.Trim(subdomain, subdomainCharacters) != "":
		return ErrSubdomainCharacters
	case !validSubdomain(subdomain) || reserved(subdomain):
		return ErrSubdomainTaken
	}
	_, err := s.db.FindOrganization(ctx, subdomain)
	switch {
	case store.IsNotFound(err):
		return nil
	case err == nil:
		return ErrSubdomainTaken
	}
	return err
}

const subdomainCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-"

// validSubdomain reports whether name can be one label of a host name, or is empty.
func validSubdomain(name string) bool {
	if len(name) > 63 || strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") {
		return false
	}
	return strings.Trim(name, subdomainCharacters) == ""
}
