package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/fault"
)

// The media types of forms.
const (
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data"
)

// text is the text of one parameter in the request.
type text struct {
	raw    string
	given  bool
	broken bool // invalid percent-encoding
	query  bool // from the query string
}

// put stores a text for a slot, in place of an earlier one. The body takes precedence over the query
// string, except for the framework's own two parameters (rest-api.md, sections 1.3 and 1.5), whose
// slots are a schema's first.
func put(texts []text, slot int, t text) {
	if slot < ownSlots && !t.query && texts[slot].query {
		return
	}
	t.given = true
	texts[slot] = t
}

// spread stores the pairs of an encoded form in their slots. It skips names that the schema doesn't have without
// decoding their values.
func (s *schema) spread(encoded string, texts []text, query bool) {
	for pair := range strings.SplitSeq(encoded, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if strings.ContainsAny(key, "%+") {
			decoded, err := url.QueryUnescape(key)
			if err != nil {
				continue
			}
			key = decoded
		}
		at, ok := s.slots[key]
		if !ok {
			continue
		}
		raw, err := url.QueryUnescape(value)
		put(texts, at, text{raw: raw, broken: err != nil, query: query})
	}
}

// form is the data that was read from a request.
type form struct {
	texts  []text
	compat bool // names of the tag compat are accepted
	body   []byte
	header http.Header
}

// readQuery reads the query string.
func (s *schema) readQuery(f *form, r *http.Request) {
	f.header = r.Header
	if r.URL.RawQuery != "" {
		s.spread(r.URL.RawQuery, f.texts, true)
	}
}

// readBody reads the body, if the method has one. [http.Request.ParseForm] would ignore that of DELETE.
func (s *schema) readBody(f *form, w http.ResponseWriter, r *http.Request, limit int64) error {
	if !hasBody(r) {
		return nil
	}
	if err := checkEncoding(r); err != nil {
		return err
	}
	if r.ContentLength > limit {
		return tooLarge(limit)
	}
	body := http.MaxBytesReader(w, r.Body, limit)
	if s.body != nil {
		var err error
		if f.body, err = readAll(body, r.ContentLength); err != nil {
			return bodyError(err)
		}
		f.body = inUTF8(f.body)
		// JSON may have the wrong type, curl's default for example. A text in it must not be taken for parameters.
		if bytes.HasPrefix(bytes.TrimSpace(f.body), []byte("{")) {
			return nil
		}
		return s.readForm(f, r.Header.Get("Content-Type"), limit)
	}
	header := r.Header.Get("Content-Type")
	if header == formType {
		return s.readEncoded(f, body, r.ContentLength)
	}
	switch kind, params, _ := mime.ParseMediaType(header); kind {
	case formType:
		return s.readEncoded(f, body, r.ContentLength)
	case multipartType:
		return s.readMultipart(f, multipart.NewReader(body, params["boundary"]), limit)
	default:
		return nil
	}
}

// readForm reads a body that may be a form instead of JSON: its parameters, or all of them as the body's object.
func (s *schema) readForm(f *form, header string, limit int64) error {
	kind, params, _ := mime.ParseMediaType(header)
	switch isForm := kind == formType || kind == multipartType; {
	case !isForm:
		return nil
	case s.body.slot >= 0 && kind == formType:
		s.spread(string(f.body), f.texts, false)
		return nil
	case s.body.slot >= 0:
		return s.readMultipart(f, multipart.NewReader(bytes.NewReader(f.body), params["boundary"]), limit)
	case s.body.Form != "*":
		return nil
	}
	members, err := membersOf(f.body, kind, params["boundary"], limit)
	if err == nil {
		f.body, err = objectOf(members)
	}
	return err
}

// membersOf returns the parameters of a form.
func membersOf(body []byte, kind, boundary string, limit int64) (map[string][]string, error) {
	if kind == multipartType {
		read, err := multipart.NewReader(bytes.NewReader(body), boundary).ReadForm(limit + fileOverhead)
		if err != nil {
			return nil, bodyError(err)
		}
		return read.Value, read.RemoveAll()
	}
	members, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fault.Bad("payload is not properly percent-encoded")
	}
	return members, nil
}

// objectOf returns the parameters of a form as an object in JSON, whose members are strings.
func objectOf(members map[string][]string) ([]byte, error) {
	object := make(map[string]string, len(members))
	for name, values := range members {
		last := values[len(values)-1]
		if !utf8.ValidString(name) || !utf8.ValidString(last) {
			return nil, fault.Bad("payload is not valid UTF-8")
		}
		object[name] = last
	}
	return json.Marshal(object)
}

// identity is the Content-Encoding of a body as it is.
const identity = "identity"

// checkEncoding refuses a compressed body, which would otherwise look like one without parameters.
func checkEncoding(r *http.Request) error {
	encoding := strings.TrimSpace(r.Header.Get("Content-Encoding"))
	if encoding == "" || strings.EqualFold(encoding, identity) {
		return nil
	}
	return errEncoding.Format(encoding)
}

// hasBody reports whether the request has a body that is read.
func hasBody(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead && r.Body != nil && r.Body != http.NoBody
}

func (s *schema) readEncoded(f *form, body io.Reader, length int64) error {
	encoded, err := readAll(body, length)
	if err != nil {
		return bodyError(err)
	}
	s.spread(string(encoded), f.texts, false)
	return nil
}

// fileOverhead is added to the body's limit so that a body within it always stays in memory, since the
// reader counts its own bookkeeping, too.
const fileOverhead = 10 << 20

func (s *schema) readMultipart(f *form, body *multipart.Reader, limit int64) error {
	read, err := body.ReadForm(limit + fileOverhead)
	if err != nil {
		return bodyError(err)
	}
	for key, values := range read.Value {
		if at, ok := s.slots[key]; ok {
			put(f.texts, at, text{raw: values[len(values)-1]})
		}
	}
	return read.RemoveAll() // nothing is on disk, see fileOverhead
}

// readAll is [io.ReadAll] with a first guess at the size.
func readAll(r io.Reader, length int64) ([]byte, error) {
	const trusted = 64 << 10 // the client's Content-Length is trusted up to here
	b := make([]byte, 0, max(512, min(length+1, trusted)))
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}

// bodyError returns the fault for a body that can't be read, because of the client or the network.
func bodyError(err error) error {
	if err == nil {
		return nil
	}
	if over := (*http.MaxBytesError)(nil); errors.As(err, &over) {
		return tooLarge(over.Limit)
	}
	if errors.Is(err, multipart.ErrMessageTooLarge) { // the body itself is within the limit
		return errTooManyParts.Wrap(err)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errSlowBody.Wrap(err)
	}
	return errUnreadableBody.Wrap(err)
}

func tooLarge(limit int64) *fault.Fault {
	return errTooLarge.Wrap(fmt.Errorf("the limit is %d bytes", limit)).With("max_bytes", limit)
}
