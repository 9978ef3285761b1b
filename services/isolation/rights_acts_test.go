package isolation_test

import (
	"net/http"
	"slices"
	"strconv"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func acts() []act {
	return slices.Concat(messageActs(), streamActs(), subscriptionActs(), organizationActs(), ownActs(), peopleActs(), botActs(), otherActs())
}

func messageActs() []act {
	send := func(to string) calling {
		return with(params{"type": "stream", "to": to, "topic": "t", "content": "text"})
	}
	return []act{
		{route: "POST /api/v1/messages", on: "a public stream", call: send("hall")},
		{route: "POST /api/v1/messages", on: "a private stream", call: send("den")},
		{route: "POST /api/v1/messages", on: "a stream of administrators", call: func(w *rights, _ *caller) (string, params) {
			name := w.fresh()
			w.callers[0].NewStream(name, params{"stream_post_policy": 2})
			return send(name)(w, nil)
		}},
		{route: "POST /api/v1/messages", on: "an archived stream", call: func(w *rights, c *caller) (string, params) {
			return "", params{"type": "stream", "to": "[" + archivedStream(w, c) + "]", "topic": "t", "content": "text"}
		}},
		{route: "POST /api/v1/messages", on: "a private stream, later", call: with(params{
			"type": "stream", "to": "den", "topic": "t", "content": "text", "delivery_type": "send_later", "deliver_at": "2090-01-01 10:00", "tz_guess": "Europe/Vienna",
		})},
		{route: "POST /api/v1/messages", on: "a person", call: func(w *rights, _ *caller) (string, params) {
			return "", params{"type": "private", "to": lists(w.bob), "content": "text"}
		}},
		{route: "POST /api/v1/messages", on: "a public stream, as somebody else", call: with(params{
			"type": "stream", "to": "hall", "topic": "t", "content": "text", "sender": "bob@" + servicetest.Host, "forged": "yes", "client": "irc_mirror",
		})},
		{route: "PATCH /api/v1/messages/{message_id}", on: "the content of an own message", own: true, call: of(ownMessage, params{"content": "new"})},
		{route: "PATCH /api/v1/messages/{message_id}", on: "the content of a message in a public stream", call: of(mias("hall"), params{"content": "new"})},
		{route: "PATCH /api/v1/messages/{message_id}", on: "the content of a message in a private stream", call: of(mias("den"), params{"content": "new"})},
		{route: "PATCH /api/v1/messages/{message_id}", on: "the topic of a message in a public stream", call: of(mias("hall"), params{"topic": "new"})},
		{route: "PATCH /api/v1/messages/{message_id}", on: "the topic of a message in a private stream", call: of(mias("den"), params{"topic": "new"})},
		{route: "PATCH /api/v1/messages/{message_id}", on: "a deleted message", call: of(deletedMessage, params{"content": "new"})},
		{route: "PATCH /api/v1/messages/{message_id}", on: "the stream of a message, now a private one", call: func(w *rights, c *caller) (string, params) {
			return mias("hall")(w, c), params{"stream_id": w.den, "propagate_mode": "change_one"}
		}},
		{route: "PATCH /api/v1/messages/{message_id}", on: "the stream of a message in a private one", call: func(w *rights, c *caller) (string, params) {
			return mias("den")(w, c), params{"stream_id": w.hall, "propagate_mode": "change_one"}
		}},
		{route: "DELETE /api/v1/messages/{message_id}", on: "an own message", own: true, call: of(ownMessage, nil)},
		{route: "DELETE /api/v1/messages/{message_id}", on: "a message in a public stream", call: of(mias("hall"), nil)},
		{route: "DELETE /api/v1/messages/{message_id}", on: "a message in a private stream", call: of(mias("den"), nil)},
		{route: "POST /api/v1/messages/{message_id}/reactions", on: "a message in a public stream", own: true, call: of(mias("hall"), params{"emoji_name": "wave"})},
		{route: "POST /api/v1/messages/{message_id}/reactions", on: "a message in a private stream", own: true, call: of(mias("den"), params{"emoji_name": "wave"})},
		{route: "DELETE /api/v1/messages/{message_id}/reactions", on: "somebody else's reaction", own: true, call: func(w *rights, c *caller) (string, params) {
			sent := mias("hall")(w, c)
			w.like(w.bob).Do(http.MethodPost, "/messages/"+sent+"/reactions", params{"emoji_name": "wave"}).OK()
			return sent, params{"emoji_name": "wave"}
		}},
		{route: "POST /api/v1/messages/render", on: "a text", call: with(params{"content": "text"})},
		{route: "POST /api/v1/messages/flags", on: "a message in a public stream", call: func(w *rights, c *caller) (string, params) {
			return "", params{"messages": "[" + mias("hall")(w, c) + "]", "op": "add", "flag": "starred"}
		}},
		{route: "POST /api/v1/mark_all_as_read", on: "everything", call: with(nil)},
		{route: "POST /api/v1/mark_stream_as_read", on: "a public stream", call: about("stream_id", hall, nil)},
		{route: "POST /api/v1/mark_stream_as_read", on: "a private stream", call: about("stream_id", den, nil)},
		{route: "POST /api/v1/mark_topic_as_read", on: "a public stream", call: about("stream_id", hall, params{"topic_name": "t"})},
		{route: "POST /api/v1/mark_topic_as_read", on: "a private stream", call: about("stream_id", den, params{"topic_name": "t"})},
		{route: "POST /api/v1/typing", on: "a person", call: func(w *rights, _ *caller) (string, params) {
			return "", params{"op": "start", "to": lists(w.bob)}
		}},
		{route: "POST /api/v1/submessage", on: "a message in a public stream", call: about("message_id", mias("hall"), params{"msg_type": "widget", "content": "0"})},
		{route: "POST /api/v1/submessage", on: "a message in a private stream", call: about("message_id", mias("den"), params{"msg_type": "widget", "content": "0"})},
		{route: "DELETE /api/v1/scheduled_messages/{scheduled_message_id}", on: "an own one", own: true, call: of(row(scheduledSQL, own), nil)},
		{route: "DELETE /api/v1/scheduled_messages/{scheduled_message_id}", on: "somebody else's", own: true, call: of(row(scheduledSQL, otherThan), nil)},
		{route: "POST /api/v1/drafts", on: "a public stream", call: with(params{"drafts": `[{"type":"","to":[],"topic":"","content":"x"}]`})},
		{route: "POST /api/v1/drafts", on: "a private stream", call: func(w *rights, _ *caller) (string, params) {
			return "", params{"drafts": `[{"type":"stream","to":[` + number(w.den) + `],"topic":"t","content":"x"}]`}
		}},
		{route: "PATCH /api/v1/drafts/{draft_id}", on: "an own one", own: true, call: of(row(draftSQL, own), params{"draft": `{"type":"","to":[],"topic":"","content":"y"}`})},
		{route: "PATCH /api/v1/drafts/{draft_id}", on: "somebody else's", own: true, call: of(row(draftSQL, otherThan), params{"draft": `{"type":"","to":[],"topic":"","content":"y"}`})},
		{route: "DELETE /api/v1/drafts/{draft_id}", on: "an own one", own: true, call: of(row(draftSQL, own), nil)},
		{route: "DELETE /api/v1/drafts/{draft_id}", on: "somebody else's", own: true, call: of(row(draftSQL, otherThan), nil)},
	}
}

func streamActs() []act {
	acts := []act{}
	for _, object := range []struct {
		on   string
		call making
	}{{"a public stream", openStream}, {"a private stream", closedStream}, {"an archived stream", archivedStream}} {
		acts = append(acts,
			act{route: "PATCH /api/v1/streams/{stream_id}", on: object.on, call: of(object.call, params{"description": `"new"`})},
			act{route: "PATCH /api/v1/streams/{stream_id}", on: object.on + ", to be private or public", call: of(object.call, params{"is_private": false})},
			act{route: "PATCH /api/v1/streams/{stream_id}", on: object.on + ", how long its messages stay", call: of(object.call, params{"message_retention_days": "10"})},
			act{route: "DELETE /api/v1/streams/{stream_id}", on: object.on, call: of(object.call, nil)},
			act{route: "POST /api/v1/default_streams", on: object.on, call: about("stream_id", object.call, nil)},
			act{route: "DELETE /api/v1/default_streams", on: object.on, call: about("stream_id", object.call, nil)},
			act{route: "POST /api/v1/streams/{stream_id}/delete_topic", on: object.on, call: of(object.call, params{"topic_name": "t"})},
		)
	}
	return append(acts,
		act{route: "POST /api/v1/default_stream_groups/create", on: "a public stream", call: named("group_name", params{"description": "d", "stream_names": `["hall"]`})},
		act{route: "POST /api/v1/default_stream_groups/create", on: "a private stream", call: named("group_name", params{"description": "d", "stream_names": `["den"]`})},
		act{route: "PATCH /api/v1/default_stream_groups/{group_id}", on: "a group", call: of(row(streamsSQL, own), params{"new_description": `"new"`})},
		act{route: "PATCH /api/v1/default_stream_groups/{group_id}/streams", on: "a public stream", call: of(row(streamsSQL, own), params{"op": "add", "stream_names": `["hall"]`})},
		act{route: "PATCH /api/v1/default_stream_groups/{group_id}/streams", on: "a private stream", call: of(row(streamsSQL, own), params{"op": "add", "stream_names": `["den"]`})},
		act{route: "DELETE /api/v1/default_stream_groups/{group_id}", on: "a group", call: of(row(streamsSQL, own), nil)},
	)
}

func subscriptionActs() []act {
	wanted := func(name string) params { return params{"subscriptions": `[{"name":"` + name + `"}]`} }
	others := func(name string) calling {
		return func(w *rights, _ *caller) (string, params) {
			p := wanted(name)
			p["principals"] = lists(w.like(w.bob))
			return "", p
		}
	}
	return []act{
		{route: "POST /api/v1/users/me/subscriptions", on: "oneself to a public stream", call: with(wanted("hall")), once: true},
		{route: "POST /api/v1/users/me/subscriptions", on: "oneself to a private stream", call: with(wanted("den"))},
		{route: "POST /api/v1/users/me/subscriptions", on: "a new stream", call: func(w *rights, _ *caller) (string, params) { return "", wanted(w.fresh()) }},
		{route: "POST /api/v1/users/me/subscriptions", on: "a new stream, how long its messages stay", call: func(w *rights, _ *caller) (string, params) {
			p := wanted(w.fresh())
			p["message_retention_days"] = "10"
			return "", p
		}},
		{route: "POST /api/v1/users/me/subscriptions", on: "others to a public stream", call: others("hall")},
		{route: "POST /api/v1/users/me/subscriptions", on: "others to a private stream", call: others("den")},
		{route: "DELETE /api/v1/users/me/subscriptions", on: "others from a public stream", call: func(w *rights, _ *caller) (string, params) {
			member := w.like(w.bob)
			member.Subscribe("hall")
			return "", params{"subscriptions": `["hall"]`, "principals": lists(member)}
		}},
		{route: "DELETE /api/v1/users/me/subscriptions", on: "others from a private stream", call: func(w *rights, _ *caller) (string, params) {
			member := w.like(w.bob)
			w.mia.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": `[{"name":"den"}]`, "principals": lists(member)}).OK()
			return "", params{"subscriptions": `["den"]`, "principals": lists(member)}
		}},
		{route: "PATCH /api/v1/users/me/subscriptions", on: "oneself to a private stream", call: with(params{"add": `[{"name":"den"}]`})},
		{route: "PATCH /api/v1/users/me/subscriptions/muted_topics", on: "a public stream", own: true, call: func(w *rights, c *caller) (string, params) {
			return "", params{"stream_id": w.hall, "topic": w.fresh(), "op": "add"}
		}},
		{route: "PATCH /api/v1/users/me/subscriptions/muted_topics", on: "a private stream", call: func(w *rights, c *caller) (string, params) {
			return "", params{"stream_id": w.den, "topic": w.fresh(), "op": "add"}
		}},
		{route: "POST /api/v1/users/me/subscriptions/properties", on: "a private stream", call: func(w *rights, c *caller) (string, params) {
			return "", params{"subscription_data": `[{"stream_id":` + number(w.den) + `,"property":"is_muted","value":false}]`}
		}},
		{route: "PATCH /api/v1/users/me/subscriptions/{stream_id}", on: "a private stream", call: of(den, params{"property": "is_muted", "value": "false"})},
	}
}

func organizationActs() []act {
	return []act{
		{route: "PATCH /api/v1/realm", on: "its description", call: named("description", nil)},
		{route: "PATCH /api/v1/realm", on: "the ways to sign in", call: with(params{"authentication_methods": `{"email":true}`})},
		{route: "PATCH /api/v1/realm", on: "how long messages stay", call: with(params{"message_retention_days": "10"})},
		{route: "PATCH /api/v1/realm", on: "a private stream for announcements", call: func(w *rights, _ *caller) (string, params) {
			return "", params{"notifications_stream_id": w.den}
		}},
		{route: "POST /api/v1/realm/domains", on: "a domain", call: func(w *rights, _ *caller) (string, params) {
			return "", params{"domain": `"` + w.fresh() + `.example"`, "allow_subdomains": true}
		}},
		{route: "PATCH /api/v1/realm/domains/{domain}", on: "a domain", call: of(domainOf, params{"allow_subdomains": false})},
		{route: "DELETE /api/v1/realm/domains/{domain}", on: "a domain", call: of(domainOf, nil)},
		{route: "POST /api/v1/realm/filters", on: "a linkifier", call: func(w *rights, _ *caller) (string, params) {
			return "", params{"pattern": w.fresh() + `-(?P<id>[0-9]+)`, "url_format_string": "https://t.example/%(id)s"}
		}},
		{route: "DELETE /api/v1/realm/filters/{filter_id}", on: "a linkifier", call: of(row(filterSQL, own), nil)},
		{route: "POST /api/v1/realm/emoji/{emoji_name}", on: "an emoji", file: true, call: of(func(w *rights, _ *caller) string { return w.fresh() }, nil)},
		{route: "DELETE /api/v1/realm/emoji/{emoji_name}", on: "an own one", own: true, call: of(emoji(own), nil)},
		{route: "DELETE /api/v1/realm/emoji/{emoji_name}", on: "somebody else's", own: true, call: of(emoji(otherThan), nil)},
		{route: "POST /api/v1/realm/icon", on: "the icon", file: true, call: with(nil)},
		{route: "DELETE /api/v1/realm/icon", on: "the icon", call: with(nil)},
		{route: "POST /api/v1/realm/logo", on: "the logo", file: true, call: with(params{"night": "false"})},
		{route: "DELETE /api/v1/realm/logo", on: "the logo", call: with(params{"night": "false"})},
		{route: "POST /api/v1/realm/profile_fields", on: "a field", call: named("name", params{"field_type": 1})},
		{route: "PATCH /api/v1/realm/profile_fields", on: "the order", call: func(w *rights, c *caller) (string, params) {
			row(fieldSQL, own)(w, c)
			order := storetest.Values[int64](w.db, "select field_id from profile_fields where org_id = $1", w.Org.ID)
			return "", params{"order": order}
		}},
		{route: "PATCH /api/v1/realm/profile_fields/{field_id}", on: "a field", call: func(w *rights, c *caller) (string, params) {
			return row(fieldSQL, own)(w, c), params{"name": w.fresh()}
		}},
		{route: "DELETE /api/v1/realm/profile_fields/{field_id}", on: "a field", call: of(row(fieldSQL, own), nil)},
		{route: "POST /api/v1/export/realm", on: "an archive", call: func(w *rights, _ *caller) (string, params) {
			w.db.Exec("delete from realm_exports")
			return "", nil
		}},
		{route: "DELETE /api/v1/export/realm/{export_id}", on: "an archive", call: of(row(exportSQL, ofOwner), nil)},
		{route: deactivate, on: "the organization", call: with(nil)},
	}
}

func ownActs() []act {
	return []act{
		{route: "PATCH /api/v1/settings", on: "oneself", call: named("full_name", nil), once: true},
		{route: "PATCH /api/v1/settings/notifications", on: "oneself", call: with(params{"enable_sounds": false})},
		{route: "PATCH /api/v1/settings/display", on: "oneself", call: with(params{"timezone": `"Europe/Vienna"`})},
		{route: "POST /api/v1/users/me/enter-sends", on: "oneself", call: with(params{"enter_sends": true})},
		{route: "POST /api/v1/users/me/hotspots", on: "oneself", call: with(params{"hotspot": `"intro_reply"`})},
		{route: "POST /api/v1/users/me/tutorial_status", on: "oneself", call: with(params{"status": `"finished"`})},
		{route: "POST /api/v1/zcommand", on: "oneself", call: with(params{"command": "/night"})},
		{route: "POST /api/v1/users/me/alert_words", on: "oneself", call: with(params{"alert_words": `["text"]`})},
		{route: "DELETE /api/v1/users/me/alert_words", on: "oneself", call: with(params{"alert_words": `["text"]`})},
		{route: "POST /api/v1/users/me/push_devices", on: "oneself", call: with(params{
			"endpoint": "https://push.example/1",
			"p256dh":   "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
			"auth":     "BTBZMqHH6r4Tts7J_aSIgg",
		})},
		{route: "DELETE /api/v1/users/me/push_devices/{device_id}", on: "an own one", own: true, call: of(row(deviceSQL, own), nil)},
		{route: "DELETE /api/v1/users/me/push_devices/{device_id}", on: "somebody else's", own: true, call: of(row(deviceSQL, otherThan), nil)},
		{route: "POST /api/v1/users/me/apns_device_token", on: "oneself", call: with(params{"token": "YXBwbGU="}), once: true},
		{route: "DELETE /api/v1/users/me/apns_device_token", on: "somebody else's", call: with(params{"token": "YXBwbGU="}), once: true},
		{route: "POST /api/v1/users/me/android_gcm_reg_id", on: "oneself", call: with(params{"token": "a:b"}), once: true},
		{route: "DELETE /api/v1/users/me/android_gcm_reg_id", on: "somebody else's", call: with(params{"token": "a:b"}), once: true},
		{route: "POST /api/v1/users/me/presence", on: "oneself", call: with(params{"status": "active"})},
		{route: "POST /api/v1/users/me/status", on: "oneself", call: named("status_text", nil), once: true},
		{route: "POST /api/v1/user_uploads", on: "a file", file: true, call: with(nil)},
		{route: "DELETE /api/v1/attachments/{attachment_id}", on: "an own one", own: true, call: of(uploaded(own), nil)},
		{route: "DELETE /api/v1/attachments/{attachment_id}", on: "somebody else's", own: true, call: of(uploaded(otherThan), nil)},
		{route: "POST /api/v1/users/me/avatar", on: "oneself", file: true, call: with(nil)},
		{route: "DELETE /api/v1/users/me/avatar", on: "oneself", call: with(nil)},
		{route: renewKey, on: "oneself", call: with(nil), once: true},
		{route: "DELETE /api/v1/users/me", on: "oneself", call: with(nil), once: true},
		{route: "DELETE /api/v1/sessions/{session_id}", on: "an own one", own: true, call: of(row(loginSQL, own), nil)},
		{route: "DELETE /api/v1/sessions/{session_id}", on: "somebody else's", own: true, call: of(row(loginSQL, otherThan), nil)},
		{route: "DELETE /api/v1/identities", on: "somebody else's", own: true, call: func(w *rights, c *caller) (string, params) {
			issuer := "https://" + w.fresh() + ".example"
			w.db.Exec("insert into identities (org_id, issuer, subject, user_id) values ($1, $2, 'x', $3)", w.Org.ID, issuer, otherThan(w, c).ID)
			return "", params{"issuer": issuer}
		}},
		{route: "PATCH /api/v1/users/me/profile_data", on: "oneself", call: func(w *rights, c *caller) (string, params) {
			return "", params{"data": `[{"id":` + row(fieldSQL, own)(w, c) + `,"value":"x"}]`}
		}},
		{route: "DELETE /api/v1/users/me/profile_data", on: "oneself", call: func(w *rights, c *caller) (string, params) {
			return "", params{"data": "[" + row(fieldSQL, own)(w, c) + "]"}
		}},
		{route: "POST /api/v1/register", on: "oneself", call: with(params{"event_types": `["message"]`})},
		{route: "POST /api/v1/register", on: "all public streams", call: with(params{"event_types": `["message"]`, "all_public_streams": true})},
		{route: "DELETE /api/v1/events", on: "somebody else's queue", own: true, call: func(w *rights, c *caller) (string, params) {
			return "", params{"queue_id": otherThan(w, c).Register(params{"event_types": `["message"]`}).ID}
		}},
	}
}

func peopleActs() []act {
	const change, remove, activate = "PATCH /api/v1/users/{user_id}", "DELETE /api/v1/users/{user_id}", "POST /api/v1/users/{user_id}/reactivate"
	role := func(of actor.Role) params { return params{"role": strconv.Itoa(int(of))} }
	return []act{
		{route: "POST /api/v1/users", on: "a member", call: func(w *rights, _ *caller) (string, params) {
			name := w.fresh()
			return "", params{"email": name + "@corp.example", "full_name": "Like " + name, "password": "correct horse battery"}
		}},
		{route: change, on: "a member's name", call: of(person(actor.Member), params{"full_name": `"Other"`})},
		{route: change, on: "an owner's name", call: of(person(actor.Owner), params{"full_name": `"Other"`})},
		{route: change, on: "a member, to be an administrator", call: of(person(actor.Member), role(actor.Administrator))},
		{route: change, on: "a member, to be an owner", call: of(person(actor.Member), role(actor.Owner))},
		{route: change, on: "an administrator, to be a guest", call: of(person(actor.Administrator), role(actor.Guest))},
		{route: change, on: "an owner, to be a guest", call: of(person(actor.Owner), role(actor.Guest))},
		{route: change, on: "oneself, to be an owner", own: true, call: of(func(_ *rights, c *caller) string { return c.ID.String() }, role(actor.Owner))},
		{route: change, on: "oneself, to be an administrator", once: true, call: of(func(_ *rights, c *caller) string { return c.ID.String() }, role(actor.Administrator))},
		{route: change, on: "an own bot, to be an administrator", own: true, call: of(botOf(actor.Member, own), role(actor.Administrator))},
		{route: change, on: "an own bot, to be an owner", own: true, call: of(botOf(actor.Member, own), role(actor.Owner))},
		{route: remove, on: "a member", call: of(person(actor.Member), nil)},
		{route: remove, on: "an administrator", call: of(person(actor.Administrator), nil)},
		{route: remove, on: "an owner", call: of(person(actor.Owner), nil)},
		{route: remove, on: "a deactivated person", call: of(gone(actor.Member), nil)},
		{route: activate, on: "a member", call: of(gone(actor.Member), nil)},
		{route: activate, on: "an administrator", call: of(gone(actor.Administrator), nil)},
		{route: activate, on: "an owner", call: of(gone(actor.Owner), nil)},
		{route: activate, on: "an own bot", own: true, call: of(goneBot(actor.Member, own), nil)},
		{route: activate, on: "an own bot that is an administrator", own: true, call: of(goneBot(actor.Administrator, own), nil)},
		{route: activate, on: "somebody else's bot", own: true, call: of(goneBot(actor.Member, otherThan), nil)},
		{route: activate, on: "an owner's bot that is an owner", call: of(goneBot(actor.Owner, ofOwner), nil)},
	}
}

func botActs() []act {
	const change, renew, remove = "PATCH /api/v1/bots/{bot_id}", "POST /api/v1/bots/{bot_id}/api_key/regenerate", "DELETE /api/v1/bots/{bot_id}"
	take := func(object making) calling {
		return func(w *rights, c *caller) (string, params) { return object(w, c), params{"bot_owner_id": int64(c.ID)} }
	}
	return []act{
		{route: "POST /api/v1/bots", on: "a bot", call: func(w *rights, _ *caller) (string, params) {
			name := w.fresh()
			return "", params{"full_name": "Bot " + name, "short_name": name}
		}},
		{route: "POST /api/v1/bots", on: "a bot that sends to a private stream", call: func(w *rights, _ *caller) (string, params) {
			name := w.fresh()
			return "", params{"full_name": "Bot " + name, "short_name": name, "default_sending_stream": "den"}
		}},
		{route: change, on: "an own bot's name", own: true, call: func(w *rights, c *caller) (string, params) {
			return botOf(actor.Member, own)(w, c), params{"full_name": "Bot " + w.fresh()}
		}},
		{route: change, on: "somebody else's bot", own: true, call: take(botOf(actor.Member, otherThan))},
		{route: change, on: "an owner's bot that is an owner", own: true, call: take(botOf(actor.Owner, ofOwner))},
		{route: renew, on: "an own bot", own: true, call: of(botOf(actor.Member, own), nil)},
		{route: renew, on: "somebody else's bot", own: true, call: of(botOf(actor.Member, otherThan), nil)},
		{route: renew, on: "an owner's bot that is an owner", call: of(botOf(actor.Owner, ofOwner), nil)},
		{route: remove, on: "an own bot", own: true, call: of(botOf(actor.Member, own), nil)},
		{route: remove, on: "somebody else's bot", own: true, call: of(botOf(actor.Member, otherThan), nil)},
		{route: remove, on: "a person", call: of(person(actor.Member), nil)},
		{route: "PUT /api/v1/bot_storage", on: "oneself", call: with(params{"storage": `{"key":"value"}`})},
		{route: "DELETE /api/v1/bot_storage", on: "oneself", call: with(nil)},
	}
}

func otherActs() []act {
	invite := func(as actor.Role, object making) calling {
		return func(w *rights, c *caller) (string, params) {
			return "", params{"invitee_emails": w.fresh() + "@corp.example", "stream_ids": "[" + object(w, c) + "]", "invite_as": int(as)}
		}
	}
	link := func(as actor.Role, object making) calling {
		return func(w *rights, c *caller) (string, params) {
			return "", params{"stream_ids": "[" + object(w, c) + "]", "invite_as": int(as)}
		}
	}
	const group, members = "/api/v1/user_groups/{user_group_id}", "POST /api/v1/user_groups/{user_group_id}/members"
	add := func(object making) calling {
		return func(w *rights, c *caller) (string, params) {
			return object(w, c), params{"add": lists(w.callers[1])}
		}
	}
	return []act{
		{route: "POST /api/v1/user_groups/create", on: "a group", call: named("name", params{"description": "", "members": "[]"})},
		{route: "PATCH " + group, on: "one that the caller is in", own: true, call: of(row(groupSQL, own), params{"description": "new"})},
		{route: "PATCH " + group, on: "one that the caller isn't in", own: true, call: of(row(groupSQL, otherThan), params{"description": "new"})},
		{route: members, on: "one that the caller is in", own: true, call: add(row(groupSQL, func(w *rights, c *caller) *caller {
			if c == w.callers[1] {
				return w.bob
			}
			return c
		}))},
		{route: members, on: "one that the caller isn't in", own: true, call: add(row(groupSQL, otherThan))},
		{route: "DELETE " + group, on: "one that the caller is in", own: true, call: of(row(groupSQL, own), nil)},
		{route: "DELETE " + group, on: "one that the caller isn't in", own: true, call: of(row(groupSQL, otherThan), nil)},
		{route: "POST /api/v1/invites", on: "as a member, to a public stream", call: invite(actor.Member, hall)},
		{route: "POST /api/v1/invites", on: "as a member, to a private stream", call: invite(actor.Member, den)},
		{route: "POST /api/v1/invites", on: "as an administrator", call: invite(actor.Administrator, hall)},
		{route: "POST /api/v1/invites", on: "as an owner", call: invite(actor.Owner, hall)},
		{route: "DELETE /api/v1/invites/{prereg_id}", on: "an own one", own: true, call: of(row(inviteSQL, own), nil)},
		{route: "DELETE /api/v1/invites/{prereg_id}", on: "somebody else's", own: true, call: of(row(inviteSQL, otherThan), nil)},
		{route: "DELETE /api/v1/invites/{prereg_id}", on: "an owner's, as an owner", call: of(row(ownersSQL, ofOwner), nil)},
		{route: "DELETE /api/v1/invites/{prereg_id}", on: "an owner's link", call: of(row(ownLinkSQL, ofOwner), nil)},
		{route: "POST /api/v1/invites/{prereg_id}/resend", on: "an own one", own: true, call: of(row(inviteSQL, own), nil)},
		{route: "POST /api/v1/invites/{prereg_id}/resend", on: "somebody else's", own: true, call: of(row(inviteSQL, otherThan), nil)},
		{route: "POST /api/v1/invites/{prereg_id}/resend", on: "an owner's, as an owner", call: of(row(ownersSQL, ofOwner), nil)},
		{route: "POST /api/v1/invites/multiuse", on: "as a member, to a public stream", call: link(actor.Member, hall)},
		{route: "POST /api/v1/invites/multiuse", on: "as a member, to a private stream", call: link(actor.Member, den)},
		{route: "POST /api/v1/invites/multiuse", on: "as an owner", call: link(actor.Owner, hall)},
		{route: "DELETE /api/v1/invites/multiuse/{invite_id}", on: "a link", call: of(row(linkSQL, ofOwner), nil)},
		{route: "DELETE /api/v1/invites/multiuse/{invite_id}", on: "an owner's, as an owner", call: of(row(ownLinkSQL, ofOwner), nil)},
		{route: "DELETE /api/v1/invites/multiuse/{invite_id}", on: "an invitation by mail", call: of(row(inviteSQL, ofOwner), nil)},
	}
}
