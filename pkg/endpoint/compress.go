package endpoint

import (
	"bytes"
	"runtime"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// leastCompressed is the size in bytes from which an answer is compressed. Smaller ones are a few packets either way.
const leastCompressed = 8 << 10

// compressedAtOnce is how many bytes are compressed between two pauses, which takes less than a millisecond.
const compressedAtOnce = 64 << 10

// compressors are those that no call uses. Each takes about a megabyte, so there are as few as processors, and an answer that finds
// none is sent as it is.
type compressors chan *gzip.Writer

func newCompressors() compressors {
	all := make(compressors, runtime.GOMAXPROCS(0))
	for range cap(all) {
		all <- nil // made when it is used first
	}
	return all
}

// compress replaces a large answer with its gzip form, for clients that accept it. It lets other calls
// proceed between the pieces.
func (c *call) compress(b *buffer) {
	if b.length() < leastCompressed {
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

// gzipped appends segments in gzip to a buffer, and returns the compressor for the next answer; nil: there is none yet.
func gzipped(w *gzip.Writer, to *bytes.Buffer, segments [][]byte, between func()) *gzip.Writer {
	if w == nil {
		w, _ = gzip.NewWriterLevel(to, gzip.BestSpeed) // fails for levels that don't exist
	} else {
		w.Reset(to)
	}
	for _, segment := range segments {
		for len(segment) > 0 {
			next := segment[:min(len(segment), compressedAtOnce)]
			_, _ = w.Write(next) // a buffer takes everything
			segment = segment[len(next):]
			between()
		}
	}
	_ = w.Close()
	return w
}

// isOwnPage reports whether the header Sec-Fetch-Site may be that of a page of this server or of a program. Other pages learn sizes
// of answers: with compression these would say what answers have in common with what the page asks for (BREACH).
func isOwnPage(site string) bool {
	return site == "" || site == "same-origin" || site == "none"
}

// TakesGzip reports whether a client takes gzip, by its header Accept-Encoding. Of weights only that of 0 counts.
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
