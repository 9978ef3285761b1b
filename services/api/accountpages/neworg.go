package accountpages

import (
	"context"

	"chatserver.dev/pkg/catalogue"
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
			address, err := s.NewOrgs.Create(ctx, v.token, neworg.Draft{
				Name: v.sent("organization"), Subdomain: v.sent("subdomain"), FullName: v.sent("full_name"), Password: v.sent("password"),
				Language: v.texts.Code,
			})
			welcome := said(v.says.Welcome, v.says.NewOrg.Done(address))
			if s.Client {
				welcome.Links = []plain.Link{{Text: v.says.NewOrg.Go, To: address, Main: true}}
			}
			return welcome, err
		},
	}
}
