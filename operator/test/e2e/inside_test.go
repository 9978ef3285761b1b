//go:build e2e

package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// inside is somebody who uses an organization in every way: in a browser whose page has a stream of events, by a program whose poll
// waits, and by an incoming webhook. Together they are at all three services.
type inside struct {
	w       *office
	browser *browser
	program account
	hook    string // the webhook's address
	poll    chan ending
	stream  chan ending
}

// ending is when and why events came no more.
type ending struct {
	at  time.Time
	why error
}

// enter has somebody use an organization whom a browser is signed in as, and whose password is the one for everything.
func (w *office) enter(b *browser, email string) *inside {
	w.t.Helper()
	at, err := url.Parse(b.site)
	if err != nil {
		w.t.Fatal(err)
	}
	in := &inside{w: w, browser: b, poll: make(chan ending, 1), stream: make(chan ending, 1)}
	issued := struct {
		Key string `json:"api_key"`
	}{}
	call(w.t, w.api, account{site: at.Host}, http.MethodPost, "/fetch_api_key", form{"username": email, "password": password}, &issued)
	in.program = account{site: at.Host, email: email, key: issued.Key}
	call(w.t, w.api, in.program, http.MethodPost, "/bots", form{"full_name": "Buoy", "short_name": "buoy", "bot_type": "2"}, &issued)
	in.hook = "/api/v1/external/helloworld?api_key=" + issued.Key

	session := account{site: at.Host}
	for _, cookie := range b.client.Jar.Cookies(at) {
		session.session = cookie.Name + "=" + cookie.Value
	}
	polled, streamed := make(chan message, 100), make(chan message, 100) // others may send, too
	in.follow(in.program, in.poll, func(q *queue) error {
		messages, err := q.poll()
		for _, m := range messages {
			polled <- m
		}
		return err
	})
	in.follow(session, in.stream, func(q *queue) error {
		_, err := q.stream(func(m message) bool { streamed <- m; return true })
		return err
	})
	if got := in.webhook(); got != http.StatusOK {
		w.t.Fatalf("the webhook got %d", got)
	}
	for what, came := range map[string]chan message{"poll": polled, "stream": streamed} {
		select {
		case <-came:
		case <-time.After(time.Minute):
			w.t.Fatalf("no message came by the %s", what)
		}
	}
	return in
}

// follow waits for events again and again, until that fails.
func (in *inside) follow(as account, ended chan<- ending, wait func(*queue) error) {
	in.w.t.Helper()
	q, err := register(in.w.events, as)
	if err != nil {
		in.w.t.Fatal(err)
	}
	in.w.t.Cleanup(q.close)
	go func() {
		for err == nil {
			err = wait(q)
		}
		ended <- ending{time.Now(), err}
	}()
}

// webhook sends a message to its owner by the webhook, and returns the status.
func (in *inside) webhook() int {
	in.w.t.Helper()
	c := &connection{address: in.w.webhook}
	defer c.close()
	err := c.post(account{site: in.program.site}, http.MethodPost, in.hook, "application/json", `{"featured_title": "Tides", "featured_url": "https://tides.example"}`, nil)
	if no := (*refusal)(nil); errors.As(err, &no) {
		return no.status
	}
	if err != nil {
		in.w.t.Fatal(err)
	}
	return http.StatusOK
}

// shutOut checks that all of it ends within 3 seconds of a moment.
func (in *inside) shutOut(since time.Time) {
	in.w.t.Helper()
	end := since.Add(3 * time.Second)
	refused := func(what string, want int, status func() int) {
		in.w.t.Helper()
		eventually(in.w.t, time.Until(end), func() error {
			if got := status(); got != want {
				return fmt.Errorf("the %s got %d", what, got)
			}
			return nil
		})
	}
	refused("browser", http.StatusUnauthorized, func() int { return in.browser.call(http.MethodGet, "/users/me", nil, nil) })
	refused("key", http.StatusUnauthorized, func() int { return statusFor(in.w.t, in.w.api, in.program) })
	for what, ended := range map[string]chan ending{"poll": in.poll, "stream": in.stream} {
		select {
		case got := <-ended:
			if no := (*refusal)(nil); !errors.As(got.why, &no) || no.status != http.StatusUnauthorized {
				in.w.t.Errorf("the %s ended with %v", what, got.why)
			}
			in.w.t.Logf("the %s has ended after %s", what, got.at.Sub(since).Round(time.Millisecond))
		case <-time.After(time.Until(end)):
			in.w.t.Errorf("the %s goes on", what)
		}
	}
	refused("webhook", http.StatusBadRequest, in.webhook) // what it sends would end the poll
	if got := in.w.browser(in.browser.site).call(http.MethodPost, "/sessions", form{"username": in.program.email, "password": password}, nil); got != http.StatusForbidden {
		in.w.t.Errorf("the password got %d", got)
	}
}

// found has somebody found an organization by a link in a mail, and returns their browser, which is signed in to it.
func (w *office) found(subdomain, email string) *browser {
	w.t.Helper()
	b := w.browser(w.site)
	b.submit(w.site+"/new/", form{"email": email})
	link := w.link("new")
	b.open(link).says(w.t, email)
	site := strings.Replace(w.site, "://", "://"+subdomain+".", 1)
	b.submit(link, form{"organization": "The " + subdomain, "subdomain": subdomain, "full_name": "Founder", "password": password}).says(w.t, site)
	b = w.browser(site)
	b.call(http.MethodPost, "/sessions", form{"username": email, "password": password}, &struct{}{})
	return b
}
