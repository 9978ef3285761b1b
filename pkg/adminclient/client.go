package adminclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"chatserver.dev/pkg/adminapi"
)

// CallTime bounds a call: the deletion of an organization takes a while, and continues with the next call.
const CallTime = 60 * time.Second

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 64 << 20

// plainToTLS is what package http's server answers to plain HTTP where it serves TLS.
const plainToTLS = "Client sent an HTTP request to an HTTPS server"

// Error is what the server answered in place of what was asked for.
type Error struct {
	Status int    // of HTTP
	Code   string // for programs: NOT_FOUND, ALREADY_EXISTS, …; may be empty
	Msg    string // for people
}

// Error returns the server's words.
func (e *Error) Error() string {
	if e.Msg == "" {
		return fmt.Sprintf("the server responded with status %d", e.Status)
	}
	return e.Msg
}

// IsNotFound reports whether err says that something, or the organization that it is to be in, isn't
// there.
func IsNotFound(err error) bool { return hasStatus(err, http.StatusNotFound) }

// IsUnauthorized reports whether err says that the token is wrong.
func IsUnauthorized(err error) bool { return hasStatus(err, http.StatusUnauthorized) }

// IsRefused reports whether err says that the document can't be carried out: trying again won't help.
func IsRefused(err error) bool { return hasStatus(err, http.StatusBadRequest) }

func hasStatus(err error, status int) bool {
	e := (*Error)(nil)
	return errors.As(err, &e) && e.Status == status
}

// Client calls a server. It is safe for concurrent use.
type Client struct {
	base  string
	token func() (string, error)
	http  *http.Client
}

// New makes a client for the server at an address, http://host:port or https://host:port. token is asked for the admin token
// with each call, since it can be rotated. A nil client is one with a limit of a minute for each call, which trusts the
// authorities of the system; see [TLS] for others.
func New(address string, token func() (string, error), client *http.Client) (*Client, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return nil, fmt.Errorf("%q is not the address of a server, such as http://127.0.0.1:8090", address)
	}
	if client == nil {
		client = &http.Client{Timeout: CallTime}
	}
	return &Client{strings.TrimSuffix(address, "/") + "/admin/v1", token, client}, nil
}

// Token is a token for [New] that stays as it is.
func Token(token string) func() (string, error) {
	return func() (string, error) { return token, nil }
}

// call sends a document, or none for nil, and decodes the response. The parts of the path are escaped.
func call[R any](ctx context.Context, c *Client, method string, body any, path ...string) (R, error) {
	reply := *new(R)
	parts := []string{c.base}
	for _, part := range path {
		parts = append(parts, url.PathEscape(part))
	}
	address := strings.Join(parts, "/")
	content := io.Reader(http.NoBody)
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return reply, fmt.Errorf("encode the document: %w", err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return reply, fmt.Errorf("%s %s: %w", method, address, err)
	}
	token, err := c.token()
	if err != nil {
		return reply, fmt.Errorf("read the admin token: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return reply, err // says what was called
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return reply, fmt.Errorf("read the answer of %s %s: %w", method, address, err)
	}
	if response.StatusCode != http.StatusOK {
		failure := adminapi.Failure{}
		_ = json.Unmarshal(text, &failure) // what isn't the server's has no words of it
		if response.StatusCode == http.StatusBadRequest && bytes.HasPrefix(text, []byte(plainToTLS)) {
			return reply, fmt.Errorf("%s serves TLS: its address has to begin with https://", request.URL.Host)
		}
		return reply, &Error{Status: response.StatusCode, Code: failure.Code, Msg: failure.Msg}
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return reply, fmt.Errorf("decode the answer of %s %s: %w", method, address, err)
	}
	return reply, nil
}
