package plain

import (
	"log/slog"
	"net/http"

	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/endpoint"
)

// Unknown shows that there is no page at an address, with a link to the web client if there is one. It costs no query: anybody can
// request any number of addresses.
func Unknown(client bool, logger *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		texts := catalogue.Best(r.Header.Get("Accept-Language"))
		says := texts.Pages.Unknown
		p := Page{Language: texts, Title: says.Title, Text: []string{says.Text}}
		if client {
			p.Links = []Link{{Text: says.Go, To: "/", Main: true}}
		}
		Headers(w)
		if err := Show(w, http.StatusNotFound, p); err != nil {
			logger.ErrorContext(r.Context(), "failed to render a page", slog.Any("error", err))
			endpoint.InternalError(w)
		}
	})
}
