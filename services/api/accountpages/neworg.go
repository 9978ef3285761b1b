package accountpages

import (
	"context"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/neworg"
	"chatserver.dev/services/api/plain"
)

// askNewOrg is the page for requesting a link to create an organization.
func (s *server) askNewOrg() page {
	return page{
		title: func(says catalogue.Pages) string { return says.NewOrg.Title },
		root:  true,
		show:  func(_ context.Context, v visit) (plain.Page, error) { return asks(v), s.NewOrgs.Check() },
		act: func(ctx context.Context, v visit) (outcome, error) {
			err := s.NewOrgs.Request(ctx, v.request())
			return said(v.says.Look, v.says.NewOrg.Sent), err
		},
	}
}

// newOrg is the page that creates an organization.
func (s *server) newOrg() page {
	return page{
		title:    func(says catalogue.Pages) string { return says.NewOrg.Title },
		root:     true,
		lost:     func(says catalogue.Pages) string { return says.NewOrg.Lost },
		lostLink: neworg.Path,
		show: func(ctx context.Context, v visit) (plain.Page, error) {
			email, err := s.NewOrgs.Read(ctx, v.token)
			says := v.says.NewOrg
			fields := []plain.Field{
				signInField(v, email),
				{Name: "organization", Label: says.Name, Type: "text", Autocomplete: "organization", Max: 40},
				{Name: "subdomain", Label: says.Subdomain, Hint: says.SubdomainHint(s.Orgs.Config().URI("name")), Type: "text", Autocomplete: "off", Max: 40},
				{Name: "full_name", Label: v.says.FullName, Type: "text", Autocomplete: "name", Max: 100},
			}
			for i := range fields {
				fields[i] = typed(v, fields[i])
			}
			return plain.Page{
				Text: []string{says.Text}, Fields: append(fields, passwordField(v, v.says.Password)), Button: says.Button,
			}, err
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			made, err := s.NewOrgs.Create(ctx, v.token, neworg.Draft{
				Name: v.sent("organization"), Subdomain: v.sent("subdomain"), FullName: v.sent("full_name"), Password: v.sent("password"),
				Language: v.texts.Code,
			})
			welcome := said(v.says.Welcome, v.says.NewOrg.Done(made.URI))
			if s.Client {
				welcome.Links = []plain.Link{{Text: v.says.NewOrg.Go, To: made.Enter, Main: true}}
			}
			return welcome, err
		},
	}
}

// enter is the page that signs the owner of a new organization in, by the link that the page before has. It asks, since
// opening a link must not sign anybody in: it might be somebody else's.
func (s *server) enter() page {
	return page{
		title: func(says catalogue.Pages) string { return says.Welcome },
		lost:  func(says catalogue.Pages) string { return says.NewOrg.EnterLost },
		show: func(ctx context.Context, v visit) (plain.Page, error) {
			owner, err := s.NewOrgs.Founder(ctx, v.org.ID, v.token)
			return plain.Page{Fields: []plain.Field{signInField(v, owner.RealEmail)}, Button: v.says.NewOrg.Enter}, err
		},
		act: func(ctx context.Context, v visit) (outcome, error) {
			issued, err := s.NewOrgs.Enter(ctx, v.org.ID, v.token, login.Attempt{Host: v.host, Network: v.network, Client: v.client, Browser: true})
			return outcome{session: &issued}, err
		},
	}
}
