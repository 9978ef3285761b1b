package reply_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mail"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/reply"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

func TestAddress(t *testing.T) {
	t.Parallel()
	const in, org = gateway.Pattern("*@in.chat.example"), id.Org(7)
	db, url := storetest.OpenURL(t)
	now := time.Now()
	to := message.Place{Stream: 3, Topic: "lünch"}
	address, off := "", "unset"
	err := db.Write(t.Context(), org, func(tx *store.Tx) (err error) {
		if address, err = reply.Address(t.Context(), tx, in, 5, to, now); err != nil {
			return err
		}
		off, err = reply.Address(t.Context(), tx, "", 5, to, now)
		return err
	})
	r, ok := in.Parse(strings.ToUpper(address))
	if err != nil || !ok || r.Org != org || off != "" {
		t.Fatalf("%q, %q, %v", address, off, err)
	}
	read := func(ctx context.Context, org id.Org, token string, at time.Time) (meaning reply.Meaning, err error) {
		err = db.Read(ctx, org, func(tx *store.Tx) (err error) {
			meaning, err = reply.Read(ctx, tx, token, at)
			return err
		})
		return meaning, err
	}
	for range 2 { // it may be used again
		if got, err := read(t.Context(), org, r.Reply, now.Add(13*24*time.Hour)); err != nil || got != (reply.Meaning{User: 5, To: to}) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for what, try := range map[string]struct {
		org   id.Org
		token string
		after time.Duration
	}{
		"too late":                 {org, r.Reply, 15 * 24 * time.Hour},
		"in another organization":  {8, r.Reply, 0},
		"with another token":       {org, strings.Repeat("A", 26), 0},
		"with what is stored here": {org, storetest.Values[string](storetest.Connect(t, url), `select upper(left(encode(token_hash, 'hex'), 26)) from mail_links`)[0], 0},
	} {
		if got, err := read(t.Context(), try.org, try.token, now.Add(try.after)); !errors.Is(err, mail.ErrNoLink) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
}
