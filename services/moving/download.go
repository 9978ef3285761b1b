package moving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"chatserver.dev/pkg/product"
	"chatserver.dev/services/remote"
)

const (
	// downloadTime is the timeout for the download of a file.
	downloadTime = 15 * time.Minute
	// maxRedirects is the maximum number of redirects that are followed.
	maxRedirects = 5
	// downloadTries is the maximum number of attempts to begin a download. firstWait is the pause before the second
	// one; it doubles each time.
	downloadTries = 3
	firstWait     = time.Second
)

// downloader downloads files from public addresses. It is safe for concurrent use.
type downloader struct{ client *http.Client }

// newDownloader returns a downloader. A nil permit means [remote.Public].
func newDownloader(permit remote.Permit) *downloader {
	if permit == nil {
		permit = remote.Public()
	}
	return &downloader{&http.Client{
		Transport: remote.Transport(permit, nil),
		Timeout:   downloadTime,
		CheckRedirect: func(r *http.Request, before []*http.Request) error {
			if len(before) > maxRedirects {
				return errors.New("too many redirects")
			}
			r.Header.Del("Referer") // the address may have a key
			return nil
		},
	}}
}

// fetch begins to download a file. Its error doesn't have the address, which may have a key.
func (d *downloader) fetch(ctx context.Context, address string) (io.ReadCloser, error) {
	for try, wait := 1, firstWait; ; try, wait = try+1, 2*wait {
		content, again, err := d.try(ctx, address)
		if err == nil || !again || try == downloadTries {
			return content, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (d *downloader) try(ctx context.Context, address string) (content io.ReadCloser, again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, false, errors.New("it isn't an http or https address")
	}
	r.Header.Set("User-Agent", "chatserver-import/"+product.Version())
	answer, err := d.client.Do(r)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		return nil, failed.Timeout() || failed.Temporary(), failed.Err
	}
	if err != nil {
		return nil, false, err
	}
	if answer.StatusCode != http.StatusOK {
		again = answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode/100 == 5
		return nil, again, errors.Join(fmt.Errorf("status %d", answer.StatusCode), answer.Body.Close())
	}
	return answer.Body, false, nil
}
