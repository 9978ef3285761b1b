package servicetest

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"chatserver.dev/pkg/endpoint"
)

// Form returns a body of multipart/form-data with a file, and its Content-Type.
func Form(t testing.TB, fields map[string]string, name, content string) (body *bytes.Buffer, kind string) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	for field, text := range fields {
		if err := w.WriteField(field, text); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return body, w.FormDataContentType()
}

// Post is [Account.Do] with a body in place of parameters. kind is its Content-Type. The path may have a query string.
func (a Account) Post(path, kind string, body io.Reader) Answer {
	a.world.T.Helper()
	return a.Body(http.MethodPost, path, kind, body)
}

// Body is [Account.Post] with another method.
func (a Account) Body(method, path, kind string, body io.Reader) Answer {
	a.world.T.Helper()
	r := httptest.NewRequestWithContext(a.world.T.Context(), method, "/api/v1"+path, body)
	r.Header.Set("Content-Type", kind)
	recorder := httptest.NewRecorder()
	a.serve(recorder, r)
	KeepsContract(a.world.T, r, recorder)
	return Answer{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.String(), t: a.world.T}
}

// Upload uploads a file, and returns its path on the server.
func (a Account) Upload(name, content string) string {
	a.world.T.Helper()
	body, kind := Form(a.world.T, nil, name, content)
	reply := struct{ URI string }{}
	a.Post("/user_uploads", kind, body).OK().Decode(&reply)
	return reply.URI
}

// Page requests a page outside of the interface, as the account; an account without an address isn't authenticated.
// headers are the request's.
func (a Account) Page(path string, headers map[string]string) *httptest.ResponseRecorder {
	a.world.T.Helper()
	r := httptest.NewRequestWithContext(a.world.T.Context(), http.MethodGet, "/", http.NoBody)
	target, err := url.Parse(path)
	if err != nil {
		a.world.T.Fatal(err)
	}
	r.URL, r.RequestURI = target, path
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	recorder := httptest.NewRecorder()
	a.handler = a.world.Pages
	a.serve(recorder, r)
	return recorder
}

// Serve makes the world serve only these endpoints.
func (w *World) Serve(endpoints ...endpoint.Endpoint) { w.Handler = w.router(endpoints, nil) }
