package property_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// act generates an action of a person. Its messages and streams are chosen when the action is run.
func (f *following) act() func() {
	h := f.history
	p := draw(h, "who", f.people)
	admin := draw(h, "admin", []*person{f.person("Olga"), f.person("Adam")})
	human := draw(h, "human", f.people[:5])
	which := h.drawInt("which", 0, 1000)
	topic := draw(h, "topic", []string{"lunch", "Lunch", "pumps"})
	name := draw(h, "stream", []string{"club", "vault", "nest", "den", "hall"})
	on := h.drawBool("on")
	op := map[bool]string{true: "add", false: "remove"}[on]
	switch draw(h, "act", []string{
		"send", "send", "send", "send", "write", "write", "content", "topic", "move", "delete", "delete topic", "read", "read", "star",
		"mark topic", "mark stream", "mark all", "join", "join", "add", "leave", "leave", "create", "edit stream", "privacy", "end", "default",
		"property", "mute", "words", "display", "notifications", "presence", "status", "account", "administer", "govern", "govern", "govern", "react", "react", "content", "group", "group", "profile", "profile",
		"picture", "icon", "emoji", "file", "file", "bot", "bot", "invite", "invite", "stream group",
		"own", "own", "role", "role", "enlist", "enlist", "later", "later", "later", "device", "identity", "export", "submessage", "submessage",
	}) {
	case "send":
		to, body := draw(h, "to", []string{"hall", "yard", "club", "hall"}), f.text()
		client := draw(h, "client", []string{"", "website"})
		return func() {
			f.send(p, to != "club", true, servicetest.Params{"type": "stream", "to": to, "topic": topic, "content": body, "client": client}, f.people)
		}
	case "write":
		to := drawSome(h, "to", f.people, 3)
		return func() {
			ids, members := []int64{}, []*person{p}
			for _, other := range to {
				ids = append(ids, other.id)
				members = append(members, other)
			}
			f.send(p, true, false, servicetest.Params{"type": "private", "to": ids, "content": "psst"}, members)
		}
	case "content":
		body := f.text()
		return func() {
			if m := f.message(which); m.id != 0 {
				f.try(m.sender, http.MethodPatch, fmt.Sprintf("/messages/%d", m.id), servicetest.Params{"content": body})
			}
		}
	case "topic", "move":
		params := servicetest.Params{"topic": topic, "propagate_mode": draw(h, "mode", []string{"change_one", "change_later", "change_all"})}
		to := draw(h, "to", []string{"hall", "yard", ""})
		return func() {
			m := f.message(which)
			if !m.stream {
				return
			}
			if to != "" {
				params["stream_id"] = f.stream(to)
			}
			f.try(admin, http.MethodPatch, fmt.Sprintf("/messages/%d", m.id), params)
		}
	case "delete":
		return func() { f.try(admin, http.MethodDelete, fmt.Sprintf("/messages/%d", f.message(which).id), nil) }
	case "delete topic":
		return func() {
			f.try(admin, http.MethodPost, fmt.Sprintf("/streams/%d/delete_topic", f.stream("yard")), servicetest.Params{"topic_name": topic})
		}
	case "read":
		return func() { f.flag(p, which, "read", op) }
	case "star":
		return func() { f.flag(p, which, "starred", op) }
	case "mark topic":
		return func() {
			f.try(p, http.MethodPost, "/mark_topic_as_read", servicetest.Params{"stream_id": f.stream(name), "topic_name": topic})
		}
	case "mark stream":
		return func() {
			f.try(p, http.MethodPost, "/mark_stream_as_read", servicetest.Params{"stream_id": f.stream("hall")})
		}
	case "mark all":
		return func() { f.try(p, http.MethodPost, "/mark_all_as_read", nil) }
	case "join":
		return func() { f.make(p, name, servicetest.Params{}) }
	case "add":
		return func() { f.make(admin, name, servicetest.Params{"principals": []int64{p.id}}) }
	case "create":
		return func() { f.make(p, name, servicetest.Params{"invite_only": on, "principals": []int64{p.id, human.id}}) }
	case "leave":
		if name == "hall" {
			name = "club"
		}
		params := servicetest.Params{"subscriptions": []string{name}}
		if on {
			params["principals"] = []int64{p.id}
			return func() { f.try(admin, http.MethodDelete, "/users/me/subscriptions", params) }
		}
		return func() { f.try(p, http.MethodDelete, "/users/me/subscriptions", params) }
	case "edit stream":
		params := draw(h, "edit", []servicetest.Params{
			{"description": `"*about*"`},
			{"stream_post_policy": 2},
			{"stream_post_policy": 1},
			{"message_retention_days": 30},
			{"new_name": fmt.Sprintf("%q", name+strconv.Itoa(which))},
		})
		return func() { f.try(f.person("Olga"), http.MethodPatch, fmt.Sprintf("/streams/%d", f.stream(name)), params) }
	case "privacy":
		if name == "hall" {
			name = "yard"
		}
		return func() { f.turn(name, on) }
	case "end":
		if name == "hall" {
			name = "nest"
		}
		return func() { f.try(admin, http.MethodDelete, fmt.Sprintf("/streams/%d", f.stream(name)), nil) }
	case "default":
		method := map[bool]string{true: http.MethodPost, false: http.MethodDelete}[on]
		return func() { f.try(admin, method, "/default_streams", servicetest.Params{"stream_id": f.stream(name)}) }
	case "property":
		property := draw(h, "property", []string{"is_muted", "pin_to_top", "desktop_notifications", "wildcard_mentions_notify"})
		return func() {
			data := []map[string]any{{"stream_id": f.stream(name), "property": property, "value": on}}
			f.try(p, http.MethodPost, "/users/me/subscriptions/properties", servicetest.Params{"subscription_data": data})
		}
	case "mute":
		return func() {
			f.try(p, http.MethodPatch, "/users/me/subscriptions/muted_topics", servicetest.Params{"stream_id": f.stream(name), "topic": topic, "op": op})
		}
	case "words":
		method := map[bool]string{true: http.MethodPost, false: http.MethodDelete}[on]
		return func() { f.try(p, method, "/users/me/alert_words", servicetest.Params{"alert_words": []string{topic}}) }
	case "display":
		params := draw(h, "setting", []servicetest.Params{
			{"dense_mode": on}, {"emojiset": `"twitter"`}, {"timezone": `"Europe/Vienna"`}, {"timezone": `"Asia/Tokyo"`}, {"color_scheme": 2},
		})
		return func() { f.try(human, http.MethodPatch, "/settings/display", params) }
	case "notifications":
		return func() {
			f.try(human, http.MethodPatch, "/settings/notifications", servicetest.Params{"enable_sounds": on})
		}
	case "presence":
		params := servicetest.Params{"status": map[bool]string{true: "active", false: "idle"}[on], "client": draw(h, "client", []string{"website", "phone"})}
		return func() { f.try(human, http.MethodPost, "/users/me/presence", params) }
	case "status":
		params := draw(h, "status", []servicetest.Params{{"away": on}, {"status_text": topic}, {"status_text": ""}, {"away": on, "status_text": "out"}})
		return func() { f.try(human, http.MethodPost, "/users/me/status", params) }
	case "account":
		f.accounts++
		draft := user.Draft{FullName: fmt.Sprintf("New %d", f.accounts), Role: draw(h, "role", []actor.Role{actor.Member, actor.Guest, actor.Administrator})}
		draft.RealEmail = fmt.Sprintf("new%d@%s", f.accounts, servicetest.Host)
		return func() {
			f.note("a new account, %s", draft.FullName)
			made := int64(f.newcomer(p, draft).ID)
			f.mu.Lock()
			defer f.mu.Unlock()
			f.made = append(f.made, made)
		}
	case "administer":
		change := draw(h, "change", []string{"name", "role", "end", "reactivate"})
		role := draw(h, "role", []actor.Role{actor.Owner, actor.Administrator, actor.Member, actor.Guest})
		return func() {
			made := f.newAccount(which)
			if made == 0 {
				return
			}
			path := fmt.Sprintf("/users/%d", made)
			switch olga := f.person("Olga"); change {
			case "name":
				f.try(olga, http.MethodPatch, path, servicetest.Params{"full_name": fmt.Sprintf(`"Name %d"`, which)})
			case "role":
				f.try(olga, http.MethodPatch, path, servicetest.Params{"role": role})
			case "end":
				f.try(olga, http.MethodDelete, path, nil)
			case "reactivate":
				f.try(olga, http.MethodPost, path+"/reactivate", nil)
			}
		}
	case "own":
		return f.ownAct(human, name, which, on)
	case "later":
		return f.laterAct(human, which)
	case "device":
		return f.deviceAct(human, on)
	case "identity":
		if draw(h, "identity", []string{"link", "link", "unlink"}) == "unlink" {
			return f.unlinkAct(human, which)
		}
		return f.identityAct(human, on)
	case "export":
		return f.exportAct(which)
	case "submessage":
		return f.submessageAct(p, which)
	case "file":
		return f.fileAct(p, which, on)
	case "bot":
		return f.botAct(human, which, on)
	case "invite":
		return f.inviteAct(human, admin, which, on)
	case "stream group":
		return f.streamGroupAct(admin, name, which)
	case "group":
		return f.groupAct(human, which, on)
	case "profile":
		return f.profileAct(human, which)
	case "govern":
		return f.govern(admin, which, on)
	case "picture", "icon", "emoji":
		return f.picture(draw(h, "picture", []string{"/users/me/avatar", "/realm/icon", "/realm/logo?night=true", "/realm/emoji/valve"}), human, on)
	case "react":
		method, emoji := map[bool]string{true: http.MethodPost, false: http.MethodDelete}[on], draw(h, "emoji", []string{"tada", "octopus"})
		return func() {
			f.try(p, method, fmt.Sprintf("/messages/%d/reactions", f.message(which%5).id), servicetest.Params{"emoji_name": emoji})
		}
	case "role":
		return f.roleAct()
	case "enlist":
		return func() {
			if made := f.newAccount(which); made != 0 {
				f.make(admin, name, servicetest.Params{"principals": []int64{made}})
			}
		}
	}
	return func() {}
}

// newAccount returns one of the accounts that were created meanwhile, or 0.
func (f *following) newAccount(which int) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.made) == 0 {
		return 0
	}
	return f.made[which%len(f.made)]
}

// text generates a message's content. It mentions only accounts that are in all streams, since a mentioned bot would
// get the message anyway.
func (f *following) text() string {
	return "about " + strings.Join(drawSome(f.history, "text", []string{"tea", "boiler", "@**all**", "@**Mia**", "@**Max**", "@*group 1*", "@*group 2*"}, 3), " ")
}

// send sends a message, and records its permanent recipients.
func (f *following) send(p *person, forGood, stream bool, params servicetest.Params, receivers []*person) {
	answer := f.try(p, http.MethodPost, "/messages", params)
	if answer.Status != http.StatusOK {
		return
	}
	reply := struct{ ID int64 }{}
	answer.Decode(&reply)
	if !forGood {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = append(f.sent, sentMessage{reply.ID, p, stream})
	for _, receiver := range receivers {
		f.held[receiver.id] = append(f.held[receiver.id], reply.ID)
	}
}

// message returns one of the sent messages.
func (f *following) message(which int) sentMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.sent) == 0 {
		return sentMessage{}
	}
	return f.sent[which%len(f.sent)]
}

func (f *following) stream(name string) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.streams[name]
}

// turn makes a stream private or public.
func (f *following) turn(name string, private bool) {
	stream := f.stream(name)
	f.mu.Lock()
	f.turned[stream] = true
	f.mu.Unlock()
	f.try(f.person("Olga"), http.MethodPatch, fmt.Sprintf("/streams/%d", stream), servicetest.Params{"is_private": private})
}

// flag changes a flag of some messages of a person.
func (f *following) flag(p *person, which int, flag, op string) {
	f.mu.Lock()
	held := slices.Clone(f.held[p.id])
	f.mu.Unlock()
	if len(held) == 0 {
		return
	}
	from := which % len(held)
	f.try(p, http.MethodPost, "/messages/flags", servicetest.Params{"messages": held[from:min(len(held), from+3)], "flag": flag, "op": op})
}
