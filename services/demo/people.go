package demo

import (
	"cmp"
	"image"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/stream"
)

// The people and bots, by first names.
const (
	owner  = "Ada Berg"
	admin  = "Ben Okoro"
	cleo   = "Cleo Marin"
	dario  = "Dario Fuchs"
	edda   = "Edda Lund"
	guest  = "Gus Visitor"
	helper = "Harbour Helper"
	pier   = "Pier Watch"
)

const (
	orgName        = "Harbour Works"
	orgDescription = "Boats, cranes and everybody who keeps them going."
	mailDomain     = "@harbour.example"
)

// person is an account to create.
type person struct {
	name  string
	email string // of a bot, without the domain, which is the server's
	role  actor.Role
	bot   actor.BotType
	owner string // of a bot
}

// people returns all accounts, people before their bots.
func people() []person {
	return []person{
		{name: owner, email: "ada" + mailDomain, role: actor.Owner},
		{name: admin, email: "ben" + mailDomain, role: actor.Administrator},
		{name: cleo, email: "cleo" + mailDomain, role: actor.Member},
		{name: dario, email: "dario" + mailDomain, role: actor.Member},
		{name: edda, email: "edda" + mailDomain, role: actor.Member},
		{name: guest, email: "gus" + mailDomain, role: actor.Guest},
		{name: helper, email: "helper-bot@", role: actor.Member, bot: actor.GenericBot, owner: cleo},
		{name: pier, email: "pier-bot@", role: actor.Member, bot: actor.IncomingWebhook, owner: dario},
	}
}

// streamSpec is a stream to create.
type streamSpec struct {
	name        string
	description string
	private     bool
	isDefault   bool
	members     []string
}

func streams() []streamSpec {
	return []streamSpec{
		{stream.General, stream.GeneralDescription, false, true, []string{owner, admin, cleo, dario, edda, guest, helper}},
		{"announcements", "News of the organization.", false, true, []string{owner, admin, cleo, dario, edda}},
		{"engineering", "Cranes, engines and code.", false, false, []string{admin, cleo, dario, helper}},
		{"kitchen", "Who eats what, and when.", false, false, []string{cleo, dario, edda}},
		{"shipping", "What comes and goes.", false, false, []string{admin, cleo, dario, edda, pier}},
		{"photos", "What the harbour looks like.", false, false, []string{admin, cleo, dario, edda}},
		{"board", "For the management.", true, false, []string{owner, admin}},
	}
}

// post is a message, to a topic of a stream or to people.
type post struct {
	from      string
	stream    string
	topic     string
	to        string // names, with commas between them
	content   string
	picture   func() image.Image  // its path replaces the %s of the content
	reactions map[string][]string // the people who reacted, by the names of the emoji
	parts     [][2]string         // of a poll or a list of tasks: person and content
}

// unreadPosts returns the unread messages.
func unreadPosts() []post {
	return []post{
		{from: owner, stream: "announcements", topic: "welcome", content: "Welcome to **Harbour Works**! :ship: Say hello in #**general**."},
		{from: cleo, stream: "general", topic: "hello", content: "Hello everybody :wave:"},
		{from: dario, stream: "general", topic: "hello", content: "Hi @**" + cleo + "**, good to see you here."},
		{from: guest, stream: "general", topic: "hello", content: "Is there coffee for guests, too?"},
		{from: admin, stream: "engineering", topic: "crane 4", content: "Crane 4 stops above 12 t. The log says:\n\n```text\nE17 load cell out of range\n```"},
		{from: cleo, stream: "engineering", topic: "crane 4", content: "> E17 load cell out of range\n\nThat cell was replaced in spring. I'll have a look after lunch."},
		{from: edda, stream: "kitchen", topic: "lunch", content: "Today:\n\n* fish soup\n* dumplings\n* salad"},
		{from: owner, stream: "board", topic: "budget", content: "The draft is ready; please read it until Friday."},
		{from: dario, to: cleo, content: "Can you show me crane 4 this afternoon?"},
	}
}

// draft returns the draft of the message. to is the recipients of a private one.
func (p post) draft(to string) message.Draft {
	if p.stream == "" {
		return message.Draft{Type: "private", To: &to, Content: p.content}
	}
	return message.Draft{Type: "stream", To: &p.stream, Topic: &p.topic, Content: p.content}
}

// roleName returns a role's name in the file.
func roleName(role actor.Role) string {
	names := map[actor.Role]string{actor.Owner: "owner", actor.Administrator: "administrator", actor.Member: "member", actor.Guest: "guest"}
	return cmp.Or(names[role], "unknown")
}

// botName returns the name of a kind of bots in the file.
func botName(kind actor.BotType) string {
	if kind == actor.IncomingWebhook {
		return "incoming_webhook"
	}
	return "generic"
}
