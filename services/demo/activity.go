package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"iter"
	"maps"
	"slices"
	"strings"

	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/reaction"
	"chatserver.dev/pkg/submessage"
)

// arrivals is the number of messages of the long topic.
const arrivals = 60

// before is at least the number of messages before the unread ones.
const before = 500

// statuses returns people's statuses.
func statuses() map[string]string {
	return map[string]string{admin: "On crane 2 until three", cleo: "Ask me about load cells", edda: "Soup at noon", guest: "Visiting until Friday"}
}

// groups returns the members of user groups.
func groups() map[string][]string {
	return map[string][]string{"harbour pilots": {admin, dario, edda}, "night shift": {cleo, dario}}
}

// readPosts returns the messages before [unreadPosts], which everyone has read.
func readPosts() []post {
	posts := []post{}
	ships := []string{"Nordlys", "Marea", "Calypso", "Kittiwake", "Blue Heron", "Sankt Olav", "Tern", "Aurelia"}
	remarks := []string{"no delay", "waits for the tide", "asks for water", "has a new master", "needs a second tug"}
	for i := range arrivals {
		ship, who := ships[i%len(ships)], []string{edda, dario, pier}[i%3]
		posts = append(posts, post{
			from: who, stream: "shipping", topic: "arrivals",
			content: fmt.Sprintf("**%s** is at berth %d: %d containers, %s.", ship, 1+i*5%7, 40+i*37%300, remarks[i*3%len(remarks)]),
		})
	}
	return append(posts,
		post{from: edda, stream: "shipping", topic: "tides", content: "| day | high | low |\n|---|---:|---:|\n| Monday | 05:12 | 11:31 |\n| Tuesday | 06:04 | 12:20 |\n| Wednesday | 06:58 | 13:11 |"},
		post{from: dario, stream: "engineering", topic: "winch controller", content: "This stops the winch before it overruns:\n\n```python\ndef limit(speed, length, brake=0.8):\n    \"\"\"The speed at which the rope can still be stopped.\"\"\"\n    return min(speed, (2 * brake * length) ** 0.5)\n```", reactions: map[string][]string{"thumbs_up": {cleo, admin}, "rocket": {cleo}}},
		post{from: cleo, stream: "engineering", topic: "winch controller", content: "With the brake of crane 4, that is\n\n$$ v = \\sqrt{2 a \\ell} = \\sqrt{2 \\cdot 0.8 \\cdot 4.05} \\approx 2.5 $$\n\n```spoiler In short\nIt holds.\n```"},
		post{from: admin, stream: "engineering", topic: "winch controller", content: "> It holds.\n\n:tada: Then it goes to all cranes on *Thursday*. @*night shift*, please keep an eye on it.", reactions: map[string][]string{"tada": {cleo, dario}}},
		post{from: edda, stream: "kitchen", topic: "friday", content: "/poll What do we cook on Friday?\nRoast fish\nDumplings\nPancakes", parts: [][2]string{vote(edda, 1), vote(cleo, 2), vote(dario, 2)}},
		post{from: cleo, stream: "kitchen", topic: "friday", content: "/todo", parts: [][2]string{task(cleo, 1, "Buy flour"), task(edda, 2, "Borrow the large pan")}},
		post{from: edda, stream: "photos", topic: "evenings", content: "Crane 4 last night, from the pier:\n\n[evening.png](%s)", picture: evening, reactions: map[string][]string{"heart": {cleo, dario, admin}, "camera": {cleo}}},
		post{from: owner, to: cleo, content: "Welcome aboard! Your key for the workshop is at the gate."},
		post{from: cleo, to: owner, content: "Thank you :smile:"},
		post{from: edda, to: cleo + ", " + dario, content: "Who brings the bread?"},
		post{from: cleo, to: dario + ", " + edda, content: "I do."},
	)
}

// posts returns all messages, in their order.
func posts() []post { return append(readPosts(), unreadPosts()...) }

// addActivity sets statuses, groups and pictures, unless messages were sent before, and sends the missing messages.
func (s *seeding) addActivity(ctx context.Context) error {
	all, read := posts(), len(readPosts())
	if s.missing == len(all) {
		if err := s.addSettings(ctx); err != nil {
			return err
		}
	}
	for i := max(0, len(all)-s.missing); i < len(all); i++ {
		sent, err := s.say(ctx, all[i])
		if err == nil && i == read-1 {
			err = s.markRead(ctx, sent)
		}
		if err == nil {
			err = s.sent(len(all) - i - 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addSettings sets statuses, groups and pictures.
func (s *seeding) addSettings(ctx context.Context) error {
	for name, text := range sorted(statuses()) {
		if err := s.domain.Statuses.Set(ctx, s.actor(name), nil, &text); err != nil {
			return fmt.Errorf("status of %s: %w", name, err)
		}
	}
	for name, members := range sorted(groups()) {
		draft := group.Draft{Name: name, Description: "Those who are there."}
		for _, member := range members {
			draft.Members = append(draft.Members, s.users[member].ID)
		}
		if _, err := s.domain.Groups.Create(ctx, s.actor(owner), draft); err != nil && !errors.Is(err, group.ErrExists) {
			return fmt.Errorf("group %s: %w", name, err)
		}
	}
	if s.deps.Config.Files.Given() {
		for i, p := range people() {
			if _, err := s.domain.Avatars.SetOwn(ctx, s.actor(p.name), encoded(portrait(i))); err != nil {
				return fmt.Errorf("picture of %s: %w", p.name, err)
			}
		}
	}
	return nil
}

// markRead marks the messages up to the last of [readPosts] as read.
func (s *seeding) markRead(ctx context.Context, last id.Message) error {
	// The range includes earlier notices about streams.
	said := []id.Message{}
	for n := max(1, last-before); n <= last; n++ {
		said = append(said, n)
	}
	for _, who := range []string{owner, admin, cleo, dario, edda} {
		change := inbox.FlagChange{Messages: said, Flag: "read"}
		if err := s.domain.Inbox.SetFlags(ctx, s.actor(who), change); err != nil {
			return fmt.Errorf("what %s has read: %w", who, err)
		}
	}
	return nil
}

// say sends a message with its picture, and adds its reactions and parts.
func (s *seeding) say(ctx context.Context, p post) (id.Message, error) {
	if p.picture != nil {
		path := "#"
		if s.deps.Config.Files.Given() {
			var err error
			if _, path, err = s.domain.Attachments.Add(ctx, s.actor(p.from), attachment.Upload{Name: "evening.png", Content: encoded(p.picture())}); err != nil {
				return 0, fmt.Errorf("upload of %s: %w", p.from, err)
			}
		}
		p.content = fmt.Sprintf(p.content, path)
	}
	to := []string{}
	for name := range strings.SplitSeq(p.to, ", ") {
		to = append(to, fmt.Sprint(s.users[name].ID))
	}
	sent, err := s.domain.Messages.Send(ctx, s.actor(p.from), p.draft("["+strings.Join(to, ",")+"]"))
	if err != nil {
		return 0, fmt.Errorf("message of %s: %w", p.from, err)
	}
	for name, accounts := range sorted(p.reactions) {
		for _, who := range accounts {
			if err := s.domain.Reactions.Add(ctx, s.actor(who), sent, reaction.Emoji{Name: name}); err != nil {
				return 0, fmt.Errorf("reaction of %s: %w", who, err)
			}
		}
	}
	for _, part := range p.parts {
		if err := s.domain.Submessages.Add(ctx, s.actor(part[0]), submessage.Draft{Message: sent, Type: "widget", Content: part[1]}); err != nil {
			return 0, fmt.Errorf("part of %s: %w", part[0], err)
		}
	}
	return sent, nil
}

// sorted iterates over a map in the order of its keys.
func sorted[V any](of map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(of)) {
			if !yield(key, of[key]) {
				return
			}
		}
	}
}

// vote returns a part with a vote for an option of a poll.
func vote(who string, option int) [2]string {
	return [2]string{who, fmt.Sprintf(`{"type":"vote","key":"canned,%d","vote":1}`, option)}
}

// task returns a part that adds a task to a list.
func task(who string, number int, name string) [2]string {
	return [2]string{who, fmt.Sprintf(`{"type":"new_task","key":%d,"task":%q,"desc":"","completed":false}`, number, name)}
}

// encoded returns a picture as a PNG file.
func encoded(picture image.Image) *bytes.Buffer {
	file := &bytes.Buffer{}
	_ = png.Encode(file, picture) // writing to memory doesn't fail
	return file
}
