package property_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// No answer, event, notification or letter contains a text that its account may not see.
//
// In each history, every text that not everybody may see contains a word of its own: messages, topics, streams' names
// and descriptions, files and their names, addresses, drafts and so on. People act at random, also on what they may not
// see. The model says which words an account may see: what it reads must contain no others now, and its events none
// that it never could see.
func TestSecrets(t *testing.T) {
	t.Parallel()
	suite, asked := newSuite(t), map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		s := suite.newSecrets(rt, asked)
		for range s.drawInt("steps", 15, 35) {
			s.act()
			s.learn()
			if s.one(6, "look") {
				s.readEvents()
				s.read(s.someone(), 2)
			}
		}
		s.readEvents()
		s.readMail()
		for _, p := range s.people {
			if s.one(2, "reads") {
				s.read(p, 4)
				s.readNotices(p)
			}
		}
		s.probe(s.someone())
	})
	for _, e := range suite.world.Endpoints {
		if e.Method() == "GET" && !asked[e.Route()] {
			t.Errorf("%s isn't called: add it to questions", e.Route())
		}
	}
}

// secrets is a history with a model of who may see which words.
type secrets struct {
	*run
	words int // the number of words made
	// texts has the words of messages, without their current topics and streams.
	texts map[int64]words
	links map[int64][]*secretFile // of messages
	files []*secretFile
	about map[int64]*secretStream
	own   map[int64]words // that an account may see in any case
	// known has the words that an account may have seen so far.
	known     map[int64]words
	addresses map[int64]string
	invited   words // addresses of invitations
	bots      words // addresses that outgoing webhook bots call
	visible   int   // the organization's email_address_visibility
	ended     map[int64]bool
	numbers   []int64 // of all messages, deleted ones, too
	heard     []heard
	wide      map[string]*servicetest.Queue
	asked     map[string]bool // routes of the endpoints that were called
}

// secretStream is what the model of messages doesn't have of a stream.
type secretStream struct {
	words words // of the current name and description
	once  map[int64]bool
	ended bool
	// listed is set if an administrator has made it a default stream, or added it to a group of these: everybody but
	// guests has the list.
	listed bool
}

type secretFile struct {
	by      int64
	path    string
	content words
}

// heard is a text for an account.
type heard struct {
	user       int64
	what, text string
	said       words // which the account sent itself
}

// words is a set of words.
type words map[string]bool

var secretWord = regexp.MustCompile(`zq[0-9]+zq`)

// wordsOf returns the words in texts.
func wordsOf(texts ...string) words {
	found := words{}
	for _, text := range texts {
		for _, word := range secretWord.FindAllString(text, -1) {
			found[word] = true
		}
	}
	return found
}

func (w words) add(others ...words) {
	for _, other := range others {
		maps.Copy(w, other)
	}
}

// without returns the words that none of the other sets has.
func (w words) without(others ...words) []string {
	left := []string{}
	for word := range w {
		if !slices.ContainsFunc(others, func(other words) bool { return other[word] }) {
			left = append(left, word)
		}
	}
	slices.Sort(left)
	return left
}

// word makes a word.
func (s *secrets) word() string {
	s.words++
	return fmt.Sprintf("zq%dzq", s.words)
}

func (s *suite) newSecrets(rt *rapid.T, asked map[string]bool) *secrets {
	s.Helper()
	h := s.newHistory(rt)
	x := &secrets{
		run:   &run{history: h, queues: map[string]*servicetest.Queue{}},
		texts: map[int64]words{}, links: map[int64][]*secretFile{}, about: map[int64]*secretStream{}, own: map[int64]words{}, known: map[int64]words{},
		addresses: map[int64]string{}, invited: words{}, bots: words{}, visible: 1, ended: map[int64]bool{},
		wide: map[string]*servicetest.Queue{}, asked: asked,
	}
	for _, p := range []*person{
		{name: "Eve", role: actor.Member}, {name: "Lea", role: actor.Member}, {name: "Gil", role: actor.Guest}, {name: "Dan", role: actor.Administrator},
	} {
		address := x.word()
		p.Account = s.world.Account(h.people[0].Org, user.Draft{FullName: p.name, Role: p.role, RealEmail: address + "@corp.example"})
		p.id, x.addresses[int64(p.ID)] = int64(p.ID), address
		h.people = append(h.people, p)
	}
	x.findMissed() // from here on
	x.model = newModel(h.people)
	for _, p := range h.people {
		x.own[p.id], x.known[p.id] = words{}, words{}
		if address := x.addresses[p.id]; address != "" {
			x.own[p.id][address] = true
		}
		options := servicetest.Params{"apply_markdown": h.drawBool("apply_markdown"), "include_subscribers": true}
		x.queues[p.name] = p.Everything(options)
		if p.role < actor.Guest {
			options["all_public_streams"] = true
		}
		x.wide[p.name] = p.Everything(options)
	}
	x.begin()
	x.learn()
	return x
}

// begin makes a private stream without history, which Lea joins and Eve leaves when something was said.
func (s *secrets) begin() {
	olga, mia, eve, lea := s.person("Olga"), s.person("Mia"), s.person("Eve"), s.person("Lea")
	s.found(olga, true, false, mia, eve)
	for _, st := range s.streams {
		for range 2 {
			body := text{content: s.word()}
			answer, _ := s.try(mia, "POST", "/messages", servicetest.Params{"type": "stream", "to": st.id, "topic": "plans", "content": body.content})
			s.sentNow(mia, answer.OK(), &message{stream: st.id, topic: "plans"}, body)
		}
		s.subscribe(olga, lea, st)
		s.unsubscribe(eve, eve, st)
	}
}

// mayRead reports whether an account may read a file: its own, or one in a message that it may read.
func (s *secrets) mayRead(user int64, f *secretFile) bool {
	if f.by == user {
		return true
	}
	for number, files := range s.links {
		if of := s.messages[number]; of != nil && slices.Contains(files, f) && s.canAccess(user, of) {
			return true
		}
	}
	return false
}

// seesStream reports whether an account sees a stream's name and description apart from messages. Administrators still
// reach a deactivated stream by its ID (rest-api.md, section 1.9).
func (s *secrets) seesStream(user int64, st *stream) bool {
	about, role := s.about[st.id], s.roles[user]
	switch {
	case role.IsAdmin():
		return true
	case about.ended:
		return false
	case st.subscribed[user], about.once[user]:
		return true
	case s.model.bots[user] && st.subscribed[s.person("Mia").id]:
		return true
	}
	return (!st.private || about.listed) && role < actor.Guest
}

// sees returns the words that an account may see now.
func (s *secrets) sees(user int64) words {
	seen := maps.Clone(s.own[user])
	if s.ended[user] {
		return seen
	}
	for number, of := range s.messages {
		if s.canAccess(user, of) {
			seen.add(s.texts[number], wordsOf(of.topic))
			if st := s.streams[of.stream]; st != nil {
				seen.add(wordsOf(st.name))
			}
		}
	}
	for _, st := range s.streams {
		if s.seesStream(user, st) {
			seen.add(s.about[st.id].words)
		}
	}
	for _, f := range s.files {
		if s.mayRead(user, f) {
			seen.add(f.content)
		}
	}
	role := s.roles[user]
	for _, address := range s.addresses {
		if s.visible == 1 || s.visible == 3 && role.IsAdmin() {
			seen[address] = true
		}
	}
	if role.IsAdmin() {
		seen.add(s.invited, s.bots)
	}
	return seen
}

// learn notes the words that accounts may see now, and checks the answers since it was called last.
func (s *secrets) learn() {
	s.Helper()
	for _, p := range s.people {
		s.known[p.id].add(s.sees(p.id))
	}
	for _, h := range s.heard {
		if more := wordsOf(h.text).without(s.known[h.user], h.said); len(more) > 0 {
			s.Fatalf("%s reads %v in %s: %s", s.withID(h.user).name, more, h.what, h.text)
		}
	}
	s.heard = nil
}

// readEvents checks the events of all queues.
func (s *secrets) readEvents() {
	s.Helper()
	for _, queues := range []map[string]*servicetest.Queue{s.queues, s.wide} {
		for name, events := range s.world.EventsOf(queues) {
			p := s.person(name)
			for _, e := range events {
				if more := wordsOf(asJSON(e)).without(s.known[p.id]); len(more) > 0 {
					s.Fatalf("%s gets %v in the event %s", name, more, asJSON(e))
				}
			}
		}
	}
}
