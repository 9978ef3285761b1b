package plain

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"sync"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/services/web"
)

// policy allows a page the style and the pictures of this host, and sending its form to this host. Other pages can't
// frame it.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

//go:embed page.html
var form string

// parsed is the template of all pages. Anybody can request pages, and parsing it took three quarters of the time for one.
//
//nolint:gochecknoglobals // a value that doesn't change
var parsed = sync.OnceValues(func() (*template.Template, error) { return template.New("page").Parse(form) })

// Page is the content of a page. Empty fields aren't shown.
type Page struct {
	Language catalogue.Texts // the language of the other texts
	Icon     string          // path of the organization's picture
	Org      string          // its name
	Title    string
	Problem  string // an error that isn't about a single field
	Text     []string
	Fields   []Field
	Button   string // without one there is no form
	Links    []Link
	Next     string // path that the browser opens at once
}

// Field is a field of a form.
type Field struct {
	Name, Label, Type, Value, Autocomplete string
	Hint                                   string
	Problem                                string // an error about the value
	Max                                    int    // characters
	Fixed                                  bool   // read-only
	First                                  bool   // has the focus
}

// Link is a link below the text and the form.
type Link struct {
	Text, To string
	Main     bool // the main action of the page
}

// Headers sets the headers of all responses with such pages: other sites don't see their addresses, which may contain
// secrets; sites that open such a page can't replace it by another; browsers send an Origin with forms; and responses aren't
// cached.
func Headers(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
}

// Show responds with a page. The caller has called [Headers]. It fails only if the page can't be rendered, and has
// written nothing then.
func Show(w http.ResponseWriter, status int, p Page) error {
	text, err := parsed()
	if err != nil {
		return fmt.Errorf("parse the page: %w", err)
	}
	body := bytes.Buffer{}
	if err := text.Execute(&body, struct {
		Page
		Style string
	}{p.focused(), web.Style()}); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the reader may have disconnected
	return nil
}

// focused sets the focus to the first field with a problem, or otherwise to the first one that isn't read-only.
func (p Page) focused() Page {
	at := -1
	for i, f := range p.Fields {
		if !f.Fixed && (at < 0 || f.Problem != "" && p.Fields[at].Problem == "") {
			at = i
		}
	}
	if at >= 0 {
		fields := append([]Field(nil), p.Fields...)
		fields[at].First = true
		p.Fields = fields
	}
	return p
}
