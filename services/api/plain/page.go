package plain

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/services/web"
)

// policy lets a page show its style and pictures of this host, and send its form to where it came from. No other page may frame it.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

//go:embed page.html
var form string

// Page is what a page shows. Whatever is empty isn't there.
type Page struct {
	Language catalogue.Texts // that all other texts are in
	Icon     string          // path of the organization's picture
	Org      string          // its name
	Title    string
	Problem  string // what went wrong with the page as a whole
	Text     []string
	Fields   []Field
	Button   string // without one there is no form
	Links    []Link
	Next     string // path where the browser goes at once
}

// Field is one of a form.
type Field struct {
	Name, Label, Type, Value, Autocomplete string
	Hint                                   string
	Problem                                string // what is wrong with what was typed
	Max                                    int    // characters
	Fixed                                  bool   // it can be read alone
	First                                  bool   // people begin here
}

// Link is one below the rest.
type Link struct {
	Text, To string
	Main     bool // it is what the page is for
}

// Headers sets those that all answers of such pages have. What is in their addresses isn't for others, forms have an Origin, and no
// answer is for another request.
func Headers(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
}

// Show answers with a page, whose headers are set. It fails, and has written nothing, only if the page can't be made.
func Show(w http.ResponseWriter, status int, p Page) error {
	text, err := template.New("page").Parse(form)
	if err != nil {
		return fmt.Errorf("parse the page: %w", err)
	}
	body := bytes.Buffer{}
	if err := text.Execute(&body, struct {
		Page
		Style string
	}{p.focused(), web.Style()}); err != nil {
		return fmt.Errorf("make the page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // to a reader who may have gone
	return nil
}

// focused has people begin at the field with a problem, or else at the first one that they can fill.
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
