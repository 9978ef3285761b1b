package demo

import (
	"crypto/rand"
	"net/http"
	"sync"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/login"
)

// VisitRoute is the route of the links of [Visits], in the form of http.ServeMux.
const VisitRoute = "GET " + visitPath + "{token}"

const visitPath = "/visit/"

// Visits are links that sign a browser in as an account of the demo organization, without a password. They are for the
// person who runs the server. Each works once, until the process ends. It is safe for concurrent use.
type Visits struct {
	logins *login.Service
	secure bool

	mu     sync.Mutex
	emails map[string]string // by token
}

// NewVisits returns Visits without links. They work only where [login.Service.IssueUnchecked] does. secure reports
// whether browsers reach the server over TLS.
func NewVisits(logins *login.Service, secure bool) *Visits {
	return &Visits{logins: logins, secure: secure, emails: map[string]string{}}
}

// link creates a link for the account with an email address.
func (v *Visits) link(site, email string) string {
	token := rand.Text()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.emails[token] = email
	return site + visitPath + token
}

// take returns the email address of a link's account, and removes the link; empty: there is no such link.
func (v *Visits) take(token string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	email := v.emails[token]
	delete(v.emails, token)
	return email
}

// ServeHTTP signs the browser in, and redirects it to the client.
func (v *Visits) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	email := v.take(r.PathValue("token"))
	if email == "" {
		http.Error(w, "This link was opened before, or the server was started again since: it prints new ones.", http.StatusNotFound)
		return
	}
	issued, err := v.logins.IssueUnchecked(r.Context(), login.Attempt{
		Host: r.Host, Network: endpoint.Network(r), Client: endpoint.Client(r), Email: email, Browser: true,
	})
	if err != nil {
		http.Error(w, "This link can't sign you in: "+err.Error(), http.StatusForbidden)
		return
	}
	endpoint.StartSession(w, issued.Key, issued.Ends, v.secure)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
