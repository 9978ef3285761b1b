package accountpages

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/invite"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/missed"
	"chatserver.dev/pkg/neworg"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/plain"
)

// maxForm is the maximum size of a form, in bytes.
const maxForm = 16 << 10

// Errors of requests, whatever the page.
var (
	errRate = fault.New(fault.TooMany, fault.CodeRateLimitHit, "Too many requests from your network. Try again in a minute.")
	errForm = fault.Bad("The form can't be read.")
)

// rate is the limit on requests for the pages, per network and process.
func rate() limit.Rule { return limit.Rule{Calls: 60, Window: time.Minute} }

// Deps are the dependencies of the pages.
type Deps struct {
	Orgs     *org.Service
	Logins   *login.Service
	Accounts *account.Service
	Invites  *invite.Service
	NewOrgs  *neworg.Service
	Missed   *missed.Service
	// Client reports whether the web client is at the host's root, where the pages lead to.
	Client bool
	Now    func() time.Time
	Logger *slog.Logger
}

// Pages returns the handlers of the pages by their routes, at the host's root rather than below the interface's prefix.
func Pages(d Deps) map[string]http.Handler {
	s := &server{Deps: d, visits: limit.NewLocalByAddress(rate())}
	pages := map[string]http.Handler{}
	for path, p := range map[string]page{
		login.ResetPath + "{$}":          s.askReset(),
		login.ResetPath + "{token}":      s.reset(),
		account.ConfirmPath + "{token}":  s.confirm(),
		invite.SignUpPath:                s.signUp(),
		invite.LinkPath + "{token}":      s.signUp(),
		invite.JoinPath + "{token}":      s.join(),
		neworg.Path + "{$}":              s.askNewOrg(),
		neworg.Path + "{token}":          s.newOrg(),
		neworg.EnterPath + "{token}":     s.enter(),
		mail.UnsubscribePath + "{token}": s.unsubscribe(),
	} {
		handler := s.handler(p)
		pages[http.MethodGet+" "+path], pages[http.MethodPost+" "+path] = handler, handler
	}
	return pages
}

type server struct {
	Deps
	visits *limit.Local[netip.Prefix]
}

// page is a page with a form.
type page struct {
	title func(says catalogue.Pages) string
	// reader returns the account that the page's link is for; the page is in its language. nil: the link isn't for an
	// account. Errors of links are reported by show.
	reader func(ctx context.Context, v visit) (user.User, error)
	// root means that the page is at the server's root domain, and not about an organization.
	root bool
	// lost is the advice if the page's link has expired; lostLink leads to the page that it recommends.
	lost     func(says catalogue.Pages) string
	lostLink string // path; empty: none
	// show returns the page when it is opened, and after act has failed. If it fails with a fault, only that is shown.
	show func(ctx context.Context, v visit) (plain.Page, error)
	// act carries out the form, and returns the next page. If it fails with a fault, that is shown with the form.
	act func(ctx context.Context, v visit) (outcome, error)
}

// outcome is the result of a form.
type outcome struct {
	plain.Page
	// session is the browser's new session; nil: it isn't signed in.
	session *login.Issued
}

// visit is a request for a page.
type visit struct {
	org     org.Org
	texts   catalogue.Texts
	says    catalogue.Pages // of the texts
	host    string
	network netip.Prefix
	client  string                   // the name of the client program
	token   string                   // the last part of the path
	sent    func(name string) string // returns the value of a field of the form; nil: no form was sent
}

// said returns an outcome with only a text.
func said(title, text string) outcome {
	return outcome{Page: plain.Page{Title: title, Text: []string{text}}}
}

// typed returns a field with its value in the sent form, so that no input is lost if the form fails.
func typed(v visit, f plain.Field) plain.Field {
	if v.sent != nil && !f.Fixed {
		f.Value = v.sent(f.Name)
	}
	return f
}

func emailField(v visit) plain.Field {
	return typed(v, plain.Field{Name: "email", Label: v.says.Email, Type: "email", Autocomplete: "email", Max: 254})
}

// signInField shows the address that the user signs in with. Password managers read it, too.
func signInField(v visit, email string) plain.Field {
	return plain.Field{Name: "username", Label: v.says.SignInAs, Type: "email", Autocomplete: "username", Max: 254, Value: email, Fixed: true}
}

func passwordField(v visit, label string) plain.Field {
	return plain.Field{
		Name: "password", Label: label, Type: "password", Autocomplete: "new-password", Max: 100,
		Hint: v.says.Hint,
	}
}

func (s *server) handler(p page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		plain.Headers(w)
		shown, status := s.answer(w, r, p)
		if shown.session != nil {
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		if err := plain.Show(w, status, shown.Page); err != nil {
			s.Logger.ErrorContext(r.Context(), "failed to render a page", slog.Any("error", err))
			endpoint.InternalError(w)
		}
	})
}

// answer returns the page to show, and the status of the response.
func (s *server) answer(w http.ResponseWriter, r *http.Request, p page) (shown outcome, status int) {
	v, err := s.visit(w, r, p)
	act := r.Method == http.MethodPost
	if err == nil && act {
		if shown, err = p.act(r.Context(), v); err == nil {
			if issued := shown.session; issued != nil {
				endpoint.StartSession(w, issued.Key, issued.Ends, s.Orgs.Config().Secure())
			}
			shown.Page = s.complete(shown.Page, v, p)
			return shown, http.StatusOK
		}
		shown = outcome{}
	}
	problem, status := s.problem(r, v, err)
	if err == nil || act && v.sent != nil {
		again, failed := p.show(r.Context(), v)
		if failed == nil {
			shown.Page = again
		} else if err == nil {
			err = failed
			problem, status = s.problem(r, v, failed)
		}
	}
	if !beside(shown.Fields, err, problem) {
		shown.Problem = problem
	}
	if errors.Is(err, mail.ErrNoLink) && p.lost != nil {
		shown.Text = append(shown.Text, p.lost(v.says))
		if p.lostLink != "" {
			shown.Links = append(shown.Links, plain.Link{Text: v.says.SendAgain, To: p.lostLink, Main: true})
		}
	}
	shown.Page = s.complete(shown.Page, v, p)
	return shown, status
}

// complete adds the parts to a page that all pages have.
func (s *server) complete(shown plain.Page, v visit, p page) plain.Page {
	shown.Language = v.texts
	if shown.Title == "" {
		shown.Title = p.title(v.says)
	}
	if v.org.ID == 0 {
		return shown
	}
	shown.Org, shown.Icon = v.org.Name, v.org.PictureURL(org.Icon)
	if s.Client && len(shown.Links) == 0 {
		shown.Links = []plain.Link{{Text: v.says.GoTo(v.org.Name), To: "/", Main: shown.Button == "" && shown.Problem == ""}}
	}
	return shown
}

// signedIn signs a user in who has chosen a password, and leads to the client. Without a client, or if signing in
// fails, for example because the organization doesn't accept passwords, it returns otherwise. If that is only because
// too many people are signing in, the page says so instead, since the client signs the user in soon.
func (s *server) signedIn(ctx context.Context, v visit, email, chosen string, otherwise plain.Page) outcome {
	if !s.Client {
		return outcome{Page: otherwise}
	}
	issued, err := s.Logins.Issue(ctx, login.Attempt{
		Host: v.host, Network: v.network, Client: v.client, Email: email, Password: chosen, Browser: true,
	})
	if err != nil { // the form was carried out nevertheless
		s.Logger.InfoContext(ctx, "failed to sign in after a new password", slog.Any("error", err))
		if errors.Is(err, password.ErrBusy) {
			otherwise.Text = []string{v.says.SignInSoon}
		}
		return outcome{Page: otherwise}
	}
	return outcome{otherwise, &issued}
}

// visit reads a request.
func (s *server) visit(w http.ResponseWriter, r *http.Request, p page) (visit, error) {
	v := visit{host: r.Host, network: endpoint.Network(r), client: endpoint.Client(r), token: r.PathValue("token")}
	v.speak(catalogue.Best(r.Header.Get("Accept-Language")))
	if d := s.visits.Allow(v.network, s.Now()); !d.Allowed {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(d.RetryAfter.Seconds()))))
		return v, errRate
	}
	var err error
	switch {
	case p.root && s.Orgs.Config().Subdomain(r.Host) != "":
		err = org.ErrInvalidSubdomain
	case !p.root:
		v.org, err = s.Orgs.ByHost(r.Context(), r.Host)
	}
	if err != nil {
		return v, err
	}
	own := ""
	if p.reader != nil {
		if reader, err := p.reader(r.Context(), v); err == nil {
			own = reader.Settings.DefaultLanguage
		}
	}
	v.speak(catalogue.Best(own, r.Header.Get("Accept-Language"), v.org.Settings.DefaultLanguage))
	if r.Method != http.MethodPost {
		return v, nil
	}
	if err := endpoint.CheckPage(r); err != nil {
		return v, err
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return v, errForm.Wrap(err)
	}
	for _, values := range r.PostForm {
		if text := strings.Join(values, ""); !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return v, errForm
		}
	}
	v.sent = r.PostForm.Get
	return v, nil
}

// problem returns the text for an error, and the status of the response.
func (s *server) problem(r *http.Request, v visit, err error) (text string, status int) {
	f := fault.Of(err)
	switch {
	case err == nil:
		return "", http.StatusOK
	case f != nil && f.Kind < fault.Internal || f != nil && f.Kind == fault.Unavailable:
		return f.In(v.texts.Refusal).Msg, int(f.Kind)
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		return "", http.StatusServiceUnavailable // the client has disconnected
	default:
		s.Logger.ErrorContext(r.Context(), "failed to serve a page", slog.String("path", pathOf(r)), slog.Any("error", err))
		return v.says.Failed, http.StatusInternalServerError
	}
}

// pathOf returns a request's path without its secret part.
func pathOf(r *http.Request) string {
	return strings.TrimSuffix(r.URL.Path, r.PathValue("token"))
}

// speak sets the language of the visit's texts.
func (v *visit) speak(texts catalogue.Texts) { v.texts, v.says = texts, texts.Pages }

// request returns the request for a mail that the form makes.
func (v visit) request() login.Request {
	return login.Request{Host: v.host, Network: v.network, Email: v.sent("email"), Language: v.texts.Code}
}

// asks returns a page for requesting a mail with a link.
func asks(v visit) plain.Page {
	return plain.Page{Text: []string{v.says.AskForLink}, Fields: []plain.Field{emailField(v)}, Button: v.says.SendLink}
}
