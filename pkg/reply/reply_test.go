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
	sql := storetest.Connect(t, url)
	sql.Exec("insert into organizations (org_id, subdomain, name) values ($1, 'plant', 'Plant')", int64(org))
	who := id.User(storetest.Values[int64](sql, "insert into users (org_id, email, full_name) values ($1, 'bob@plant.example', 'Bob') returning user_id", int64(org))[0])
	address, off := "", "unset"
	err := db.Write(t.Context(), org, func(tx *store.Tx) (err error) {
		if address, err = reply.Address(t.Context(), tx, in, who, to, now); err != nil {
			return err
		}
		off, err = reply.Address(t.Context(), tx, "", who, to, now)
		return err
	})
	r, ok := in.Parse(strings.ToUpper(address))
	if err != nil || !ok || r.Org != org || off != "" {
		t.Fatalf("%q, %q, %v", address, off, err)
	}
	read := func(ctx context.Context, org id.Org, token string, at time.Time) (to reply.Destination, err error) {
		err = db.Read(ctx, org, func(tx *store.Tx) (err error) {
			to, err = reply.Read(ctx, tx, token, at)
			return err
		})
		return to, err
	}
	for range 2 { // it may be used again
		if got, err := read(t.Context(), org, r.Reply, now.Add(13*24*time.Hour)); err != nil || got.User != who || got.To != to {
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
		"with what is stored here": {org, storetest.Values[string](sql, `select upper(left(encode(token_hash, 'hex'), 26)) from mail_links`)[0], 0},
	} {
		if got, err := read(t.Context(), try.org, try.token, now.Add(try.after)); !errors.Is(err, mail.ErrNoLink) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	sql.Exec("update users set email = 'new@plant.example'")
	if got, err := read(t.Context(), org, r.Reply, now); !errors.Is(err, mail.ErrNoLink) {
		t.Errorf("with another address of the account: %+v, %v", got, err)
	}
	sql.Exec("update users set email = 'bob@plant.example'")
	if _, err := read(t.Context(), org, r.Reply, now); err != nil {
		t.Errorf("with the former address again: %v", err)
	}
	sql.Exec("delete from users")
	if got, err := read(t.Context(), org, r.Reply, now); !errors.Is(err, mail.ErrNoLink) {
		t.Errorf("without the account: %+v, %v", got, err)
	}
}
