package compat

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strings"
)

// The parameter that has two names.
const (
	theirName = "client_gravatar"
	ourName   = "client_hosted_avatar"
)

// maxForm is up to which size, in bytes, a body is looked through for the other name. The rest of a
// greater one isn't read here, so the limit on bodies is for the server behind to keep.
const maxForm = 64 << 10

// aliasQuery gives the request with our name for the parameter in its query string; the same
// request if that doesn't have the other name.
func aliasQuery(r *http.Request) *http.Request {
	if !strings.Contains(r.URL.RawQuery, theirName) {
		return r
	}
	changed := r.WithContext(r.Context())
	url := *r.URL
	url.RawQuery = renameKey(url.RawQuery)
	changed.URL = &url
	return changed
}

// aliasBody is aliasQuery for the form in the body.
func aliasBody(r *http.Request) *http.Request {
	if r.Body == nil || r.Body == http.NoBody {
		return r
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" && kind != "multipart/form-data" {
		return r
	}
	changed := r.WithContext(r.Context())
	changed.Body = &aliased{ReadCloser: r.Body, multipart: kind == "multipart/form-data"}
	if changed.ContentLength <= maxForm {
		changed.ContentLength = -1 // the names differ in length
	}
	return changed
}

// aliased is a body with our name for the parameter. It reads nothing before somebody wants it: who calls is
// asked first.
type aliased struct {
	io.ReadCloser

	multipart bool
	renamed   io.Reader // nil until something was read
}

// Read implements io.Reader.
func (a *aliased) Read(p []byte) (int, error) {
	if a.renamed == nil {
		a.renamed = a.rename()
	}
	return a.renamed.Read(p)
}

func (a *aliased) rename() io.Reader {
	read, err := io.ReadAll(io.LimitReader(a.ReadCloser, maxForm+1))
	switch {
	case err != nil || len(read) > maxForm:
		return io.MultiReader(bytes.NewReader(read), &failing{a.ReadCloser, err})
	case a.multipart:
		return bytes.NewReader(bytes.ReplaceAll(read, []byte(`name="`+theirName+`"`), []byte(`name="`+ourName+`"`)))
	default:
		return strings.NewReader(renameKey(string(read)))
	}
}

// renameKey renames the parameter in an encoded form. Where both names are there, ours counts.
func renameKey(encoded string) string {
	pairs := strings.Split(encoded, "&")
	for i, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		if key == ourName {
			return encoded
		}
		if key == theirName {
			pairs[i] = ourName + "=" + value
		}
	}
	return strings.Join(pairs, "&")
}

// failing goes on reading where somebody stopped, and repeats the error that stopped them.
type failing struct {
	rest io.Reader
	err  error
}

// Read reads on, or fails as before.
func (f *failing) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.rest.Read(p)
}
