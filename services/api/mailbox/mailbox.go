// Package mailbox shows the mail of a local run, which is stored in a folder instead of being sent.
package mailbox

import (
	"bytes"
	_ "embed"
	"html/template"
	"log/slog"
	"net/http"
	"strings"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/org"
	"chatserver.dev/services/web"
)

// Path is the path of [Page], at the host's root rather than below the interface's prefix.
const Path = "/mailbox"

// Route is the route of [Page].
const Route = "GET " + Path

// policy allows the page only its own style sheet.
const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed mailbox.html
var form string

// line is a line of a mail's text.
type line struct {
	Text string
	Link bool // the line is an address to open
}

type shown struct {
	mail.Message
	Lines []line
}

// Page serves the mail in a folder, including links in it, without authentication, at the server's own hosts. It is
// only for development.
func Page(folder *mail.Folder, server org.Config, logger *slog.Logger) http.Handler {
	page := template.Must(template.New("mailbox").Parse(form))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !server.IsOwn(r.Host) {
			endpoint.NotFound(w)
			return
		}
		messages, err := folder.List()
		body := bytes.Buffer{}
		if err == nil {
			err = page.Execute(&body, struct {
				Style string
				Mail  []shown
			}{web.Style(), lined(messages)})
		}
		if err != nil {
			logger.ErrorContext(r.Context(), "failed to list mail", slog.Any("error", err))
			endpoint.InternalError(w)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(body.Bytes()) // the reader may have disconnected
	})
}

func lined(messages []mail.Message) []shown {
	all := []shown(nil)
	for _, m := range messages {
		one := shown{Message: m}
		for text := range strings.Lines(m.Text) {
			text = strings.TrimSpace(text)
			one.Lines = append(one.Lines, line{text, strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")})
		}
		all = append(all, one)
	}
	return all
}
