package slack

import (
	"context"
	"strconv"
	"strings"
	"unicode"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/archive"
)

// person is an account.
type person struct {
	number int64
	name   string
	row    archive.User
}

// readUsers reads all accounts.
func (c *conversion) readUsers(ctx context.Context) error {
	addresses := map[string]bool{}
	return rows(ctx, c, c.from.users, func(row userRow) error {
		if len(c.all) == maxUsers {
			return errMany
		}
		if row.ID == "" || c.people[row.ID] != nil {
			c.Leave("accounts without an id of their own", row.Name)
			return nil
		}
		p := c.add(row.ID, first(row.Profile.RealName, row.RealName, row.Profile.DisplayName, row.Name), row.IsBot)
		p.row.DeliveryEmail = strings.TrimSpace(row.Profile.Email)
		address := strings.ToLower(p.row.DeliveryEmail)
		p.row.Active, p.row.Timezone, p.row.Role = !row.Deleted && !row.IsBot && address != "" && !addresses[address], row.Timezone, int(role(row))
		addresses[address] = true
		if row.Profile.BotID != "" {
			c.byBot[row.Profile.BotID] = p
		}
		picture := row.Profile.ImageOriginal
		if picture == "" && row.Profile.CustomImage {
			picture = row.Profile.Image512
		}
		if isWeb(picture) {
			p.row.AvatarSource = "U"
			c.records = append(c.records, archive.Record{User: p.number, Path: "slack/" + strconv.FormatInt(p.number, 10) + ".original", SourceURL: picture})
		}
		return nil
	})
}

// add adds an inactive account.
func (c *conversion) add(id, name string, bot bool) *person {
	p := &person{number: int64(len(c.all) + 1)}
	if p.name = cleanName(name); len([]rune(p.name)) < 2 {
		p.name = cleanName("Slack " + name + " " + id)
	}
	p.row = archive.User{ID: p.number, Realm: 1, FullName: p.name, Role: int(actor.Member), IsBot: bot, AvatarSource: "G"}
	if bot {
		p.row.BotType = new(1)
	}
	c.all = append(c.all, p)
	c.people[id] = p
	return p
}

// role returns the role of an account.
func role(row userRow) actor.Role {
	switch {
	case row.IsOwner:
		return actor.Owner
	case row.IsAdmin:
		return actor.Administrator
	case row.IsRestricted, row.IsSingleGuest:
		return actor.Guest
	}
	return actor.Member
}

// cleanName returns a name in a form that is valid for accounts (package user).
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("*`\\>\"@|", r), r == unicode.ReplacementChar:
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, name)
	letters := []rune(strings.Join(strings.Fields(name), " "))
	return strings.TrimSpace(string(letters[:min(len(letters), 100)]))
}

// sender returns the account that wrote a message. It creates one for a bot or for a person of another workspace. It
// returns nil if there is no sender.
func (c *conversion) sender(m *messageRow) *person {
	id := m.User
	if id == "" && m.Comment != nil {
		id = m.Comment.User
	}
	if known := c.people[id]; known != nil {
		return known
	}
	if known := c.byBot[m.BotID]; known != nil {
		return known
	}
	if len(c.all) >= 2*maxUsers {
		return nil
	}
	switch {
	case m.BotID != "" || id == "" && m.Username != "":
		key := first(m.BotID, "bot "+m.Username)
		p := c.add(first(id, key), first(m.BotProfile.Name, m.Username, "Bot"), true)
		c.byBot[key] = p
		c.people[key] = p
		return p
	case id != "":
		return c.add(id, first(m.UserProfile.RealName, m.UserProfile.Name, m.Username, "Slack user "+id), false)
	}
	return nil
}

// person implements [names].
func (c *conversion) person(account string) string {
	if p := c.people[account]; p != nil {
		return p.name
	}
	return ""
}

// mention implements [names]. Inactive accounts can't be mentioned.
func (c *conversion) mention(account string) string {
	p := c.people[account]
	switch {
	case p == nil:
		return ""
	case !p.row.Active:
		return "@" + p.name
	}
	c.mentions[p.number] = true
	return "@**" + p.name + "|" + strconv.FormatInt(p.number, 10) + "**"
}

// link implements [names].
func (c *conversion) link(channel string) string {
	if p := c.byID[channel]; p != nil && p.isStream() {
		return "#**" + p.name + "**"
	}
	return ""
}
