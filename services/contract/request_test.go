package contract_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/services/servicetest"
)

// request is a request to an endpoint.
type request struct {
	what   string // is wrong with it
	path   map[string]string
	form   map[string]string
	header map[string]string
	raw    string // further pairs of the form, as they are on the wire
	body   string // the whole body; of webhooks
	kind   string // Content-Type of the body; empty for the right one
	file   string // name of a file; empty for none
}

// attempts returns the number of combinations of hints that are tried for an endpoint.
func (h there) attempts(e endpoint.Endpoint) int {
	limit := 1
	for _, p := range e.Params() {
		limit = max(limit, len(h.hints[p.Name]))
	}
	return limit
}

// requests returns one request that matches the endpoint's declaration, and all that don't.
func (h there) requests(e endpoint.Endpoint, attempt int) []request {
	base := func(what string) request {
		r := request{what: what, path: map[string]string{}, form: map[string]string{}, header: map[string]string{}}
		if e.MaxFile() > 0 && !e.FileOptional() {
			r.file = "picture.png"
		}
		for _, p := range e.Params() {
			switch p.In {
			case endpoint.InPath:
				r.path[p.Name] = h.text(p, attempt)
			case endpoint.InBody:
				r.body = h.text(p, attempt)
			case endpoint.InHeader:
				r.header[p.Name] = h.text(p, attempt)
			case endpoint.InForm:
				if p.Required || h.hints[p.Name] != nil {
					r.form[p.Name] = h.text(p, attempt)
				}
			}
		}
		return r
	}
	empty := base("nothing sent")
	empty.form, empty.header, empty.body, empty.file = map[string]string{}, nil, "", ""
	broken, other, garbage := base("broken percent-encoding"), base("body of another type"), base("garbage as multipart")
	broken.raw, other.kind, garbage.kind = "a=%zz&%zz=1&=&&", "application/json", "multipart/form-data; boundary=x"
	client := base("a name of the client that isn't text")
	client.form["client"] = "\xff\x00"
	list := []request{base("nothing wrong"), empty, broken, other, garbage, client}
	for _, p := range e.Params() {
		list = append(list, h.variants(p, attempt, base)...)
	}
	return list
}

// variants returns requests with one invalid parameter.
func (h there) variants(p endpoint.Param, attempt int, base func(what string) request) []request {
	list := []request{}
	put := func(text string) {
		r := base(fmt.Sprintf("%s=%.60q", p.Name, text))
		switch p.In {
		case endpoint.InPath:
			r.path[p.Name] = text
		case endpoint.InBody:
			r.body = text
		case endpoint.InHeader:
			r.header[p.Name] = text
		case endpoint.InForm:
			r.form[p.Name] = text
		}
		list = append(list, r)
	}
	for _, text := range append(texts(), h.text(p, attempt)) {
		put(text)
	}
	for _, value := range h.spoilt(p.Type) {
		put(written(value, true))
	}
	if p.In == endpoint.InForm {
		without := base("without " + p.Name)
		delete(without.form, p.Name)
		twisted := base(p.Name + " with broken percent-encoding")
		twisted.raw = url.QueryEscape(p.Name) + "=%zz"
		list = append(list, without, twisted)
		if p.Alias != "" {
			both := base(p.Name + " and " + p.Alias)
			both.form[p.Name], both.form[p.Alias] = "x", "x"
			list = append(list, both)
		}
	}
	return list
}

// send sends the request as an account, or without one if it is zero. A request that waits is canceled, and counts as a
// success.
func (r request) send(t *testing.T, handler http.Handler, e endpoint.Endpoint, who servicetest.Account) *httptest.ResponseRecorder {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if e.Kind() == endpoint.KindRaw { // it may wait, which is right
		defer time.AfterFunc(time.Second, cancel).Stop()
	}
	target := &url.URL{Scheme: "https", Host: servicetest.Host, Path: e.Path()}
	escaped := e.Path()
	for name, text := range r.path {
		for _, pattern := range []string{"{" + name + "}", "{" + name + "...}"} {
			target.Path = strings.ReplaceAll(target.Path, pattern, text)
			escaped = strings.ReplaceAll(escaped, pattern, url.PathEscape(text))
		}
	}
	target.RawPath = escaped
	form := url.Values{}
	for name, text := range r.form {
		form.Set(name, text)
	}
	if who.Key != "" && e.ByKey() {
		form.Set("api_key", who.Key)
	}
	encoded := form.Encode()
	if r.raw != "" {
		encoded += "&" + r.raw
	}
	var body io.Reader
	kind := "application/x-www-form-urlencoded"
	switch {
	case e.Method() == http.MethodGet || e.Kind() == endpoint.KindHook:
		target.RawQuery, body = encoded, strings.NewReader(r.body)
	case r.file != "":
		body, kind = r.multipart(t)
	default:
		body = strings.NewReader(encoded)
	}
	if r.kind != "" {
		kind = r.kind
	}
	sent, err := http.NewRequestWithContext(ctx, e.Method(), "https://"+servicetest.Host+"/", body)
	if err != nil {
		t.Fatal(err)
	}
	sent.URL, sent.RequestURI = target, target.RequestURI()
	sent.Header.Set("Content-Type", kind)
	sent.Header.Set("User-Agent", "Test/1.0")
	for name, text := range r.header {
		sent.Header.Set(name, text)
	}
	if who.Key != "" {
		sent.SetBasicAuth(who.RealEmail, who.Key)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, sent)
	if ctx.Err() != nil && recorder.Body.Len() == 0 {
		recorder.Header().Set("Content-Type", "application/json")
		recorder.Body.WriteString(`{"result":"success","msg":""}`)
		return recorder
	}
	servicetest.KeepsContract(t, sent, recorder)
	return recorder
}

// multipart returns the body with a file.
func (r request) multipart(t *testing.T) (body io.Reader, kind string) {
	t.Helper()
	out := &bytes.Buffer{}
	w := multipart.NewWriter(out)
	for name, text := range r.form {
		if err := w.WriteField(name, text); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", r.file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(part, "\x00no picture"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out, w.FormDataContentType()
}
