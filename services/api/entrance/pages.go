package entrance

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
	"chatserver.dev/pkg/founding"
	"chatserver.dev/pkg/invite"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/missed"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/plain"
)

// maxForm bounds a form, in bytes.
const maxForm = 16 << 10

// What a page answers where something is wrong with a request as such.
var (
	errRate = fault.New(fault.TooMany, fault.CodeRateLimitHit, "Too many requests from your network. Try again in a minute.")
	errForm = fault.Bad("The form can't be read.")
)

// rate is how many of the pages a network gets from a process.
func rate() limit.Rule { return limit.Rule{Calls: 60, Window: time.Minute} }

// Deps are what the pages work with.
type Deps struct {
	Orgs     *org.Service
	Logins   *login.Service
	Accounts *account.Service
	Invites  *invite.Service
	Founding *founding.Service
	Missed   *missed.Service
	// Client says whether the web client is at the host's root, where it takes over from the pages.
	Client bool
	Now    func() time.Time
	Logger *slog.Logger
}

// Pages are the pages by their routes, at the host rather than below the interface's prefix.
func Pages(d Deps) map[string]http.Handler {
	e := &entrance{Deps: d, visits: limit.NewLocalByAddress(rate())}
	pages := map[string]http.Handler{}
	for path, p := range map[string]page{
		login.ResetPath + "{$}":            e.askReset(),
		login.ResetPath + "{token}":        e.reset(),
		account.ConfirmPath + "{token}":    e.confirm(),
		invite.SignUpPath:                  e.signUp(),
		invite.LinkPath + "{token}":        e.signUp(),
		invite.JoinPath + "{token}":        e.join(),
		founding.Path + "{$}":              e.askFounding(),
		founding.Path + "{token}":          e.found(),
		missed.UnsubscribePath + "{token}": e.unsubscribe(),
	} {
		handler := e.handler(p)
		pages[http.MethodGet+" "+path], pages[http.MethodPost+" "+path] = handler, handler
	}
	return pages
}

type entrance struct {
	Deps
	visits *limit.Local[netip.Prefix]
}

// page is a page with a form.
type page struct {
	title func(says catalogue.Pages) string
	// reader returns the account that the page's link is for, whose language the page has; nil: it is for nobody who has one. Where the
	// link doesn't work, show says so.
	reader func(ctx context.Context, v visit) (user.User, error)
	// root says that it is at the server's root domain, and about no organization.
	root bool
	// lost is what to do where the page's link has ended, with a link that helps.
	lost     func(says catalogue.Pages) string
	lostLink string // path; empty: none
	// show returns the page as it is opened, and after act failed. An error that is a fault is shown alone.
	show func(ctx context.Context, v visit) (plain.Page, error)
	// act does what the form asks for, and returns what follows. An error that is a fault is shown with the form.
	act func(ctx context.Context, v visit) (outcome, error)
}

// outcome is what follows when a form's wish was fulfilled.
type outcome struct {
	plain.Page
	// session signs the browser in; nil: it isn't.
	session *login.Issued
}

// visit is a request for a page.
type visit struct {
	org     org.Org
	texts   catalogue.Texts
	says    catalogue.Pages // of the texts
	host    string
	network netip.Prefix
	client  string                   // the program
	token   string                   // the last part of the path
	sent    func(name string) string // what the form says
}

// said is an outcome that is a text alone.
func said(title, text string) outcome {
	return outcome{Page: plain.Page{Title: title, Text: []string{text}}}
}

// typed returns a field with what was typed into it, so that nothing is lost where a form fails.
func typed(v visit, f plain.Field) plain.Field {
	if v.sent != nil && !f.Fixed {
		f.Value = v.sent(f.Name)
	}
	return f
}

func emailField(v visit) plain.Field {
	return typed(v, plain.Field{Name: "email", Label: v.says.Email, Type: "email", Autocomplete: "email", Max: 254})
}

// signInField shows with what somebody signs in. Programs that keep passwords read it, too.
func signInField(v visit, email string) plain.Field {
	return plain.Field{Name: "username", Label: v.says.SignInAs, Type: "email", Autocomplete: "username", Max: 254, Value: email, Fixed: true}
}

func passwordField(v visit, label string) plain.Field {
	return plain.Field{
		Name: "password", Label: label, Type: "password", Autocomplete: "new-password", Max: 100,
		Hint: v.says.Hint,
	}
}

func (e *entrance) handler(p page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		plain.Headers(w)
		shown, status := e.answer(w, r, p)
		if shown.session != nil {
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		if err := plain.Show(w, status, shown.Page); err != nil {
			e.Logger.ErrorContext(r.Context(), "failed to render a page", slog.Any("error", err))
			endpoint.InternalError(w)
		}
	})
}

// answer returns what a page shows, with the status of the response.
func (e *entrance) answer(w http.ResponseWriter, r *http.Request, p page) (shown outcome, status int) {
	v, err := e.visit(w, r, p)
	act := r.Method == http.MethodPost
	if err == nil && act {
		if shown, err = p.act(r.Context(), v); err == nil {
			if s := shown.session; s != nil {
				endpoint.StartSession(w, s.Key, s.Ends, e.Orgs.Config().Secure())
			}
			shown.Page = e.complete(shown.Page, v, p)
			return shown, http.StatusOK
		}
		shown = outcome{} // what would have followed
	}
	problem, status := e.problem(r, v, err)
	if err == nil || act && v.sent != nil {
		again, failed := p.show(r.Context(), v)
		if failed == nil {
			shown.Page = again
		} else if err == nil {
			err = failed
			problem, status = e.problem(r, v, failed)
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
	shown.Page = e.complete(shown.Page, v, p)
	return shown, status
}

// complete returns a page with what all of them have.
func (e *entrance) complete(shown plain.Page, v visit, p page) plain.Page {
	shown.Language = v.texts
	if shown.Title == "" {
		shown.Title = p.title(v.says)
	}
	if v.org.ID == 0 {
		return shown
	}
	shown.Org, shown.Icon = v.org.Name, v.org.PictureURL(org.Icon)
	if e.Client && len(shown.Links) == 0 {
		shown.Links = []plain.Link{{Text: v.says.GoTo(v.org.Name), To: "/", Main: shown.Button == "" && shown.Problem == ""}}
	}
	return shown
}

// signedIn returns what follows when somebody has chosen a password: the client lets them in. Where there is none, or where the
// organization doesn't take passwords, the page says how they sign in.
func (e *entrance) signedIn(ctx context.Context, v visit, email, chosen string, otherwise plain.Page) outcome {
	if !e.Client {
		return outcome{Page: otherwise}
	}
	issued, err := e.Logins.Issue(ctx, login.Attempt{
		Host: v.host, Network: v.network, Client: v.client, Email: email, Password: chosen, Browser: true,
	})
	if err != nil { // what the form asked for is done all the same
		e.Logger.InfoContext(ctx, "failed to sign in after a new password", slog.Any("error", err))
		return outcome{Page: otherwise}
	}
	return outcome{otherwise, &issued}
}

// visit reads a request.
func (e *entrance) visit(w http.ResponseWriter, r *http.Request, p page) (visit, error) {
	v := visit{host: r.Host, network: endpoint.Network(r), client: endpoint.Client(r), token: r.PathValue("token")}
	v.speak(catalogue.Best(r.Header.Get("Accept-Language")))
	if d := e.visits.Allow(v.network, e.Now()); !d.Allowed {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(d.RetryAfter.Seconds()))))
		return v, errRate
	}
	var err error
	switch {
	case p.root && e.Orgs.Config().Subdomain(r.Host) != "":
		err = org.ErrInvalidSubdomain
	case !p.root:
		v.org, err = e.Orgs.ByHost(r.Context(), r.Host)
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

// problem returns what a page says of an error, with the status of the response.
func (e *entrance) problem(r *http.Request, v visit, err error) (text string, status int) {
	f := fault.Of(err)
	switch {
	case err == nil:
		return "", http.StatusOK
	case f != nil && f.Kind < fault.Internal || f != nil && f.Kind == fault.Unavailable:
		return f.In(v.texts.Refusal).Msg, int(f.Kind)
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		return "", http.StatusServiceUnavailable // nobody reads it
	default:
		e.Logger.ErrorContext(r.Context(), "failed to serve a page", slog.String("path", pathOf(r)), slog.Any("error", err))
		return v.says.Failed, http.StatusInternalServerError
	}
}

// pathOf is a request's path without its secret part.
func pathOf(r *http.Request) string {
	return strings.TrimSuffix(r.URL.Path, r.PathValue("token"))
}

// speak has the visit's texts in a language.
func (v *visit) speak(texts catalogue.Texts) { v.texts, v.says = texts, texts.Pages }

// request is a request for a mail.
func (v visit) request() login.Request {
	return login.Request{Host: v.host, Network: v.network, Email: v.sent("email"), Language: v.texts.Code}
}

// asks is a page where people ask for a mail with a link.
func asks(v visit) plain.Page {
	return plain.Page{Text: []string{v.says.AskForLink}, Fields: []plain.Field{emailField(v)}, Button: v.says.SendLink}
}
