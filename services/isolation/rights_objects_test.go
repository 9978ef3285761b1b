package isolation_test

import (
	"maps"
	"net/http"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
)

// making makes an object that a caller's call is about, and returns its number or name.
type making = func(w *rights, c *caller) string

// calling returns what replaces the parameter of the path, and the parameters. It makes a new object for that.
type calling = func(w *rights, c *caller) (object string, p params)

// choosing returns the account whose object is made for a caller.
type choosing = func(w *rights, c *caller) *caller

// with returns a call with fixed parameters, about no object.
func with(p params) calling {
	return func(*rights, *caller) (string, params) { return "", p }
}

// of returns a call with fixed parameters, about an object.
func of(object making, p params) calling {
	return func(w *rights, c *caller) (string, params) { return object(w, c), p }
}

// named returns a call in which the parameter name has a new name.
func named(name string, p params) calling {
	return about(name, func(w *rights, _ *caller) string { return w.fresh() }, p)
}

// about returns a call in which the parameter name is an object.
func about(name string, object making, p params) calling {
	return func(w *rights, c *caller) (string, params) {
		full := params{name: object(w, c)}
		maps.Copy(full, p)
		return "", full
	}
}

func mias(stream string) making {
	return func(w *rights, _ *caller) string { return number(w.mia.SendStream(stream, "t", "text")) }
}

func ownMessage(w *rights, c *caller) string { return number(c.SendStream("hall", "t", "text")) }

func deletedMessage(w *rights, c *caller) string {
	sent := mias("hall")(w, c)
	w.callers[0].Do(http.MethodDelete, "/messages/"+sent, nil).OK()
	return sent
}

func hall(w *rights, _ *caller) string { return number(w.hall) }
func den(w *rights, _ *caller) string  { return number(w.den) }

func openStream(w *rights, _ *caller) string { return number(w.mia.NewStream(w.fresh(), nil)) }
func closedStream(w *rights, _ *caller) string {
	return number(w.mia.NewStream(w.fresh(), params{"invite_only": true}))
}

func archivedStream(w *rights, c *caller) string {
	made := openStream(w, c)
	w.callers[0].Do(http.MethodDelete, "/streams/"+made, nil).OK()
	return made
}

// row returns an object that SQL inserts for an account: $1 is the organization, $2 the account, $3 a new name.
func row(sql string, owner choosing) making {
	return func(w *rights, c *caller) string {
		return number(storetest.Values[int64](w.db, sql, w.Org.ID, owner(w, c).ID, w.fresh())[0])
	}
}

func own(_ *rights, c *caller) *caller     { return c }
func ofOwner(w *rights, _ *caller) *caller { return w.callers[0] }

// person returns a new person with a role.
func person(role actor.Role) making {
	return func(w *rights, _ *caller) string { return w.Person("Like "+w.fresh(), role).ID.String() }
}

func gone(role actor.Role) making {
	return func(w *rights, c *caller) string {
		made := person(role)(w, c)
		w.callers[0].Do(http.MethodDelete, "/users/"+made, nil).OK()
		return made
	}
}

// botOf returns a new bot with a role.
func botOf(role actor.Role, owner choosing) making {
	return func(w *rights, c *caller) string {
		of := owner(w, c)
		made := w.Bot("Bot "+w.fresh(), actor.GenericBot, of.Account).ID.String()
		w.db.Exec("update users set role = $1 where org_id = $2 and user_id = $3::bigint", role, w.Org.ID, made)
		return made
	}
}

func goneBot(role actor.Role, owner choosing) making {
	return func(w *rights, c *caller) string {
		made := botOf(role, owner)(w, c)
		w.db.Exec("update users set active = false where org_id = $1 and user_id = $2::bigint", w.Org.ID, made)
		return made
	}
}

const (
	draftSQL     = "insert into drafts (org_id, user_id, topic, content, changed_at) values ($1, $2, '', $3, now()) returning draft_id"
	scheduledSQL = `insert into scheduled_messages (org_id, sender_id, stream_id, topic, content, client, reminder, deliver_at, due_at)
		values ($1, $2, (select min(stream_id) from streams), 't', $3, 'x', false, 'infinity', 'infinity') returning scheduled_id`
	groupSQL   = "insert into user_groups (org_id, name, description, members) values ($1, $3, '', array[$2::bigint]) returning group_id"
	loginSQL   = "insert into logins (org_id, user_id, key_hash, client) values ($1, $2, sha256($3::bytea), 'x') returning login_id"
	inviteSQL  = "insert into invitations (org_id, inviter_id, email, role, streams) values ($1, $2, $3 || '@corp.example', 400, '{}') returning invitation_id"
	linkSQL    = "insert into invitations (org_id, inviter_id, link, role, streams) values ($1, $2, $3, 400, '{}') returning invitation_id"
	ownersSQL  = "insert into invitations (org_id, inviter_id, email, role, streams) values ($1, $2, $3 || '@corp.example', 100, '{}') returning invitation_id"
	ownLinkSQL = "insert into invitations (org_id, inviter_id, link, role, streams) values ($1, $2, $3, 100, '{}') returning invitation_id"
	fieldSQL   = "insert into profile_fields (org_id, name, type, position) select $1, $3, 1, $2::bigint + 1 returning field_id"
	filterSQL  = "insert into linkifiers (org_id, pattern, url_format) select $1, $3 || '(?P<id>x)', 'https://x.example/%(id)s' where $2::bigint > 0 returning linkifier_id"
	streamsSQL = "insert into default_stream_groups (org_id, name, description) select $1, $3, '' where $2::bigint > 0 returning group_id"
	exportSQL  = "insert into realm_exports (org_id, acting_user_id) select $1, $2 where $3::text <> '' returning export_id"
	deviceSQL  = `insert into push_devices (org_id, user_id, login_id, endpoint, p256dh, auth, client, messages)
		values ($1, $2, null, 'https://push.example/' || $3, 'x', 'x', 'x', '{}') returning device_id`
)

func emoji(author choosing) making {
	return func(w *rights, c *caller) string {
		name := w.fresh()
		w.db.Exec(`insert into files (org_id, path, size) values ($1, $2, 1) on conflict do nothing`, w.Org.ID, name)
		w.db.Exec("insert into emoji (org_id, name, author_id, path, animated) values ($1, $2, $3, $2, false)", w.Org.ID, name, author(w, c).ID)
		return name
	}
}

func domainOf(w *rights, _ *caller) string {
	name := w.fresh() + ".example"
	w.db.Exec("insert into email_domains (org_id, domain, allow_subdomains) values ($1, $2, true)", w.Org.ID, name)
	return name
}

// uploaded returns a file of an account, or of Mia if it can't upload.
func uploaded(owner choosing) making {
	return func(w *rights, c *caller) string {
		by := owner(w, c)
		if by.Bot == actor.IncomingWebhook {
			by = w.mia
		}
		by.Upload(w.fresh(), "text")
		return number(storetest.Values[int64](w.db, "select max(attachment_id) from attachments where org_id = $1", w.Org.ID)[0])
	}
}

// otherThan returns an account that isn't the caller.
func otherThan(w *rights, c *caller) *caller {
	if c == w.mia {
		return w.bob
	}
	return w.mia
}
