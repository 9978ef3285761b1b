package endpoint

import (
	"bytes"
	"runtime"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// minCompressed is the size in bytes from which an answer is compressed. Smaller ones are a few packets in either form.
const minCompressed = 8 << 10

// compressedAtOnce is how many bytes are compressed between two pauses, which takes less than a millisecond.
const compressedAtOnce = 64 << 10

// compressors are the unused compressors. Each takes about a megabyte, so there is only one per processor. If none is free, an
// answer isn't compressed.
type compressors chan *gzip.Writer

func newCompressors() compressors {
	all := make(compressors, runtime.GOMAXPROCS(0))
	for range cap(all) {
		all <- nil // created at its first use
	}
	return all
}

// compress replaces a large answer with its gzip form, for clients that accept it. It lets other calls
// proceed between the pieces.
func (c *call) compress(b *buffer) {
	if b.length() < minCompressed {
		return
	}
	h := c.w.Header()
	h["Vary"] = c.router.headers.vary
	if !TakesGzip(c.r.Header.Get("Accept-Encoding")) || !isOwnPage(c.r.Header.Get("Sec-Fetch-Site")) {
		return
	}
	select {
	case w := <-c.router.compressors:
		packed := bytes.Buffer{}
		c.router.compressors <- gzipped(w, &packed, b.segments(), c.rest)
		b.buf, b.before, b.held = packed, nil, 0
		h["Content-Encoding"] = c.router.headers.gzip
	default:
	}
}

// gzipped appends compressed segments to a buffer. It returns the compressor w, which it creates if it is nil.
func gzipped(w *gzip.Writer, to *bytes.Buffer, segments [][]byte, between func()) *gzip.Writer {
	if w == nil {
		w, _ = gzip.NewWriterLevel(to, gzip.BestSpeed) // fails for levels that don't exist
	} else {
		w.Reset(to)
	}
	for _, segment := range segments {
		for len(segment) > 0 {
			next := segment[:min(len(segment), compressedAtOnce)]
			_, _ = w.Write(next) // writing to a buffer never fails
			segment = segment[len(next):]
			between()
		}
	}
	_ = w.Close()
	return w
}

// isOwnPage reports whether the header Sec-Fetch-Site may come from a page of this server or from a program. Other pages can
// measure the size of answers, which with compression would reveal common parts of an answer and the page's request (BREACH).
func isOwnPage(site string) bool {
	return site == "" || site == "same-origin" || site == "none"
}

// TakesGzip reports whether a client accepts gzip, by its header Accept-Encoding. It ignores weights except 0.
func TakesGzip(accepted string) bool {
	for one := range strings.SplitSeq(accepted, ",") {
		name, weight, _ := strings.Cut(one, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			zero := strings.Trim(strings.TrimPrefix(strings.TrimSpace(weight), "q="), "0.") == ""
			return weight == "" || !zero
		}
	}
	return false
}
