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

// CallTime is the timeout of a call. The deletion of an organization may take longer: the next call continues it.
const CallTime = 60 * time.Second

// maxAnswer is the largest response, in bytes.
const maxAnswer = 64 << 20

// plainToTLS is the response of package http's server to plain HTTP at a TLS port.
const plainToTLS = "Client sent an HTTP request to an HTTPS server"

// errPart is the error of a key that can't be in a path: the address would be that of another object.
var errPart = errors.New(`a key must not be empty, "." or ".."`)

// Error is the server's response to a call that failed.
type Error struct {
	Status int    // of HTTP
	Code   string // for programs: NOT_FOUND, ALREADY_EXISTS, …; may be empty
	Msg    string // for people
	// HeldKey is the key under which the object is managed already, with the code ALREADY_KEPT.
	HeldKey string
}

// Error returns the server's message.
func (e *Error) Error() string {
	if e.Msg == "" {
		return fmt.Sprintf("the server responded with status %d", e.Status)
	}
	return e.Msg
}

// IsNotFound reports whether an object or its organization doesn't exist.
func IsNotFound(err error) bool { return hasStatus(err, http.StatusNotFound) }

// IsUnauthorized reports whether the server doesn't accept the token.
func IsUnauthorized(err error) bool { return hasStatus(err, http.StatusUnauthorized) }

// IsRefused reports whether the server refused the document: repeating the call won't help.
func IsRefused(err error) bool { return hasStatus(err, http.StatusBadRequest) }

func hasStatus(err error, status int) bool {
	e := (*Error)(nil)
	return errors.As(err, &e) && e.Status == status
}

// Client calls a server. It is safe for concurrent use.
type Client struct {
	base  string
	token string
	http  *http.Client
}

// New returns a client for the server at an address, http://host:port or https://host:port, with an admin token. A nil client
// has a timeout of [CallTime] and trusts the authorities of the system; see [TLS] for others. No redirect is followed: with a PUT
// or DELETE it would become a GET, and the token would be sent to another address.
func New(address, token string, client *http.Client) (*Client, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return nil, fmt.Errorf("%q is not the address of a server, such as http://127.0.0.1:8090", address)
	}
	own := http.Client{Timeout: CallTime}
	if client != nil {
		own = *client
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{strings.TrimSuffix(address, "/") + "/admin/v1", token, &own}, nil
}

// Call calls an operation by its method and the parts of its path below /admin/v1, with a document or nil. It returns
// the response's JSON.
func (c *Client) Call(ctx context.Context, method string, document []byte, path ...string) ([]byte, error) {
	if document == nil {
		return call[json.RawMessage](ctx, c, method, nil, path...)
	}
	return call[json.RawMessage](ctx, c, method, json.RawMessage(document), path...)
}

// call sends a document, unless it is nil, and decodes the response. It escapes the parts of the path.
func call[R any](ctx context.Context, c *Client, method string, body any, path ...string) (R, error) {
	reply := *new(R)
	parts := []string{c.base}
	for _, part := range path {
		if part == "" || part == "." || part == ".." {
			return reply, errPart
		}
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
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return reply, err // it names the address
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return reply, fmt.Errorf("read the answer of %s %s: %w", method, address, err)
	}
	if len(text) > maxAnswer {
		return reply, fmt.Errorf("the answer of %s %s is larger than %d MiB", method, address, maxAnswer>>20)
	}
	if response.StatusCode != http.StatusOK {
		failure := adminapi.Failure{}
		_ = json.Unmarshal(text, &failure) // a proxy's response has no message
		if response.StatusCode == http.StatusBadRequest && bytes.HasPrefix(text, []byte(plainToTLS)) {
			return reply, fmt.Errorf("%s serves TLS: its address has to begin with https://", request.URL.Host)
		}
		if to := response.Header.Get("Location"); to != "" && response.StatusCode < http.StatusBadRequest {
			failure.Msg = fmt.Sprintf("the server redirects to %s: check its address", to)
		}
		return reply, &Error{Status: response.StatusCode, Code: failure.Code, Msg: failure.Msg, HeldKey: failure.HeldKey}
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return reply, fmt.Errorf("decode the answer of %s %s: %w", method, address, err)
	}
	return reply, nil
}
