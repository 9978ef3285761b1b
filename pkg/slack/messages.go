package slack

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/event"
)

// isNotice reports whether a row is an event of the channel instead of a message from an account.
func (m *messageRow) isNotice() bool {
	for _, kind := range []string{"channel_", "group_", "mpdm_", "message_", "bot_add", "bot_remove", "bot_disable", "bot_enable", "sh_room_", "huddle_", "pinned_item", "unpinned_item", "tombstone", "reminder_", "app_conversation_", "joiner_", "ekm_", "file_mention"} {
		if strings.HasPrefix(m.Subtype, kind) {
			return true
		}
	}
	return m.Type != "" && m.Type != "message"
}

// writeMessage writes a message with its reactions and files.
func (c *conversion) writeMessage(ctx context.Context, m said) error {
	if m.isNotice() {
		c.Leave("notices, and records of changes: "+first(m.Subtype, m.Type), c.example(m))
		return nil
	}
	who := c.sender(&m.messageRow)
	if who == nil || m.TS == 0 {
		c.Leave("messages without a sender or a time", c.example(m))
		return nil
	}
	c.mentions = map[int64]bool{}
	body, p := m.body(c), c.places[m.place]
	mentioned := c.mentions
	c.mentions = map[int64]bool{} // mentions in attachments have no effect
	files, err := c.writeFiles(ctx, m, who)
	if err != nil {
		return err
	}
	content := joined(append([]string{body, m.attached(c)}, files...)...)
	if content == "" {
		c.Leave("messages without content", c.example(m))
		return nil
	}
	c.last++
	row := archive.Message{ID: c.last, Sender: who.number, Recipient: c.recipient(p, who), Content: content, Sent: m.TS.time(), Client: client}
	if p.isStream() {
		row.Subject = c.topics.of(m.place, &m.messageRow, c)
		if p.IsArchived {
			p.spoke[who.number] = true
		}
	}
	if m.Edited != nil && m.Edited.TS > 0 {
		at := m.Edited.TS.time()
		row.Edited = &at
	}
	if err := c.beginFile(); err != nil {
		return err
	}
	if err := c.messages.Add(row); err != nil {
		return err
	}
	for _, account := range slices.Sorted(maps.Keys(mentioned)) {
		c.lastFlag++
		c.mentioned = append(c.mentioned, archive.UserMessage{ID: c.lastFlag, User: account, Message: c.last, Flags: int64(event.Read | event.Mentioned)})
	}
	if c.inMessages++; c.inMessages == inFile {
		if err := c.endFile(); err != nil {
			return err
		}
	}
	return c.writeReactions(m)
}

// recipient returns the recipient of a message. In a conversation of two it is the other account.
func (c *conversion) recipient(p *place, from *person) int64 {
	if p.kind != dms {
		return p.number
	}
	other, among := from, false
	for _, id := range p.Members {
		if one := c.memberOf(id); one == from {
			among = true
		} else {
			other = one
		}
	}
	if !among {
		return firstGroup + p.number
	}
	return firstPersonal + other.number
}

// memberOf returns the account with an id in a channel's list of members.
func (c *conversion) memberOf(id string) *person {
	if p := c.people[id]; p != nil {
		return p
	}
	return c.add(id, "Slack user "+id, false)
}

// beginFile starts a file for messages unless one is open already.
func (c *conversion) beginFile() (err error) {
	if c.messages != nil {
		return nil
	}
	c.messages, err = archive.NewTables(c.to, fmt.Sprintf("messages-%06d.json", c.last/inFile+1))
	if err == nil {
		c.messages.Begin(archive.Messages)
	}
	return err
}

// endFile completes the file with messages.
func (c *conversion) endFile() error {
	if c.messages == nil {
		return nil
	}
	c.messages.Begin(archive.UserMessages)
	for _, row := range c.mentioned {
		if err := c.messages.Add(row); err != nil {
			return err
		}
	}
	err := c.messages.Close()
	c.messages, c.inMessages, c.mentioned = nil, 0, c.mentioned[:0]
	return err
}

// writeReactions writes the reactions to the newest message.
func (c *conversion) writeReactions(m said) error {
	for _, r := range m.Reactions {
		code, name, ok := reactionOf(r.Name)
		if !ok {
			c.Leave("reactions with unknown emoji", r.Name)
			continue
		}
		for _, id := range r.Users {
			who := c.people[id]
			if who == nil {
				c.Leave("reactions of unknown accounts", c.example(m))
				continue
			}
			c.lastReacted++
			if err := c.realm.Add(archive.Reaction{
				ID: c.lastReacted, User: who.number, Message: c.last, Name: name, Code: code, Type: "unicode_emoji",
			}); err != nil {
				return err
			}
		}
	}
	return nil
}
