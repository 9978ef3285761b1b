//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"html"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// browser keeps cookies, follows redirects, and is where the site's pages are.
type browser struct {
	t      *testing.T
	site   string
	client *http.Client
}

// newBrowser makes one that finds hosts of this test at their addresses, and trusts whom o trusts.
func newBrowser(t *testing.T, o *outside, site string, hosts map[string]string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(o.authority)
	through := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, hosts[address])
		},
	}
	t.Cleanup(through.CloseIdleConnections)
	return &browser{t, site, &http.Client{Transport: through, Jar: jar, Timeout: patience}}
}

// page is what a browser shows.
type page struct {
	at     *url.URL
	status int
	kind   string
	text   string
}

// says checks that a page has a text.
func (p page) says(t *testing.T, text string) {
	t.Helper()
	if p.status != http.StatusOK || !strings.Contains(p.text, text) {
		t.Fatalf("%s: %d, want %q in %s", p.at, p.status, text, p.text)
	}
}

func (b *browser) send(method, at, kind string, body io.Reader) page {
	b.t.Helper()
	request, err := http.NewRequest(method, at, body)
	if err != nil {
		b.t.Fatal(err)
	}
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	request.Header.Set("Content-Type", kind)
	response, err := b.client.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return page{response.Request.URL, response.StatusCode, response.Header.Get("Content-Type"), string(text)}
}

// open opens a page of the site or of another one.
func (b *browser) open(at string) page {
	b.t.Helper()
	if strings.HasPrefix(at, "/") {
		at = b.site + at
	}
	return b.send(http.MethodGet, at, "", http.NoBody)
}

// submit sends a form to an address.
func (b *browser) submit(at string, fields form) page {
	b.t.Helper()
	return b.send(http.MethodPost, at, "application/x-www-form-urlencoded", strings.NewReader(fields.encode()))
}

// call calls the interface as whom the browser is signed in as, and returns the status.
func (b *browser) call(method, path string, parameters form, into any) int {
	b.t.Helper()
	at, body := b.site+"/api/v1"+path, parameters.encode()
	if method == http.MethodGet {
		at, body = at+"?"+body, ""
	}
	answer := b.send(method, at, "application/x-www-form-urlencoded", strings.NewReader(body))
	if into != nil {
		answer.says(b.t, `"result":"success"`)
		if err := json.Unmarshal([]byte(answer.text), into); err != nil {
			b.t.Fatal(err)
		}
	}
	return answer.status
}

// upload stores a file, and returns its path.
func (b *browser) upload(name string, content []byte) string {
	b.t.Helper()
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	part, err := parts.CreateFormFile("file", name)
	if err != nil {
		b.t.Fatal(err)
	}
	_, _ = part.Write(content)
	_ = parts.Close()
	answer := b.send(http.MethodPost, b.site+"/api/v1/user_uploads", parts.FormDataContentType(), &body)
	answer.says(b.t, `"uri"`)
	stored := struct {
		URI string `json:"uri"`
	}{}
	if err := json.Unmarshal([]byte(answer.text), &stored); err != nil {
		b.t.Fatal(err)
	}
	return stored.URI
}

var (
	action = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
	hidden = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)
)

// signIn signs in by the provider as somebody whom it knows by a name, with any password, and consents to what it asks.
func (b *browser) signIn(name string) page {
	b.t.Helper()
	shown := b.open("/accounts/login/social/idp_1")
	for range 10 {
		if strings.HasPrefix(shown.at.String(), b.site+"/") {
			return shown
		}
		to := action.FindStringSubmatch(shown.text)
		if shown.status != http.StatusOK || to == nil {
			break
		}
		fields := form{}
		for _, field := range hidden.FindAllStringSubmatch(shown.text, -1) {
			fields[field[1]] = html.UnescapeString(field[2])
		}
		if fields["prompt"] == "login" {
			fields["login"], fields["password"] = name, "any"
		}
		address, err := shown.at.Parse(html.UnescapeString(to[1]))
		if err != nil {
			b.t.Fatal(err)
		}
		shown = b.submit(address.String(), fields)
	}
	b.t.Fatalf("%s leads nowhere: %d %s", shown.at, shown.status, shown.text)
	return shown
}

// me is the id of whom the browser is signed in as.
func (b *browser) me() string {
	b.t.Helper()
	me := struct {
		ID int64 `json:"user_id"`
	}{}
	b.call(http.MethodGet, "/users/me", nil, &me)
	return strconv.FormatInt(me.ID, 10)
}
