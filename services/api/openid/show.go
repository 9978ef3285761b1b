package openid

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
)

// policy lets a page do nothing, and no other page frame it.
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed page.html
var pageText string

// message is what a page says.
type message struct {
	Title    string
	Text     string
	Next     string // path where the browser goes at once; empty: nowhere
	Link     string // path that the page refers to; empty: none
	LinkText string
}

// headers sets those of all pages. What is in their addresses isn't for others, and no answer is for another request.
func headers(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

// show answers with a page. It fails, and has written nothing, only if the page can't be made.
func show[S ~int](w http.ResponseWriter, status S, m message) error {
	page, err := template.New("page").Parse(pageText)
	if err != nil {
		return fmt.Errorf("parse the page: %w", err)
	}
	text := bytes.Buffer{}
	if err := page.Execute(&text, m); err != nil {
		return fmt.Errorf("make the page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(int(status))
	_, _ = w.Write(text.Bytes()) // to a client that may have gone
	return nil
}
