package property_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"chatserver.dev/services/servicetest"
)

// A client that applies events to its initial state has the same state as a new registration, whenever it registered
// and whatever happened at the same time.
//
// The comparison leaves out data that clients aren't notified of:
//
//   - the newest message, of all and of a conversation, after the newest was deleted (events.md, section 3.4: the
//     event contains only the deleted ones), and a stream's first message for accounts that aren't subscribed, or
//     after messages were deleted or moved (sections 3.2 to 3.4);
//   - changes of streams that an account has left and has no access to (section 3.10, ACCESS), and the
//     subscribers of a stream to which it gets access when the stream becomes public (section 3.9);
//   - the times of presence reports (section 3.11: refreshments aren't sent), and therefore which one is newest;
//   - messages that are moved to a stream to which an account isn't subscribed (section 3.3). Therefore no
//     account leaves the two streams between which messages are moved here.
func TestStateFollowsEvents(t *testing.T) {
	t.Parallel()
	s := newSuite(t)
	rapid.Check(t, func(rt *rapid.T) {
		f := &following{history: s.newHistory(rt), held: map[int64][]int64{}, streams: map[string]int64{}, turned: map[int64]bool{}, later: map[int64]map[string]int{}, devices: map[int64][]int64{}, linked: map[int64][]string{}, unlinked: map[int64][]string{}}
		f.setUp()
		clients := []*client{}
		for _, p := range f.people {
			c := registered(p, f.options(p))
			c.follows = true
			clients = append(clients, c)
		}
		for range f.drawInt("rounds", 1, 3) {
			clients = append(clients, f.round()...)
			f.catchUp(clients)
			for _, c := range clients {
				f.compare(c)
			}
		}
	})
}

// following is a history that clients follow.
type following struct {
	*history
	accounts int
	texts    int // counter for unique texts

	// joining is held while an account is created, or addresses are hidden: an account that is created at the same time is
	// announced with its address.
	joining sync.Mutex

	mu      sync.Mutex
	made    []int64 // accounts created meanwhile
	sent    []sentMessage
	held    map[int64][]int64        // messages that people received and that only deletion can take from them
	streams map[string]int64         // by their first names
	turned  map[int64]bool           // streams that became private or public
	invited int                      // number of changes of invitations
	later   map[int64]map[string]int // scheduled messages: 1, or 2 once they are cancelled
	devices map[int64][]int64        // browsers with notifications
	// linked and unlinked are the providers of identities that were linked to accounts, and of those whose links were
	// removed.
	linked, unlinked map[int64][]string
}

type sentMessage struct {
	id     int64
	sender *person
	stream bool
}

func (f *following) setUp() {
	everyone := []int64{}
	for _, p := range f.people {
		everyone = append(everyone, p.id)
	}
	olga := f.person("Olga")
	for _, name := range []string{"hall", "yard"} {
		f.make(olga, name, servicetest.Params{"principals": everyone})
	}
	f.make(f.person("Mia"), "club", servicetest.Params{"principals": everyone[1:4]})
	f.make(olga, "vault", servicetest.Params{"principals": everyone[:3], "invite_only": true})
}

// make creates a stream or subscribes to it.
func (f *following) make(p *person, name string, params servicetest.Params) {
	params["subscriptions"] = []map[string]string{{"name": name}}
	if f.try(p, http.MethodPost, "/users/me/subscriptions", params).Status != http.StatusOK {
		return
	}
	found := struct {
		StreamID int64 `json:"stream_id"`
	}{}
	if answer := p.Do(http.MethodGet, "/get_stream_id", servicetest.Params{"stream": name}); answer.Status == http.StatusOK {
		answer.Decode(&found)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.streams[name] = found.StreamID
	}
}

// try makes a call as a person. It may be refused, because of other people's actions at the same time.
func (f *following) try(p *person, method, path string, params servicetest.Params) servicetest.Answer {
	f.Helper()
	answer := f.do(p, method, path, params)
	if answer.Status >= http.StatusInternalServerError {
		f.Errorf("%s: %s %s: status %d", p.name, method, path, answer.Status)
	}
	return answer
}

// round runs actions of some people and registrations of clients at the same time.
func (f *following) round() []*client {
	f.note("--- a round")
	acts := [][]func(){}
	for range f.drawInt("workers", 1, 3) {
		some := []func(){}
		for range f.drawInt("acts", 1, 25) {
			some = append(some, f.act())
		}
		acts = append(acts, some)
	}
	p, register, clients := draw(f.history, "who", f.people), f.drawBool("registers"), []*client{}
	options := f.options(p)
	f.together(func() {
		started, work := make(chan struct{}), sync.WaitGroup{}
		begin := sync.OnceFunc(func() { close(started) })
		for _, some := range acts {
			work.Go(func() {
				defer begin()
				for _, act := range some {
					act()
					begin()
				}
			})
		}
		if register {
			work.Go(func() {
				<-started
				f.note("%s registers", p.name)
				clients = append(clients, registered(p, options))
			})
		}
		work.Wait()
	})
	return clients
}

// catchUp applies the events in the clients' queues to the clients.
func (f *following) catchUp(clients []*client) {
	queues := map[string]*servicetest.Queue{}
	for i, c := range clients {
		queues[strconv.Itoa(i)] = c.queue
	}
	events := f.world.EventsOf(queues)
	for i, c := range clients {
		for _, e := range events[strconv.Itoa(i)] {
			c.log = append(c.log, asJSON(e))
			f.checkReceipt(c, e)
			c.apply(e)
		}
	}
}

// compare compares a client's state with that of a new registration.
func (f *following) compare(c *client) {
	f.Helper()
	messages := c.ask()
	want := object{}
	c.person.RegisterInto(c.options, &want)
	c.requestAfterRole(want)
	got := object{}
	for name, value := range decoded(c.state) {
		got[name] = value
	}
	got["unread_msgs"] = c.unreadMessages()
	starred := []int64{}
	for number := range c.starred {
		starred = append(starred, number)
	}
	got["starred_messages"] = numbersIn(starred)
	got["files"], want["files"] = c.files, filesOf(c.person)
	f.compareInvites(c, got, want)
	f.compareExports(c, got, want)
	c.compareWidgets(got, want, messages)
	f.compareCopies(c, got, want, messages)
	if !c.person.bot {
		got["push devices"], want["push devices"] = numbersIn(f.devices[c.person.id]), devicesOf(c.person)
		f.compareIdentities(c.person, got, want)
	}
	f.compareScheduled(c.person, messages)
	for _, state := range []object{got, want} {
		c.leaveOut(state, want, f.turned)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		f.Fatalf("%s, after the events\n%s\nhas (-registration +client):\n%s", c.person.name, strings.Join(c.log, "\n"), diff)
	}
}

// ask requests the data of unread messages that events didn't contain, and returns all accessible messages.
func (c *client) ask() (messages []object) {
	messages = c.messages()
	for _, message := range messages {
		number := whole(message["id"])
		if c.asked[number] && !slices.Contains(flagsIn(message["flags"]), "read") {
			c.unread[number] = c.whereIs(message)
		}
		if _, known := c.mentions[number]; !known {
			c.mentions[number] = flagsIn(message["flags"])
		}
		c.senders[number] = whole(message["sender_id"])
	}
	clear(c.asked)
	return messages
}

// leaveOut removes from a state, the client's or the server's, the data of which clients aren't notified.
func (c *client) leaveOut(state, so object, turned map[int64]bool) {
	delete(state, "queue_id")
	delete(state, "last_event_id")
	if c.newestGone {
		delete(state, "max_message_id")
	}
	unknown := map[string]bool{}
	for _, conversation := range objects(c.state["recent_private_conversations"]) {
		unknown[asJSON(conversation["user_ids"])] = conversation["max_message_id"] == nil
	}
	state["recent_private_conversations"] = slices.DeleteFunc(objects(state["recent_private_conversations"]), func(conversation object) bool {
		return unknown[asJSON(conversation["user_ids"])]
	})
	seen := map[int64]bool{}
	for _, list := range []string{"subscriptions", "unsubscribed", "never_subscribed"} {
		for _, entry := range objects(so[list]) {
			seen[whole(entry["stream_id"])] = list != "unsubscribed" || c.sees(entry)
		}
	}
	for _, list := range streamLists() {
		entries := slices.DeleteFunc(slices.Clone(state[list].([]any)), func(entry any) bool {
			stream := whole(entry.(object)["stream_id"])
			return list == "unsubscribed" && !c.sees(entry.(object)) || strings.HasSuffix(list, "subscribed") && turned[stream]
		})
		byName(entries)
		for _, entry := range objects(entries) {
			stream := whole(entry["stream_id"])
			if c.firstGone[stream] || list != "subscriptions" && list != "streams" || c.find("subscriptions", stream) == nil {
				delete(entry, "first_message_id")
			}
		}
		state[list] = entries
	}
	for _, group := range objects(state["realm_default_stream_groups"]) {
		streams, _ := group["streams"].([]any)
		streams = slices.DeleteFunc(slices.Clone(streams), func(s any) bool { return turned[whole(s.(object)["stream_id"])] })
		byName(streams)
		for _, s := range objects(streams) {
			delete(s, "first_message_id")
		}
		group["streams"] = streams
	}
	muted, _ := state["muted_topics"].([]any)
	state["muted_topics"] = slices.DeleteFunc(muted, func(tuple any) bool { return !seen[whole(tuple.([]any)[0])] })
	presences, _ := state["presences"].(object)
	for name := range presences {
		if c.option("slim_presence") {
			presences[name] = object{} // times
		}
	}
	for _, reports := range presences {
		delete(reports.(object), "aggregated")
		for _, report := range reports.(object) {
			delete(report.(object), "timestamp")
			delete(report.(object), "pushable")
		}
	}
	for _, bot := range objects(state["cross_realm_bots"]) {
		delete(bot, "delivery_email") // their only address, whoever may see it
	}
	if c.option("user_avatar_url_field_optional") {
		for _, u := range append(objects(state["realm_users"]), objects(state["realm_non_active_users"])...) {
			delete(u, "avatar_url")
		}
	}
	words := flagsIn(state["alert_words"]) // in any order
	slices.Sort(words)
	state["alert_words"] = words
}

// sees reports whether the client's account can still see a stream that it left.
func (c *client) sees(entry object) bool {
	return c.isAdmin() || entry["invite_only"] == false && !c.isGuest()
}

func (c *client) mutedTopic(in place) bool {
	topics, _ := c.state["muted_topics"].([]any)
	return slices.ContainsFunc(topics, func(item any) bool {
		tuple, _ := item.([]any)
		topic, _ := tuple[1].(string)
		return whole(tuple[0]) == in.stream && strings.EqualFold(topic, in.topic)
	})
}

// decoded returns a value after encoding and decoding it as JSON.
func decoded(v any) object {
	text, _ := json.Marshal(v)
	o := object{}
	_ = json.Unmarshal(text, &o)
	return o
}
