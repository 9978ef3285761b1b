// Package static serves files that don't change while the process lives: pages, their scripts and their styles.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"chatserver.dev/pkg/endpoint"
)

// File serves fixed content. Clients may cache it, and must revalidate it unless Forever is set. Either Plain or Packed
// is set; the other is computed when it is needed first.
type File struct {
	Kind   string // Content-Type
	Policy string // Content-Security-Policy; empty: none, for files that aren't pages
	Plain  []byte
	Packed []byte // by gzip
	// Forever means that other content has another address, so that clients need not revalidate.
	Forever bool

	once sync.Once
	tag  string // without quotes
	err  error
}

// ServeHTTP serves GET and HEAD requests.
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.once.Do(f.complete); f.err != nil {
		endpoint.InternalError(w)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.Kind)
	h.Set("Cache-Control", "public, no-cache")
	if f.Forever {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("Vary", "Accept-Encoding")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // other sites don't see addresses, and forms have an Origin
	if f.Policy != "" {
		h.Set("Content-Security-Policy", f.Policy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin") // a site that opens a page can't move it elsewhere, nor watch it
	}
	content, tag := f.Plain, f.tag
	if endpoint.TakesGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		content, tag = f.Packed, f.tag+"-gzip"
	}
	h.Set("Etag", `"`+tag+`"`)
	endpoint.OneRange(r)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

func (f *File) complete() {
	if f.Plain == nil {
		f.Plain, f.err = unpack(f.Packed)
	} else {
		f.Packed, f.err = pack(f.Plain)
	}
	sum := sha256.Sum256(f.Plain)
	f.tag = hex.EncodeToString(sum[:8])
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return io.ReadAll(r)
}

func pack(plain []byte) ([]byte, error) {
	out := &bytes.Buffer{}
	w := gzip.NewWriter(out)
	if _, err := w.Write(plain); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return out.Bytes(), nil
}
