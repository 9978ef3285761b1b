package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path"
	"reflect"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
)

// Faults of the interface itself.
var (
	errUnknownPath  = fault.New(fault.NotFound, fault.CodeNotFound, "Not Found")
	errUnauthorized = fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "The admin token is missing or wrong")
	errBody         = fault.New(fault.Invalid, fault.CodeInvalidJSON, "The body isn't valid: %s")
	errField        = fault.New(fault.Invalid, adminapi.CodeUnknownField, "There is no field '%s' in the body")
	errUnreadable   = fault.Bad("The request's body can't be read")
	errTooLarge     = fault.New(fault.TooLarge, fault.CodeTooLarge, "The request's body is too large")
)

// maxBody is the maximum size of a body, in bytes.
const maxBody = 1 << 20

// operation returns an operation without a handler. route is a method and a path.
func operation[R any](route, id, summary string) Operation {
	method, path, _ := strings.Cut(route, " ")
	return Operation{Method: method, Path: path, ID: id, Summary: summary, Reply: reflect.TypeFor[R]()}
}

// plain returns an operation without a body. route is a method and a path.
func plain[R any](route, id, summary string, f func(r *http.Request) (R, error)) Operation {
	o := operation[R](route, id, summary)
	o.handle = func(r *http.Request, _ func() error) (any, error) { return f(r) }
	return o
}

// with returns an operation with a body; without one, it is empty. The token is checked again when the body has been read, since
// the caller determines how long that takes.
func with[B, R any](route, id, summary string, f func(r *http.Request, body B) (R, error)) Operation {
	o := operation[R](route, id, summary)
	o.Body = reflect.TypeFor[B]()
	o.handle = func(r *http.Request, allow func() error) (any, error) {
		body := *new(B)
		err := decode(r, &body)
		if err == nil {
			err = allow()
		}
		if err != nil {
			return nil, err
		}
		return f(r, body)
	}
	return o
}

// decode decodes a body. Unknown fields are an error.
func decode(r *http.Request, into any) error {
	text, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case err != nil:
		return errUnreadable.Wrap(err)
	case len(text) > maxBody:
		return errTooLarge
	case len(bytes.TrimSpace(text)) == 0:
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)
	if err == nil {
		if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
			return errBody.Format("there is more than one JSON value")
		}
		if hasNull(text) {
			return errBody.Format("it has the character U+0000, which can't be stored")
		}
		return nil
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return errField.Format(strings.Trim(name, `"`))
	}
	wrong := (*json.UnmarshalTypeError)(nil)
	if errors.As(err, &wrong) {
		return errBody.Format(fmt.Sprintf("the field '%s' must not be of type %s", wrong.Field, wrong.Value))
	}
	return errBody.Format(strings.TrimPrefix(err.Error(), "json: "))
}

// hasNull reports whether a string in valid JSON has a null character, which PostgreSQL doesn't store.
func hasNull(text []byte) bool {
	tokens := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := tokens.Token()
		if err != nil {
			return false // the end
		}
		if s, ok := token.(string); ok && strings.ContainsRune(s, 0) {
			return true
		}
	}
}

// NewHandler serves operations, and their description at openapi.json, to callers with a token.
func NewHandler(operations []Operation, tokens Tokens, logger *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	h := handler{logger}
	allow := func(r *http.Request) error {
		allowed, err := tokens.Allow(r.Header.Get("Authorization"))
		if err == nil && !allowed {
			err = errUnauthorized
		}
		return err
	}
	for _, o := range operations {
		mux.HandleFunc(o.Method+" "+Prefix+o.Path, func(w http.ResponseWriter, r *http.Request) {
			reply, err := o.handle(r, func() error { return allow(r) })
			h.answer(w, r, reply, err)
		})
	}
	mux.HandleFunc("GET "+Prefix+"/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document) // the client may have disconnected
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { h.answer(w, r, nil, errUnknownPath) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := allow(r); err != nil {
			h.answer(w, r, nil, err)
			return
		}
		given := r.URL.EscapedPath()
		if given != path.Clean(given) || // the mux would redirect to the path of another object
			!utf8.ValidString(r.URL.Path) || strings.ContainsRune(r.URL.Path, 0) { // no key has such text
			h.answer(w, r, nil, errUnknownPath)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// handler writes responses.
type handler struct{ logger *slog.Logger }

func (h handler) answer(w http.ResponseWriter, r *http.Request, reply any, err error) {
	if err == nil {
		err = endpoint.Reply(w, reply)
	}
	if errors.Is(err, errUnauthorized) {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if err != nil {
		logger := h.logger.With(slog.String("method", r.Method), slog.String("path", r.URL.Path))
		endpoint.Fail(w, r, logger, "serve an admin request", err)
	}
}
