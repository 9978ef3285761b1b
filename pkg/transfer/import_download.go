package transfer

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
)

// maxDownload is the maximum size of a download, in bytes.
const maxDownload = 1 << 30

// The errors of downloads.
var (
	errDownloadSize  = errors.New("its size isn't that in the archive; perhaps the address is no longer valid")
	errDownloadLarge = errors.New("it is larger than 1 GiB")
)

// download starts the download of a file with a size in bytes; 0: the size is unknown.
func (m *importing) download(ctx context.Context, address string, size int64) (*downloading, error) {
	if size > maxDownload {
		return nil, errDownloadLarge
	}
	content, err := m.Fetch(ctx, address)
	if err != nil {
		return nil, err
	}
	return &downloading{ReadCloser: content, size: size}, nil
}

// downloading is a file that is being downloaded.
type downloading struct {
	io.ReadCloser

	size   int64
	read   int64
	failed error
}

// Read implements [io.Reader]. It fails if the file has another size.
func (d *downloading) Read(p []byte) (n int, err error) {
	n, err = d.ReadCloser.Read(p)
	d.read += int64(n)
	switch {
	case d.read > maxDownload:
		err = errDownloadLarge
	case d.size > 0 && (d.read > d.size || errors.Is(err, io.EOF) && d.read < d.size):
		err = errDownloadSize
	}
	if err != nil && !errors.Is(err, io.EOF) {
		d.failed = err
	}
	return n, err
}

// failedDownload returns the error of a download; nil: it succeeded, or from isn't a download.
func failedDownload(from io.Reader) error {
	if d, ok := from.(*downloading); ok {
		return d.failed
	}
	return nil
}

// withoutKey returns a URL in the form that messages may contain, with only the scheme, host and path, since the rest may
// be a secret key. It returns "" for a URL that isn't http or https.
func withoutKey(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	plain := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return strings.NewReplacer("(", "%28", ")", "%29", "*", "%2A", "|", "%7C").Replace(plain.String())
}
