package entrance

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/founding"
	"chatserver.dev/pkg/invite"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/missed"
	"chatserver.dev/pkg/org"
)

const (
	// policy lets a page show its style, and send its form to where it came from.
	policy = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	// maxForm bounds a form, in bytes.
	maxForm = 16 << 10
	// styleRoute is where the pages' style is.
	styleRoute = "GET /entrance.css"
)

//go:embed page.html
var pageForm string

//go:embed entrance.css
var style []byte

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
	Now      func() time.Time
	Logger   *slog.Logger
}

// Pages are the pages by their routes, at the host rather than below the interface's prefix.
func Pages(d Deps) map[string]http.Handler {
	e := &entrance{Deps: d, form: template.Must(template.New("page").Parse(pageForm)), visits: limit.NewLocalByAddress(rate())}
	pages := map[string]http.Handler{styleRoute: http.HandlerFunc(serveStyle)}
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

func serveStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(style) // to a reader who may have gone
}

type entrance struct {
	Deps
	form   *template.Template
	visits *limit.Local[netip.Prefix]
}

// page is a page with a form.
type page struct {
	title string
	// root says that it is at the server's root domain, and about no organization.
	root bool
	// show returns the page as it is opened, and after act failed. An error that is a fault is shown alone.
	show func(ctx context.Context, v visit) (view, error)
	// act does what the form asks for, and returns the page that says so. An error that is a fault is shown with the form.
	act func(ctx context.Context, v visit) (view, error)
}

// visit is a request for a page.
type visit struct {
	org     org.Org
	host    string
	network netip.Prefix
	token   string                   // the last part of the path
	sent    func(name string) string // what the form says
}

// view is what a page shows.
type view struct {
	Org     string
	Title   string
	Problem string
	Text    []string
	Fields  []field
	Button  string // empty: there is no form
}

// field is one of a form.
type field struct {
	Name, Label, Type, Value, Autocomplete string
	Max                                    int // characters
}

func emailField() field {
	return field{Name: "email", Label: "Your email address", Type: "email", Autocomplete: "email", Max: 254}
}

func passwordField(label string) field {
	return field{Name: "password", Label: label, Type: "password", Autocomplete: "new-password", Max: 100}
}

func (e *entrance) handler(p page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown, status := e.answer(w, r, p)
		body := bytes.Buffer{}
		if err := e.form.Execute(&body, shown); err != nil {
			e.Logger.ErrorContext(r.Context(), "failed to make a page", slog.Any("error", err))
			endpoint.InternalError(w)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "same-origin") // addresses are secret, and forms have an Origin
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = w.Write(body.Bytes()) // to a reader who may have gone
	})
}

// answer returns what a page shows, with the status of the response.
func (e *entrance) answer(w http.ResponseWriter, r *http.Request, p page) (shown view, status int) {
	v, err := e.visit(w, r, p.root)
	act := r.Method == http.MethodPost
	if err == nil && act {
		if shown, err = p.act(r.Context(), v); err == nil {
			return e.complete(shown, v, p), http.StatusOK
		}
	}
	problem, status := e.problem(r, err)
	if err == nil || act && v.sent != nil {
		again, failed := p.show(r.Context(), v)
		if failed == nil {
			shown = again
		} else if err == nil {
			problem, status = e.problem(r, failed)
		}
	}
	shown.Problem = problem
	return e.complete(shown, v, p), status
}

func (*entrance) complete(shown view, v visit, p page) view {
	shown.Org = v.org.Name
	if shown.Title == "" {
		shown.Title = p.title
	}
	return shown
}

// visit reads a request.
func (e *entrance) visit(w http.ResponseWriter, r *http.Request, root bool) (visit, error) {
	v := visit{host: r.Host, network: endpoint.Network(r), token: r.PathValue("token")}
	if d := e.visits.Allow(v.network, e.Now()); !d.Allowed {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(d.RetryAfter.Seconds()))))
		return v, errRate
	}
	var err error
	switch {
	case root && e.Orgs.Config().Subdomain(r.Host) != "":
		err = org.ErrInvalidSubdomain
	case !root:
		v.org, err = e.Orgs.ByHost(r.Context(), r.Host)
	}
	if err != nil {
		return v, err
	}
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
func (e *entrance) problem(r *http.Request, err error) (text string, status int) {
	f := fault.Of(err)
	switch {
	case err == nil:
		return "", http.StatusOK
	case f != nil && f.Kind < fault.Internal || f != nil && f.Kind == fault.Unavailable:
		return f.Msg, int(f.Kind)
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		return "", http.StatusServiceUnavailable // nobody reads it
	default:
		e.Logger.ErrorContext(r.Context(), "failed to serve a page", slog.String("path", pathOf(r)), slog.Any("error", err))
		return "Something went wrong here. Try again in a few seconds.", http.StatusInternalServerError
	}
}

// pathOf is a request's path without its secret part.
func pathOf(r *http.Request) string {
	return strings.TrimSuffix(r.URL.Path, r.PathValue("token"))
}

// signIn is what people read who may sign in now.
func signIn(v visit) string {
	return fmt.Sprintf("Sign in with your program at %s.", v.org.URI)
}
