//go:build e2e

package e2e_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // thumbnails
	"image/png"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// people is the name of a server with mail, files and an identity provider, and of its namespace.
const people = "people"

// office is a server of people, with the organization org, and what is outside of it.
type office struct {
	*outside
	t                    *testing.T
	site                 string
	api, events, webhook string // addresses
	ada                  account
}

// newOffice makes it.
func newOffice(t *testing.T) *office {
	t.Helper()
	namespace(t, people)
	w := &office{t: t, site: "http://" + people + ".localhost"}
	w.outside = newOutside(t, people, w.site)
	server := strings.Replace(trial(people, version), "  api: {replicas: 1}\n", fmt.Sprintf(`  mail: {host: %[1]s, from: chat@harbour.example, loginSecretRef: {name: %[2]s}}
  files: {s3: {endpoint: "http://%[1]s:9000", bucket: %[3]s, region: us-east-1, pathStyle: true, secretRef: {name: %[2]s}}}
  settings: {organizationSignup: Enabled}
  identityProviders:
  - {slot: idp_1, issuer: %[4]q, clientID: chat, clientSecretRef: {name: %[2]s, key: client-secret}, displayName: Harbour office}
  api:
    replicas: 1
    podTemplate:
      spec:
        volumes: [{name: authority, secret: {secretName: %[2]s, items: [{key: ca.crt, path: ca.crt}]}}]
        containers:
        - name: api
          env: [{name: SSL_CERT_FILE, value: /authority/ca.crt}]
          volumeMounts: [{name: authority, mountPath: /authority, readOnly: true}]
`, w.host, outsideName, bucket, w.issuer()), 1)
	apply(t, people, w.documents()+"---"+server+"---"+organization(people, people))
	ready(t, people, "chatserver/"+people, "organization/org")
	w.api, w.events, w.webhook = address(t, people, people+"-api"), address(t, people, people+"-events"), address(t, people, people+"-webhook")
	w.ada = accountIn(t, people, "org-owner")
	return w
}

// browser is a new one, at an organization's site.
func (w *office) browser(site string) *browser {
	return newBrowser(w.t, w.outside, site, map[string]string{strings.TrimPrefix(site, "http://") + ":80": w.api, w.host + ":443": w.openID.String()})
}

// link waits for a mail with a link to a page, and returns the link.
func (w *office) link(page string) string {
	w.t.Helper()
	links := regexp.MustCompile(`http://\S+/` + page + `/\w+`)
	for late := time.After(time.Minute); ; {
		select {
		case mail := <-w.mails:
			if link := links.FindString(strings.ReplaceAll(mail, "=\r\n", "")); link != "" { // lines are broken
				return link
			}
		case <-late:
			w.t.Fatalf("no mail with a link to /%s/ came", page)
		}
	}
}

// invite invites somebody by mail, who joins by its link.
func (w *office) invite(name string) {
	w.t.Helper()
	call(w.t, w.api, w.ada, http.MethodPost, "/users/me/subscriptions", form{"subscriptions": `[{"name":"quay"}]`}, nil)
	quay := struct {
		ID int64 `json:"stream_id"`
	}{}
	call(w.t, w.api, w.ada, http.MethodGet, "/get_stream_id", form{"stream": "quay"}, &quay)
	call(w.t, w.api, w.ada, http.MethodPost, "/invites", form{"invitee_emails": name + "@harbour.example", "stream_ids": fmt.Sprintf("[%d]", quay.ID)}, nil)
	link := w.link("join")
	b := w.browser(w.site)
	b.open(link).says(w.t, name+"@harbour.example")
	b.submit(link, form{"full_name": name + " of the harbour", "password": password})
	b.me() // who joins is signed in
}

// photo is a picture that is large enough to have a thumbnail.
func photo(t *testing.T) []byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 900, 600))
	for x := range 900 {
		for y := range 600 {
			picture.Set(x, y, color.RGBA{uint8(rand.Uint32()), uint8(x), uint8(y), 255})
		}
	}
	var content bytes.Buffer
	if err := png.Encode(&content, picture); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}

// TestPeople has somebody invited by mail, who joins, signs in with a password and by the identity provider, shows a picture
// to others, and is shut out by a resource; and somebody who founds an organization, and ends it.
func TestPeople(t *testing.T) {
	install(t)
	t.Parallel()
	w := newOffice(t)
	w.invite("grace")

	byPassword, byProvider := w.browser(w.site), w.browser(w.site)
	if got := byPassword.call(http.MethodPost, "/sessions", form{"username": "grace@harbour.example", "password": "another"}, nil); got != http.StatusForbidden {
		t.Errorf("a wrong password got %d", got)
	}
	byPassword.call(http.MethodPost, "/sessions", form{"username": "grace@harbour.example", "password": password}, &struct{}{})
	byProvider.signIn("grace")
	grace := byPassword.me()
	if got := byProvider.me(); got != grace {
		t.Errorf("by the provider %s is signed in, and by a password %s", got, grace)
	}
	if got := w.browser(w.site).signIn("stranger"); got.status != http.StatusForbidden {
		t.Errorf("a stranger got %d: %s", got.status, got.text)
	}
	w.pictures(byProvider)
	w.deactivate(byProvider, grace)

	founder := w.found("mill", "eve@corp.example")
	eve := w.enter(founder, "eve@corp.example")
	founder.call(http.MethodPost, "/realm/deactivate", nil, &struct{}{})
	eve.shutOut(time.Now())
	if got := statusFor(t, w.api, w.ada); got != http.StatusOK {
		t.Errorf("in the other organization, a key got %d", got)
	}
}

// attribute reads one of the image in a message.
func attribute(rendered, name string) string {
	_, value, _ := strings.Cut(rendered, " "+name+`="`)
	value, _, _ = strings.Cut(value, `"`)
	return strings.ReplaceAll(value, "&amp;", "&")
}

// pictures has a picture of somebody's be in the bucket and in a message.
func (w *office) pictures(of *browser) {
	w.t.Helper()
	sent := photo(w.t)
	of.call(http.MethodPost, "/messages", form{"type": "stream", "to": "quay", "topic": "ships", "content": "[Ship](" + of.upload("ship.png", sent) + ")"}, &struct{}{})
	if w.stored(w.t) == 0 {
		w.t.Error("there is nothing in the bucket")
	}
	shown := struct {
		Messages []message `json:"messages"`
	}{}
	call(w.t, w.api, w.ada, http.MethodGet, "/messages", form{"anchor": "newest", "num_before": "1", "num_after": "0", "narrow": `[{"operator":"stream","operand":"quay"}]`}, &shown)
	if len(shown.Messages) != 1 {
		w.t.Fatalf("there are messages %+v", shown.Messages)
	}
	rendered := shown.Messages[0].Content
	whole := of.open(attribute(rendered, "data-src-fullsize"))
	if got, err := png.Decode(strings.NewReader(whole.text)); err != nil || got.Bounds().Size() != image.Pt(900, 600) {
		w.t.Errorf("the picture of %s: %d, %v", rendered, whole.status, err)
	}
	small := of.open(attribute(rendered, "src"))
	if got, kind, err := image.Decode(strings.NewReader(small.text)); err != nil || kind != "jpeg" || got.Bounds().Dx() >= 900 {
		w.t.Errorf("its thumbnail: %d, %s, %v", small.status, kind, err)
	}
	if got := w.browser(w.site).open(attribute(rendered, "src")); got.status == http.StatusOK {
		w.t.Error("somebody who isn't signed in sees the thumbnail")
	}
}

// deactivate has a resource deactivate somebody whom a browser is signed in as.
func (w *office) deactivate(b *browser, id string) {
	w.t.Helper()
	user := `
apiVersion: chatserver.dev/v1alpha1
kind: User
metadata: {name: grace}
spec: {organizationRef: {name: org}, email: grace@harbour.example, adopt: true}
`
	apply(w.t, people, user)
	ready(w.t, people, "user/grace")
	grace := w.enter(b, "grace@harbour.example")
	patch(w.t, people, "user/grace", `{"spec":{"state":"Deactivated"}}`)
	eventually(w.t, time.Minute, func() error {
		found := struct {
			User struct {
				IsActive bool `json:"is_active"`
			} `json:"user"`
		}{}
		call(w.t, w.api, w.ada, http.MethodGet, "/users/"+id, nil, &found)
		if found.User.IsActive {
			return errors.New("the account is active")
		}
		return nil
	})
	grace.shutOut(time.Now())
	if got := w.browser(w.site).signIn("grace"); got.status != http.StatusForbidden {
		w.t.Errorf("by the provider, %d: %s", got.status, got.text)
	}
	ready(w.t, people, "user/grace")
}
