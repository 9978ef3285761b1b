package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"chatserver.dev/pkg/imagelink"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/product"
	"chatserver.dev/services/remote"
)

const (
	// maxRedirects is the maximum number of redirects that are followed.
	maxRedirects = 3
	// agentName is the beginning of the User-Agent of requests for images.
	agentName = "chatserver-images/"
)

// newClient returns a client that keeps neither connections nor cookies, and ignores the process's environment.
func newClient(permit remote.Permit, resolver *net.Resolver) *http.Client {
	return &http.Client{
		Transport: remote.Transport(permit, resolver),
		CheckRedirect: func(r *http.Request, before []*http.Request) error {
			if len(before) > maxRedirects {
				return fmt.Errorf("more than %d redirects", maxRedirects)
			}
			r.Header.Del("Referer")
			return check(r)
		},
	}
}

func check(r *http.Request) error {
	if !imagelink.Allowed(r.URL) {
		return errors.New("an address that isn't fetched: neither http nor https, without a host, or with a password")
	}
	return nil
}

// image is an image that is being fetched.
type image struct {
	kind kind
	size int64 // in bytes; -1: not known
	body io.ReadCloser
}

// fetch requests an image of up to limit bytes. The caller must close its body. The body can be larger if the other
// server doesn't announce the size.
func fetch(ctx context.Context, client *http.Client, address string, limit int64) (image, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody) //nolint:gosec // the client's dialer permits public addresses alone
	if err != nil {
		return image{}, err
	}
	if err := check(r); err != nil {
		return image{}, err
	}
	r.Header.Set("User-Agent", agentName+product.Version())
	accepted := []string(nil)
	for _, k := range kinds() {
		accepted = append(accepted, k.name)
	}
	r.Header.Set("Accept", strings.Join(accepted, ", "))
	answer, err := client.Do(r) //nolint:gosec // as above
	if err != nil {
		return image{}, err
	}
	found, err := open(answer, limit)
	if err != nil {
		_ = answer.Body.Close() // it isn't used
	}
	return found, err
}

// open checks the header and the first bytes of an answer.
func open(answer *http.Response, limit int64) (image, error) {
	encoding := answer.Header.Get("Content-Encoding")
	switch {
	case answer.StatusCode != http.StatusOK:
		return image{}, fmt.Errorf("status %d", answer.StatusCode)
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		return image{}, fmt.Errorf("encoded as %q, which wasn't requested", encoding)
	case answer.ContentLength > limit:
		return image{}, fmt.Errorf("%d bytes, more than %d", answer.ContentLength, limit)
	}
	head, k, err := begin(answer.Body)
	if err != nil {
		return image{}, err
	}
	body := struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), answer.Body), answer.Body}
	return image{kind: k, size: answer.ContentLength, body: body}, nil
}

// begin reads the beginning of an image, until its format and its number of pixels are known.
func begin(body io.Reader) (head []byte, k kind, err error) {
	read := bytes.Buffer{}
	for read.Len() < picture.HeadBytes {
		_, err := io.CopyN(&read, body, int64(max(headBytes, read.Len())))
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, k, fmt.Errorf("read the first bytes: %w", err)
		}
		var ok bool
		if k, ok = kindOf(read.Bytes()); !ok {
			return nil, k, fmt.Errorf("not an image, judging by its first bytes: %q", read.Bytes())
		}
		if _, ok := picture.Size(read.Bytes()); ok || err != nil {
			break
		}
	}
	if !picture.IsShowable(read.Bytes()) {
		return nil, k, fmt.Errorf("an image of too many pixels, or of an unknown number, judging by its first %d bytes", read.Len())
	}
	return read.Bytes(), k, nil
}
