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
	// pause is how long it waits before it asks again where nobody answered, or the service failed.
	pause = 500 * time.Millisecond
	// maxAnswer bounds an answer, in bytes.
	maxAnswer = 1 << 20
)

// client calls services at addresses of the cluster, as if they were called by the server's own name.
type client struct {
	http  *http.Client
	host  string
	email string
	key   string
}

// refusal is an answer that says no: asking again won't help.
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

// call asks until there is an answer, ctx ends or the answer is no, and decodes it into an object. kind is the type of
// the body's content.
func (c *client) call(ctx context.Context, method, address, kind, body string, into any) error {
	for {
		err := c.ask(ctx, method, address, kind, body, into)
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
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	req.Host = c.host
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "ChatserverSmoke/1.0")
	if !req.URL.Query().Has("api_key") {
		req.SetBasicAuth(c.email, c.key)
	}
	response, err := c.http.Do(req)
	if err != nil {
		return withoutAddress(err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return refusal{response.StatusCode, message(text)}
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

// withoutAddress takes the address, which may have a key in it, from an error of package http.
func withoutAddress(err error) error {
	inner := (*url.Error)(nil)
	if errors.As(err, &inner) {
		return inner.Err
	}
	return err
}

// message is what an answer says to people, or its beginning.
func message(answer []byte) string {
	said := struct {
		Msg string `json:"msg"`
	}{}
	if json.Unmarshal(answer, &said) == nil && said.Msg != "" {
		return said.Msg
	}
	const most = 200
	return strings.ToValidUTF8(string(answer[:min(len(answer), most)]), "")
}
