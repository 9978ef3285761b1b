package admin

import (
	"context"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/linkifier"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// checkLists checks the lists in a spec, before anything is changed.
func checkLists(spec adminapi.OrganizationSpec) error {
	domains := make([]string, len(spec.Domains))
	for i, d := range spec.Domains {
		domains[i] = d.Domain
	}
	if err := org.CheckDomains(domains); err != nil {
		return err
	}
	linkifiers := make([][2]string, len(spec.Linkifiers))
	for i, l := range spec.Linkifiers {
		linkifiers[i] = [2]string{l.Pattern, l.URLFormat}
	}
	return linkifier.CheckList(linkifiers)
}

// ensureLists updates the organization's lists to those in a spec, and returns the names of those that differed. Each entry is a
// separate change, like a person's, so an interrupted call must be repeated.
func (s *Service) ensureLists(ctx context.Context, found id.Org, spec adminapi.OrganizationSpec) (changed []string, err error) {
	if spec.Domains == nil && spec.Linkifiers == nil {
		return nil, nil
	}
	who, domains, linkifiers := actor.Actor{}, []org.Domain(nil), []sqlc.LinkifiersRow(nil)
	err = s.DB.Read(ctx, found, func(tx *store.Tx) error {
		if _, who, err = s.system(ctx, tx); err != nil {
			return err
		}
		if domains, err = org.DomainsIn(ctx, tx); err != nil {
			return err
		}
		linkifiers, err = tx.Linkifiers(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if spec.Domains != nil {
		differed, err := s.ensureDomains(ctx, who, spec.Domains, domains)
		if err != nil {
			return nil, err
		}
		if differed {
			changed = append(changed, "domains")
		}
	}
	if spec.Linkifiers != nil {
		differed, err := s.ensureLinkifiers(ctx, who, spec.Linkifiers, linkifiers)
		if err != nil {
			return nil, err
		}
		if differed {
			changed = append(changed, "linkifiers")
		}
	}
	return changed, nil
}

// ensureDomains adds domains before it removes others, since an organization without domains would let everybody join.
func (s *Service) ensureDomains(ctx context.Context, who actor.Actor, wanted []adminapi.Domain, before []org.Domain) (differed bool, err error) {
	names := map[string]bool{}
	for _, d := range wanted {
		domain := org.Domain{Name: strings.ToLower(strings.TrimSpace(d.Domain)), AllowSubdomains: d.AllowSubdomains}
		names[domain.Name] = true
		i := slices.IndexFunc(before, func(b org.Domain) bool { return b.Name == domain.Name })
		switch {
		case i < 0:
			_, _, err = s.Policy.AddDomain(ctx, who, domain)
		case before[i] != domain:
			err = s.Policy.ChangeDomain(ctx, who, domain)
		default:
			continue
		}
		if err != nil {
			return differed, err
		}
		differed = true
	}
	for _, b := range before {
		if names[b.Name] {
			continue
		}
		if err := s.Policy.RemoveDomain(ctx, who, b.Name); err != nil {
			return differed, err
		}
		differed = true
	}
	return differed, nil
}

// ensureLinkifiers removes linkifiers before it adds others, since patterns are unique.
func (s *Service) ensureLinkifiers(ctx context.Context, who actor.Actor, wanted []adminapi.Linkifier, before []sqlc.LinkifiersRow) (differed bool, err error) {
	missing := slices.Clone(wanted)
	for i := range missing {
		missing[i].Pattern, missing[i].URLFormat = strings.TrimSpace(missing[i].Pattern), strings.TrimSpace(missing[i].URLFormat)
	}
	for _, b := range before {
		if i := slices.Index(missing, adminapi.Linkifier{Pattern: b.Pattern, URLFormat: b.URLFormat}); i >= 0 {
			missing = slices.Delete(missing, i, i+1)
			continue
		}
		if err := s.Linkifiers.Remove(ctx, who, b.LinkifierID); err != nil {
			return differed, err
		}
		differed = true
	}
	for _, l := range missing {
		if _, err := s.Linkifiers.Add(ctx, who, l.Pattern, l.URLFormat); err != nil {
			return differed, err
		}
		differed = true
	}
	return differed, nil
}

// readLists sets the lists of an organization's state.
func readLists(ctx context.Context, tx *store.Tx, state *adminapi.Organization) error {
	domains, err := org.DomainsIn(ctx, tx)
	if err != nil {
		return err
	}
	linkifiers, err := tx.Linkifiers(ctx)
	if err != nil {
		return err
	}
	state.Domains, state.Linkifiers = []adminapi.Domain{}, []adminapi.Linkifier{}
	for _, d := range domains {
		state.Domains = append(state.Domains, adminapi.Domain{Domain: d.Name, AllowSubdomains: d.AllowSubdomains})
	}
	for _, l := range linkifiers {
		state.Linkifiers = append(state.Linkifiers, adminapi.Linkifier{Pattern: l.Pattern, URLFormat: l.URLFormat})
	}
	state.UserGroups, err = readManagedGroups(ctx, tx)
	return err
}
