package endpoint

import (
	"fmt"
	"net/http"

	"chatserver.dev/pkg/fault"
)

// What follows is for pages beside the interface, which answer with something else than JSON when all is well.

// NotFound answers with 404 in the envelope, as a [Router] does for a path that it doesn't have.
func NotFound(w http.ResponseWriter) { Refuse(w, errUnknownPath) }

// InternalError answers with 500 in the envelope; the caller logs the cause.
func InternalError(w http.ResponseWriter) { Refuse(w, errInternal) }

// Refuse answers with a fault in the envelope, without its data. Headers that are set already stay.
func Refuse(w http.ResponseWriter, f *fault.Fault) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(statusOf(f.Kind))
	code := ""
	if f.Code != fault.CodeNone {
		code = fmt.Sprintf(`,"code":%q`, f.Code)
	}
	_, _ = fmt.Fprintf(w, `{"result":"error","msg":%q%s}`+"\n", f.Msg, code) // to a client that may have gone
}
