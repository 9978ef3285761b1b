//go:build e2e

package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// streamAndBots has a stream in the first organization, and bots that are subscribed to it; name is the stream's.
// The Secrets are named like the bots: name-0, name-1.
func streamAndBots(t *testing.T, name string, bots int) []account {
	t.Helper()
	var documents strings.Builder
	fmt.Fprintf(&documents, `
apiVersion: chatserver.dev/v1alpha1
kind: Stream
metadata: {name: %[1]s}
spec: {organizationRef: {name: %[2]s}, name: %[1]s, adopt: true}
`, name, server)
	objects := []string{"stream/" + name}
	for i := range bots {
		fmt.Fprintf(&documents, `---
apiVersion: chatserver.dev/v1alpha1
kind: Bot
metadata: {name: %[1]s-%[3]d}
spec:
  organizationRef: {name: %[2]s}
  fullName: %[1]s %[3]d
  subscriptions: [%[1]s]
  adopt: true
  credentials: {secretName: %[1]s-%[3]d}
`, name, server, i)
		objects = append(objects, fmt.Sprintf("bot/%s-%d", name, i))
	}
	apply(t, chat, documents.String())
	ready(t, chat, objects...)
	accounts := make([]account, bots)
	for i := range accounts {
		accounts[i] = accountIn(t, chat, fmt.Sprintf("%s-%d", name, i))
	}
	return accounts
}

// TestMessageInEventOut sends a message through one Service and gets its event through another.
func TestMessageInEventOut(t *testing.T) {
	install(t)
	accounts := streamAndBots(t, "hello", 2)
	api, events := address(t, chat, server+"-api"), address(t, chat, server+"-events")
	q, err := register(events, accounts[1])
	if err != nil {
		t.Fatal(err)
	}
	defer q.close()
	sent := struct {
		ID int64 `json:"id"`
	}{}
	call(t, api, accounts[0], http.MethodPost, "/messages", form{"type": "stream", "to": "hello", "topic": "first", "content": "message in, event out"}, &sent)
	if got := q.await(t, "message in, event out"); got.ID != sent.ID || got.Sender != accounts[0].email {
		t.Errorf("message %d of %s came, and %d of %s was sent", got.ID, got.Sender, sent.ID, accounts[0].email)
	}
	stranger := accounts[0]
	stranger.key = "12345678901234567890123456789012"
	if got := statusFor(t, api, stranger); got != http.StatusUnauthorized {
		t.Errorf("a wrong key got %d", got)
	}
}
