package docs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"chatserver.dev/pkg/endpoint"
)

// file serves bytes that don't change while the process lives. Clients may keep them, and ask whether
// they still hold. It has one of plain and packed; the other is made when it is wanted first.
type file struct {
	kind   string // Content-Type
	policy string // Content-Security-Policy; empty for what isn't a page
	plain  []byte
	packed []byte // by gzip

	once sync.Once
	tag  string // without quotes
	err  error
}

// ServeHTTP answers GET and HEAD.
func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.once.Do(f.complete); f.err != nil {
		endpoint.InternalError(w)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "public, no-cache")
	h.Set("Vary", "Accept-Encoding")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if f.policy != "" {
		h.Set("Content-Security-Policy", f.policy)
	}
	content, tag := f.plain, f.tag
	if takesGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		content, tag = f.packed, f.tag+"-gzip"
	}
	h.Set("Etag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

func (f *file) complete() {
	if f.plain == nil {
		f.plain, f.err = unpack(f.packed)
	} else {
		f.packed, f.err = pack(f.plain)
	}
	sum := sha256.Sum256(f.plain)
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

// takesGzip reads the header Accept-Encoding. Weights count as far as that one of 0 refuses.
func takesGzip(accepted string) bool {
	for one := range strings.SplitSeq(accepted, ",") {
		name, weight, _ := strings.Cut(one, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			zero := strings.Trim(strings.TrimPrefix(strings.TrimSpace(weight), "q="), "0.") == ""
			return weight == "" || !zero
		}
	}
	return false
}
