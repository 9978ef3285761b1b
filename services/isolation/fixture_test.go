package isolation_test

import (
	"net/http"
	"strconv"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

// secret is a part of every name in the second organization, and occurs nowhere else.
const secret = "zorblax"

// world is a server with two organizations that have objects of all kinds.
type world struct {
	*servicetest.World
	db                       *storetest.Session
	rival                    org.Org
	own                      servicetest.Account // of the first organization, its owner
	victim                   servicetest.Account // of the second one
	bot                      servicetest.Account // of the second one
	stream                   int64               // of the second one
	message                  int64               // of the second one, in its stream
	session                  int64               // of the second one
	group                    int64               // of the second one
	field                    int64               // of the second one
	device                   int64               // of the second one
	invitation, link, export int64               // of the second one
	file                     string              // of the second one: what follows /user_uploads/ in its address
	upload                   int64               // its id
	queue                    *servicetest.Queue  // the victim's
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: servicetest.New(t)}
	w.db = storetest.Connect(t, w.DatabaseURL)
	w.rival = w.NewOrg(secret)
	w.own = w.Account(w.Org, user.Draft{FullName: "Ann", Role: actor.Owner})
	w.victim = w.Account(w.rival, user.Draft{FullName: secret + " person", Role: actor.Owner})
	w.bot = w.Account(w.rival, user.Draft{FullName: secret + " bot", Role: actor.Member, Bot: actor.GenericBot, Owner: w.victim.ID})
	w.furnish(w.own, "Ann", "hall")
	w.furnish(w.victim, secret+" person", secret+" hall")
	w.stream = storetest.Values[int64](w.db, "select stream_id from streams where org_id = $1", w.rival.ID)[0]
	w.message = storetest.Values[int64](w.db, "select message_id from messages where stream_id = $1", w.stream)[0]
	w.session = storetest.Values[int64](w.db, "select login_id from logins where org_id = $1", w.rival.ID)[0]
	w.group = storetest.Values[int64](w.db, "select group_id from user_groups where org_id = $1", w.rival.ID)[0]
	w.field = storetest.Values[int64](w.db, "select field_id from profile_fields where org_id = $1", w.rival.ID)[0]
	w.export = storetest.Values[int64](w.db, "select export_id from realm_exports where org_id = $1", w.rival.ID)[0]
	w.device = storetest.Values[int64](w.db, "select device_id from push_devices where org_id = $1", w.rival.ID)[0]
	w.invitation = storetest.Values[int64](w.db, "select invitation_id from invitations where org_id = $1 and link is null", w.rival.ID)[0]
	w.link = storetest.Values[int64](w.db, "select invitation_id from invitations where org_id = $1 and link is not null", w.rival.ID)[0]
	w.file = storetest.Values[string](w.db, "select path || '/' || slug from attachments where org_id = $1", w.rival.ID)[0]
	w.upload = storetest.Values[int64](w.db, "select attachment_id from attachments where org_id = $1", w.rival.ID)[0]
	w.queue = w.victim.Register(params{"all_public_streams": true})
	return w
}

// furnish adds a row to every table in an account's organization.
func (w *world) furnish(a servicetest.Account, name, stream string) {
	w.T.Helper()
	a.Subscribe(stream)
	a.SendStream(stream, stream+" topic", stream+" text @**"+name+"**")
	a.SendStream(stream, stream+" topic", "["+stream+"]("+a.Upload(stream+".png", stream)+")")
	a.Do(http.MethodPost, "/messages", params{"type": "private", "to": []int64{int64(a.ID)}, "content": stream}).OK()
	a.Do(http.MethodPost, "/users/me/presence", params{"status": "active", "client": stream}).OK()
	for _, sql := range []string{
		`insert into profile_fields (org_id, name, type, position) values ($1, '` + stream + `', 1, 1)`,
		`insert into profile_values (org_id, user_id, field_id, value)
			select u.org_id, max(user_id), max(field_id), '` + stream + `' from users u join profile_fields using (org_id) where org_id = $1 group by 1`,
		`insert into muted_topics (org_id, user_id, stream_id, topic)
			select org_id, user_id, stream_id, '` + stream + `' from subscriptions where org_id = $1 limit 1`,
		`insert into topic_marks (org_id, user_id, stream_id, topic_key)
			select org_id, user_id, stream_id, '` + stream + `' from subscriptions where org_id = $1 limit 1`,
		`insert into unread_again (org_id, user_id, messages) select org_id, min(user_id), '{[1,2)}' from users where org_id = $1 group by 1`,
		`insert into reactions (org_id, message_id, user_id, reaction_type, emoji_code, emoji_name)
			select org_id, message_id, sender_id, 'unicode_emoji', '1f44d', '` + stream + `' from messages where org_id = $1 limit 1`,
		`insert into deleted_messages (org_id, message_id, message, deleted_by)
			select org_id, 0, to_jsonb('` + stream + `'::text), min(user_id) from users where org_id = $1 group by 1`,
		`insert into alert_words (org_id, user_id, word) select org_id, min(user_id), '` + stream + `' from users where org_id = $1 group by 1`,
		`insert into user_statuses (org_id, user_id, text) select org_id, min(user_id), '` + stream + `' from users where org_id = $1 group by 1`,
		`insert into passwords (org_id, user_id, hash) select org_id, min(user_id), '` + stream + `' from users where org_id = $1 group by 1`,
		`insert into logins (org_id, user_id, key_hash, client) select org_id, min(user_id), '` + stream + `'::bytea, '` + stream + `' from users where org_id = $1 group by 1`,
		`insert into bot_services (org_id, user_id, url, interface, token) select org_id, min(user_id), '` + stream + `', 1, '` + stream + `' from users where org_id = $1 group by 1`,
		`insert into bot_configs (org_id, user_id, config) select org_id, min(user_id), '{}' from users where org_id = $1 group by 1`,
		`insert into webhook_calls (org_id, user_id, message_id, cause, due_at) select org_id, min(user_id), 1, 'mention', 'infinity' from users where org_id = $1 group by 1`,
		`insert into bot_storage (org_id, user_id, key, value) select org_id, max(user_id), '` + stream + `', '` + stream + `' from users where org_id = $1 group by 1`,
		`insert into identities (org_id, issuer, subject, user_id) select org_id, 'https://login.example', '` + stream + `', min(user_id) from users where org_id = $1 group by 1`,
		`insert into scheduled_messages (org_id, sender_id, conversation_id, topic, content, client, reminder, deliver_at, due_at)
			select org_id, min(user_id), 1, '', 'x', 'x', false, 'infinity', 'infinity' from users where org_id = $1 group by 1`,
		`insert into drafts (org_id, user_id, topic, content, changed_at) select org_id, min(user_id), '', '` + stream + `', now() from users where org_id = $1 group by 1`,
		`insert into idempotency_keys (org_id, sender_id, key_hash, request_hash) select org_id, min(user_id), '` + stream + `'::bytea, '` + stream + `'::bytea from users where org_id = $1 group by 1`,
		`insert into missed_mails (org_id, user_id, messages) select org_id, min(user_id), '{1}' from users where org_id = $1 group by 1`,
		`insert into push_devices (org_id, user_id, login_id, endpoint, p256dh, auth, client, messages)
			select org_id, min(user_id), min(login_id), '` + stream + `', '` + stream + `'::bytea, '` + stream + `'::bytea, '` + stream + `', '{1}' from logins where org_id = $1 group by 1`,
		`insert into push_tokens (org_id, user_id, service, hash) select org_id, min(user_id), 'gcm', sha256('` + stream + `'::bytea) from users where org_id = $1 group by 1`,
		`insert into missed_places (shard, xid, id) select o.org_id % (select shards from installation), '1', 0 from organizations o where o.org_id = $1 on conflict do nothing`,
		`insert into digests (org_id, day, user_id, done) values ($1, '2000-01-01', 0, true)`,
		`insert into received_mails (org_id, mail_hash) values ($1, '` + stream + `'::bytea)`,
		`insert into scim_tokens (org_id, token_hash) values ($1, '` + stream + `'::bytea)`,
		`insert into scim_users (org_id, user_id, user_name) select org_id, min(user_id), '` + stream + `' from users where org_id = $1 group by 1`,
		`insert into imports (org_id, archive) values ($1, '` + stream + `'::bytea)`,
		`insert into import_ids (org_id, kind, source, id) values ($1, 'stream', 1, 2)`,
		`insert into import_portions (org_id, portion, messages) values ($1, 1, '{1}')`,
		`insert into realm_exports (org_id, acting_user_id) select org_id, min(user_id) from users where org_id = $1 group by 1`,
		`insert into external_keys (org_id, kind, external_key, object_id) select org_id, 'bot', '` + stream + `', min(user_id) from users where org_id = $1 group by 1`,
		`insert into submessages (org_id, message_id, sender_id, msg_type, content)
			select org_id, message_id, sender_id, 'widget', '"` + stream + `"' from messages where org_id = $1 limit 1`,
		`update messages set flags = flags | 64 where message_id in (select message_id from submessages where org_id = $1)`,
		`insert into user_groups (org_id, name, description, members) select org_id, '` + stream + ` group', '` + stream + `', array_agg(user_id) from users where org_id = $1 group by 1`,
		`insert into mails (org_id, kind, address, state, due_at) values ($1, '` + stream + `', '` + stream + `', '{}', 'infinity')`,
		`insert into mail_links (org_id, token_hash, kind, state, ends_at) values ($1, '` + stream + `'::bytea, '` + stream + `', '{}', 'infinity')`,
		`insert into invitations (org_id, inviter_id, email, role, streams, invited_at)
			select org_id, min(user_id), '` + stream + `@corp.example', 400, '{}', now() from users where org_id = $1 group by 1`,
		`insert into invitations (org_id, inviter_id, link, role, streams, invited_at)
			select org_id, min(user_id), '` + stream + `', 400, '{}', now() from users where org_id = $1 group by 1`,
		`insert into email_domains (org_id, domain, allow_subdomains) values ($1, replace('` + stream + `.example', ' ', '-'), true)`,
		`insert into linkifiers (org_id, pattern, url_format) values ($1, '` + stream + `(?P<id>x)', 'https://` + stream + `/%(id)s')`,
		`insert into default_stream_groups (org_id, name, description) values ($1, '` + stream + `', '` + stream + `')`,
		`insert into default_stream_group_streams (org_id, group_id, stream_id)
			select org_id, group_id, stream_id from default_stream_groups join streams using (org_id) where org_id = $1 limit 1`,
		`insert into changes (org_id, kind, state, due_at) values ($1, '` + stream + `', '{}', 'infinity')`,
		`insert into unkept_files (org, path, due_at) values ($1, '` + stream + `', 'infinity')`,
		`insert into emoji (org_id, name, author_id, path, animated)
			select f.org_id, replace('` + stream + `', ' ', '_'), min(user_id), min(path), false from users u join files f using (org_id) where f.org_id = $1 group by 1`,
		// A table with rows in a partition of its own also gets a row in the default partition, so that no table is
		// empty.
		`insert into event_log_rest (org_id, shard, type, payload, audience, created_at) values ($1, 0, 'note', '{}', '{}', 'epoch')`,
	} {
		w.db.Exec(sql, a.Org.ID)
	}
}

// tables returns the tables with a column org_id.
func (w *world) tables() []string {
	w.T.Helper()
	return storetest.Values[string](w.db, `select relname::text from pg_class c join pg_attribute a on attrelid = c.oid
		where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attname = 'org_id' order by 1`)
}

// contents returns all rows of an organization.
func (w *world) contents(o org.Org) map[string][]string {
	w.T.Helper()
	all := map[string][]string{}
	for _, table := range w.tables() {
		all[table] = storetest.Values[string](w.db, `select to_jsonb(t)::text from "`+table+`" t where org_id = $1 order by 1`, o.ID)
	}
	return all
}

func number[T ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }
