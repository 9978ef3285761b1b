package openid

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/provider"
	"chatserver.dev/services/api/plain"
)

// Routes of the pages, at the host's root rather than below the interface's prefix (rest-api.md, section 5.1).
const (
	loginRoute    = "GET " + loginPath + "{provider}"
	signUpRoute   = "GET " + signUpPath + "{provider}"
	completeRoute = "GET " + completePath + "{provider}"

	loginPath    = "/accounts/login/social/"
	signUpPath   = "/accounts/register/social/"
	completePath = "/accounts/complete/"
)

// LoginURL returns the path for signing in by the provider in a slot.
func LoginURL(slot string) string { return loginPath + slot }

// SignUpURL returns the path for creating an account by the provider in a slot.
func SignUpURL(slot string) string { return signUpPath + slot }

// Errors of signing in, besides the faults of package account.
var (
	errNoProvider = fault.New(fault.NotFound, fault.CodeNone, "There is no such way to sign in.")
	errDownPage   = fault.New(fault.BadGateway, fault.CodeNone, "The identity provider doesn't respond. Try again in a few minutes.")
	errRefused    = fault.New(fault.Forbidden, fault.CodeNone, "The identity provider didn't confirm who you are. Try again.")
	errCancelled  = fault.New(fault.Forbidden, fault.CodeNone, "You didn't sign in at the identity provider.")
	errFlow       = fault.Plain("You began in another browser, or too long ago. Begin again.")
	errBusy       = fault.Limit(fault.CodeNone, "Too many people are signing in at the moment. Try again in a few seconds.")
	errInternal   = fault.New(fault.Internal, fault.CodeNone, "Something went wrong here. Try again in a few minutes.")
)

// Deps are the dependencies of [Pages].
type Deps struct {
	Providers []provider.Provider
	Orgs      *org.Service
	Accounts  *account.Service
	Logins    *login.Service
	// Client reports whether the web client is at the host's root, where browsers go after signing in.
	Client bool
	Now    func() time.Time
	Logger *slog.Logger
}

// Pages lead browsers to identity providers and back. They are safe for concurrent use.
type Pages struct {
	deps    Deps
	secure  bool
	clients map[string]*client // by slot
}

// New returns the pages. It sends no requests to providers.
func New(d Deps) *Pages {
	p := &Pages{deps: d, secure: d.Orgs.Config().Secure(), clients: map[string]*client{}}
	for _, about := range d.Providers {
		p.clients[about.Slot] = newClient(about, d.Orgs.Config().URI("")+completePath+about.Slot, d.Now)
	}
	return p
}

// Routes returns the handlers of the pages, by their patterns for http.ServeMux.
func (p *Pages) Routes() map[string]http.Handler {
	return map[string]http.Handler{
		loginRoute:    p.page(func(w http.ResponseWriter, r *http.Request) error { return p.begin(w, r, false) }),
		signUpRoute:   p.page(func(w http.ResponseWriter, r *http.Request) error { return p.begin(w, r, true) }),
		completeRoute: p.page(p.complete),
	}
}

// page returns a handler that calls serve, and shows its error.
func (p *Pages) page(serve func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		plain.Headers(w)
		w.Header().Set("Referrer-Policy", "no-referrer") // codes are in addresses
		if err := serve(w, r); err != nil {
			p.refuse(w, r, err)
		}
	})
}

// begin redirects a browser to a provider.
func (p *Pages) begin(w http.ResponseWriter, r *http.Request, signUp bool) error {
	ctx, slot := r.Context(), r.PathValue("provider")
	c, ok := p.clients[slot]
	if !ok {
		return errNoProvider
	}
	o, err := p.deps.Orgs.ByHost(ctx, r.Host)
	switch {
	case err != nil:
		return err
	case o.Deactivated:
		return login.ErrOrgDeactivated
	case !o.Settings.AuthenticationMethods[slot]:
		return account.ErrNoMethod
	}
	f := newFlow(slot, r.URL.Query().Get("next"), signUp, p.deps.Now())
	address, err := c.address(ctx, f, f.state(o.Subdomain))
	if err != nil {
		return err
	}
	if err := f.keep(w, p.secure); err != nil {
		return err
	}
	http.Redirect(w, r, address, http.StatusFound)
	return nil
}

// complete serves the address that a provider redirects browsers to.
func (p *Pages) complete(w http.ResponseWriter, r *http.Request) error {
	ctx, query := r.Context(), r.URL.Query()
	c, ok := p.clients[r.PathValue("provider")]
	if !ok {
		return errNoProvider
	}
	of := subdomain(query.Get("state"))
	if here := p.deps.Orgs.Config().Subdomain(r.Host); here == "" && of != "" {
		return p.passOn(w, r, c.about.Slot, of)
	}
	o, err := p.deps.Orgs.ByHost(ctx, r.Host)
	if err != nil {
		return err
	}
	f, ok := kept(r, p.secure)
	if !ok || !f.is(query.Get("state"), o.Subdomain, c.about.Slot, p.deps.Now()) {
		return errFlow
	}
	forget(w, p.secure)
	// If the provider identifies itself, it must be the one that was asked (RFC 9207).
	if issuer := query.Get("iss"); issuer != "" && issuer != c.about.Issuer {
		return errRefused.Wrap(errors.New("another issuer answers"))
	}
	if reason := query.Get("error"); reason != "" {
		return errCancelled
	}
	who, err := p.exchange(ctx, r, c, query.Get("code"), f)
	if err != nil {
		return err
	}
	issued, err := p.deps.Accounts.SignIn(ctx, o.ID, who, f.SignUp, login.Attempt{Network: endpoint.Network(r), Client: endpoint.Client(r), Browser: true})
	if err != nil {
		if errors.Is(err, account.ErrMayJoin) {
			return p.mayJoin(w, spoken(r, o), o, f, fault.Of(err))
		}
		return err
	}
	endpoint.StartSession(w, issued.Key, issued.Ends, p.secure)
	// After a redirect, the browser wouldn't send the session's cookie, since the navigation began at another site, the
	// provider.
	next := f.Next
	if next == "" && p.deps.Client {
		next = "/"
	}
	texts := spoken(r, o)
	says := texts.Pages.Providers
	signedIn := plain.Page{Language: texts, Icon: o.PictureURL(org.Icon), Title: o.Name, Text: []string{says.SignedIn(issued.Email)}, Next: next}
	if next != "" {
		signedIn.Links = []plain.Link{{Text: says.Continue, To: next}}
	}
	return plain.Show(w, http.StatusOK, signedIn)
}

// mayJoin offers to create an account to a user who has none and may join.
func (p *Pages) mayJoin(w http.ResponseWriter, texts catalogue.Texts, o org.Org, f flow, reason *fault.Fault) error {
	signUp := url.URL{Path: SignUpURL(f.Slot)}
	if f.Next != "" {
		signUp.RawQuery = url.Values{"next": {f.Next}}.Encode()
	}
	return plain.Show(w, int(reason.Kind), plain.Page{
		Language: texts, Icon: o.PictureURL(org.Icon), Title: o.Name, Text: []string{reason.In(texts.Refusal).Msg},
		Links: append([]plain.Link{{Text: texts.Pages.Providers.MakeAccount, To: signUp.String(), Main: true}}, p.back(texts)...),
	})
}

// spoken returns the texts for a page, in the reader's language or in the organization's. o may be the zero value.
func spoken(r *http.Request, o org.Org) catalogue.Texts {
	return catalogue.Best(r.Header.Get("Accept-Language"), o.Settings.DefaultLanguage)
}

// back returns a link to the login page, if there is one.
func (p *Pages) back(texts catalogue.Texts) []plain.Link {
	if !p.deps.Client {
		return nil
	}
	return []plain.Link{{Text: texts.Pages.Providers.Back, To: "/"}}
}

// passOn redirects a browser, with the parameters of the provider, to the organization where it began.
func (p *Pages) passOn(w http.ResponseWriter, r *http.Request, slot, to string) error {
	uri, err := url.Parse(p.deps.Orgs.Config().URI(to))
	if err != nil || p.deps.Orgs.Config().Subdomain(uri.Host) != to {
		return errFlow
	}
	o, err := p.deps.Orgs.ByHost(r.Context(), uri.Host)
	if err != nil {
		return err
	}
	brought := url.Values{}
	for _, name := range []string{"state", "code", "error", "iss"} {
		if value := r.URL.Query().Get(name); value != "" {
			brought.Set(name, value)
		}
	}
	http.Redirect(w, r, o.URI+completePath+slot+"?"+brought.Encode(), http.StatusFound)
	return nil
}

// exchange exchanges a code for the identity of its user. Refused codes count as failed logins of the client's network.
func (p *Pages) exchange(ctx context.Context, r *http.Request, c *client, code string, f flow) (account.Identity, error) {
	network := endpoint.Network(r)
	if err := p.deps.Logins.Admit(ctx, network); err != nil {
		return account.Identity{}, err
	}
	select {
	case c.exchanges <- struct{}{}:
		defer func() { <-c.exchanges }()
	default:
		return account.Identity{}, errBusy
	}
	began := p.deps.Now()
	if !c.silence.enter(began) {
		return account.Identity{}, errDown
	}
	who, lacking, err := c.identity(ctx, code, f)
	c.silence.leave(began, p.deps.Now(), !errors.Is(err, errDown))
	switch {
	case err != nil && !errors.Is(err, errDown):
		p.deps.Logins.Failed(ctx, network)
		return account.Identity{}, errRefused.Wrap(err)
	case lacking:
		p.deps.Logger.WarnContext(ctx, "an identity provider sent no groups: roles are not changed", slog.String("provider", f.Slot))
	}
	return who, err
}

// refuse shows an error.
func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.Of(err)
	if errors.Is(err, errDown) {
		f = errDownPage.Wrap(err)
	}
	if f == nil {
		f = errInternal.Wrap(err)
	}
	if f.Cause != nil && r.Context().Err() == nil {
		p.deps.Logger.WarnContext(r.Context(), "failed to sign in by an identity provider",
			slog.String("provider", strings.ToValidUTF8(r.PathValue("provider"), "")), slog.Any("error", f))
	}
	texts := spoken(r, org.Org{})
	_ = plain.Show(w, int(f.Kind), plain.Page{ // the client may have disconnected
		Language: texts, Title: texts.Pages.Providers.Title, Problem: f.In(texts.Refusal).Msg, Links: p.back(texts),
	})
}
