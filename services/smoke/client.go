package smoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// pause is the pause before a request without a response, or with a server error, is repeated.
	pause = 500 * time.Millisecond
	// maxAnswer is the maximum size of a response, in bytes.
	maxAnswer = 1 << 20
)

// client calls services at their addresses in the cluster, with the server's name in the header Host.
type client struct {
	http  *http.Client
	host  string
	email string
	key   string
}

// refusal is a response other than 200.
type refusal struct {
	status int
	msg    string
}

func (r refusal) Error() string { return fmt.Sprintf("the response is %d: %s", r.status, r.msg) }

// form calls with parameters, see [client.call].
func (c *client) form(ctx context.Context, method, address string, parameters url.Values, into any) error {
	if method == http.MethodGet {
		return c.call(ctx, method, address+"?"+parameters.Encode(), "", "", into)
	}
	return c.call(ctx, method, address, "application/x-www-form-urlencoded", parameters.Encode(), into)
}

// call repeats a request until it succeeds, is refused with a status below 500, or ctx ends, and decodes the response.
// kind is the content type of the body.
func (c *client) call(ctx context.Context, method, address, kind, body string, into any) error {
	return repeat(ctx, func() error { return c.ask(ctx, method, address, kind, body, into) })
}

// repeat repeats ask, see [client.call].
func repeat(ctx context.Context, ask func() error) error {
	for {
		err := ask()
		no := refusal{}
		if err == nil || errors.As(err, &no) && no.status < http.StatusInternalServerError {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no success in time: %w", err)
		case <-time.After(pause):
		}
	}
}

func (c *client) ask(ctx context.Context, method, address, kind, body string, into any) error {
	response, err := c.begin(ctx, method, address, http.Header{"Content-Type": {kind}}, body)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

// begin sends a request and returns the response, whose body the caller must close. A status other than 200 is a
// [refusal].
func (c *client) begin(ctx context.Context, method, address string, header http.Header, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	req.Host, req.Header = c.host, header
	req.Header.Set("User-Agent", "ChatserverSmoke/1.0")
	if !req.URL.Query().Has("api_key") {
		req.SetBasicAuth(c.email, c.key)
	}
	response, err := c.http.Do(req)
	if err != nil {
		return nil, withoutAddress(err)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return nil, refusal{response.StatusCode, message(text)}
}

// withoutAddress removes the address, which may contain a key, from an error of package http.
func withoutAddress(err error) error {
	inner := (*url.Error)(nil)
	if errors.As(err, &inner) {
		return inner.Err
	}
	return err
}

// message returns the message in a response, or the beginning of the response.
func message(answer []byte) string {
	said := struct {
		Msg string `json:"msg"`
	}{}
	if json.Unmarshal(answer, &said) == nil && said.Msg != "" {
		return said.Msg
	}
	const limit = 200
	return strings.ToValidUTF8(string(answer[:min(len(answer), limit)]), "")
}
