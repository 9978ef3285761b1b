package org

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/disposable"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// maxDomains is the maximum number of an organization's domains. The response to every registration lists them.
const maxDomains = 500

// Faults of domains (rest-api.md, section 5.5).
var (
	ErrDomain      = fault.Plain("Invalid domain: %s")
	ErrDomainThere = fault.Plain("The domain %s is already a part of your organization.")
	ErrNoDomain    = fault.Plain("No entry found for domain %s.")
	ErrManyDomains = fault.Bad("Too many domains (limit: 500)")
)

// The errors of [CheckEmail]. Each interface by which accounts join maps them to its own texts.
var (
	ErrOutside    = errors.New("the address isn't in a domain of the organization")
	ErrDisposable = errors.New("the address is disposable")
	ErrPlus       = errors.New("the address contains a plus sign")
)

// Domain is a domain whose addresses may join the organization if its setting emails_restricted_to_domains says so.
type Domain struct {
	// Name of the domain, in lower case.
	Name string `json:"domain"`
	// AllowSubdomains permits addresses of all its subdomains, too.
	AllowSubdomains bool `json:"allow_subdomains"`
}

// CheckEmail checks that the organization's settings permit an address for an account (rest-api.md, section 8.1). It fails
// with [ErrOutside], [ErrDisposable] or [ErrPlus].
func CheckEmail(ctx context.Context, tx *store.Tx, o Org, email string) error {
	name, domain, _ := strings.Cut(strings.ToLower(email), "@")
	switch {
	case !o.Settings.EmailsRestrictedToDomains:
		if o.Settings.DisallowDisposableEmailAddresses && disposable.Domain(domain) {
			return ErrDisposable
		}
		return nil
	case strings.Contains(name, "+"):
		return ErrPlus // the same mailbox could have any number of accounts
	}
	parents := []string(nil)
	for at, c := range domain {
		if c == '.' {
			parents = append(parents, domain[at+1:])
		}
	}
	allowed, err := tx.AllowsEmailDomain(ctx, domain, parents)
	if err == nil && !allowed {
		err = ErrOutside
	}
	return err
}

// DomainsIn returns the domains of the transaction's organization, by name.
func DomainsIn(ctx context.Context, tx *store.Tx) ([]Domain, error) {
	rows, err := tx.EmailDomains(ctx)
	if err != nil {
		return nil, err
	}
	return lists.Map(rows, func(row sqlc.EmailDomainsRow) Domain { return Domain{row.Domain, row.AllowSubdomains} }), nil
}

// Domains returns the domains of the caller's organization, by name.
func (s *Service) Domains(ctx context.Context, who actor.Actor) ([]Domain, error) {
	return store.Read(ctx, s.db, who.Org(), func(tx *store.Tx) ([]Domain, error) { return DomainsIn(ctx, tx) })
}

// CheckDomains checks the names of an organization's domains. It fails with [ErrDomain], [ErrDomainThere] or
// [ErrManyDomains].
func CheckDomains(names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		name = strings.ToLower(strings.TrimSpace(name))
		if reason := wrongDomain(name); reason != "" {
			return ErrDomain.Format(reason)
		}
		if seen[name] {
			return ErrDomainThere.Format(name)
		}
		seen[name] = true
	}
	if len(names) > maxDomains {
		return ErrManyDomains
	}
	return nil
}

// AddDomain adds a domain and returns it with its id. It ignores the case of the name and white space around it. It fails
// with [ErrDomain], [ErrDomainThere] or [ErrManyDomains]. Its caller, like those of the functions below, has locked the
// organization (LockOrganization) and checked that an administrator changes it.
func AddDomain(ctx context.Context, tx *store.Tx, domain Domain) (added Domain, number int64, err error) {
	domain.Name = strings.ToLower(strings.TrimSpace(domain.Name))
	if err := CheckDomains([]string{domain.Name}); err != nil {
		return Domain{}, 0, err
	}
	before, err := tx.EmailDomains(ctx)
	if err != nil {
		return Domain{}, 0, err
	}
	number, err = tx.AddEmailDomain(ctx, domain.Name, domain.AllowSubdomains)
	switch {
	case store.IsNotFound(err):
		return Domain{}, 0, ErrDomainThere.Format(domain.Name)
	case err != nil:
		return Domain{}, 0, err
	case len(before) >= maxDomains:
		return Domain{}, 0, ErrManyDomains
	}
	return domain, number, tx.Emit(ctx, event.DomainAdded{Domain: event.Domain(domain)})
}

// ChangeDomain changes whether a domain's subdomains are allowed. It fails with [ErrNoDomain].
func ChangeDomain(ctx context.Context, tx *store.Tx, domain Domain) error {
	domain.Name = strings.ToLower(domain.Name)
	changed, err := tx.ChangeEmailDomain(ctx, domain.AllowSubdomains, domain.Name)
	switch {
	case err != nil:
		return err
	case changed == 0:
		return ErrNoDomain.Format(domain.Name)
	}
	return tx.Emit(ctx, event.DomainChanged{Domain: event.Domain(domain)})
}

// RemoveDomain removes a domain. If it was the last one, addresses are no longer restricted, since otherwise nobody could
// join. It fails with [ErrNoDomain].
func (s *Service) RemoveDomain(ctx context.Context, tx *store.Tx, name string) error {
	name = strings.ToLower(name)
	removed, err := tx.RemoveEmailDomain(ctx, name)
	switch {
	case err != nil:
		return err
	case removed == 0:
		return ErrNoDomain.Format(name)
	}
	left, err := tx.EmailDomains(ctx)
	if err != nil {
		return err
	}
	if len(left) == 0 {
		// Before the event of the domain, as clients expect (events.md, section 3.14).
		change := Change{Settings: map[string]json.RawMessage{"emails_restricted_to_domains": json.RawMessage("false")}}
		if _, _, err := s.Change(ctx, tx, change); err != nil {
			return err
		}
	}
	return tx.Emit(ctx, event.DomainRemoved{Domain: name})
}

var domainLabel = regexp.MustCompile(`^[a-z0-9-]*$`)

// wrongDomain returns why a domain, in lower case, is invalid, or "".
func wrongDomain(domain string) string {
	switch {
	case domain == "":
		return "Domain can't be empty."
	case !strings.Contains(domain, "."):
		return "Domain must have at least one dot (.)"
	case len(domain) > 255:
		return "Domain is too long"
	case strings.HasPrefix(domain, ".") || strings.HasSuffix(domain, "."):
		return "Domain cannot start or end with a dot (.)"
	}
	for label := range strings.SplitSeq(domain, ".") {
		switch {
		case label == "":
			return "Consecutive '.' are not allowed."
		case strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-"):
			return "Subdomains cannot start or end with a '-'."
		case !domainLabel.MatchString(label):
			return "Domain can only have letters, numbers, '.' and '-'s."
		}
	}
	return ""
}
