package openid_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// While a provider doesn't respond, those who wait for it wait once together, and not one after another.
func TestSilentDiscovery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const path = "/.well-known/openid-configuration"
	_, end := w.idp.hold(path)
	defer end()
	first := make(chan int)
	go func() { first <- w.browser().get(signIn).Code }()
	for w.idp.count(path) == 0 {
		time.Sleep(time.Millisecond)
	}
	w.later.Store(int64(time.Minute)) // it has waited for long
	w.idp.set(func() { w.idp.broken = true })
	end()
	if code := <-first; code != http.StatusBadGateway {
		t.Errorf("status %d", code)
	}
	w.browser().fails(w.browser().get(signIn), http.StatusBadGateway, "doesn&#39;t respond")
	if n := w.idp.count(path); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
	// Later, one of them waits for it, and the others don't.
	w.later.Store(int64(2 * time.Minute))
	w.idp.set(func() { w.idp.broken = false })
	_, end = w.idp.hold(path)
	defer end()
	go func() { first <- w.browser().get(signIn).Code }()
	for w.idp.count(path) == 1 {
		time.Sleep(time.Millisecond)
	}
	w.browser().fails(w.browser().get(signIn), http.StatusBadGateway, "doesn&#39;t respond")
	end()
	if code := <-first; code != http.StatusFound {
		t.Errorf("status %d", code)
	}
}

// A provider that doesn't respond to codes is left alone for a while: nobody else waits for it, or signs in there in vain.
func TestSilentExchange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, other := w.browser(), w.browser()
	back, others := w.idp.allow(b.leave(signIn), ann(nil)), w.idp.allow(other.leave(signIn), ann(nil))
	_, end := w.idp.hold("/token")
	defer end()
	waits := make(chan int)
	go func() { waits <- b.back(back).Code }()
	for w.idp.count("/token") == 0 {
		time.Sleep(time.Millisecond)
	}
	w.later.Store(int64(time.Minute)) // it has waited for long
	w.idp.set(func() { w.idp.broken = true })
	end()
	if code := <-waits; code != http.StatusBadGateway {
		t.Errorf("status %d", code)
	}
	w.idp.set(func() { w.idp.broken = false })
	asked := w.idp.count("/token")
	other.fails(other.back(others), http.StatusBadGateway, "doesn&#39;t respond")
	b.fails(b.get(signIn), http.StatusBadGateway, "doesn&#39;t respond")
	if n := w.idp.count("/token"); n != asked {
		t.Errorf("it got %d more codes", n-asked)
	}
	w.later.Store(int64(2 * time.Minute))
	if answer := b.visit(signUp, ann(nil)); answer.Code != http.StatusOK || b.in() == "" {
		t.Errorf("later: %d %s", answer.Code, answer.Body)
	}
}

// People who wait for a provider don't keep others from signing in by another one.
func TestSlowExchanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	more, end := w.idp.hold("/token")
	defer end()
	waiting := sync.WaitGroup{}
	for range 32 {
		b := w.browser()
		back := w.idp.allow(b.leave(signIn), ann(nil))
		waiting.Go(func() { b.back(back) })
	}
	for w.idp.count("/token") < 32 {
		time.Sleep(time.Millisecond)
	}
	more()
	b := w.browser()
	b.fails(b.visit(signIn, ann(nil)), http.StatusServiceUnavailable, "Too many people")
	if answer := b.visit(atAcme+"/accounts/register/social/idp_3", ann(nil)); answer.Code != http.StatusOK || b.in() == "" {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	end()
	waiting.Wait()
}

// The time to verify a signature grows with the square of the key's length, so keys for long ones aren't even requested.
func TestLongSignature(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	long := func(header, claims map[string]any) string {
		return unsigned(header, claims) + "." + strings.Repeat("A", 1367)
	}
	b.fails(b.visit(signIn, grant{token: ann(nil).token, sign: long}), http.StatusForbidden, "didn&#39;t confirm")
	if n := w.idp.count("/jwks"); n != 0 {
		t.Errorf("keys were requested %d times", n)
	}
}
