package slack

import (
	"crypto/sha1" //nolint:gosec // the format's name for a conversation
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/stream"
)

// namePlaces determines a unique name for each stream.
func (c *conversion) namePlaces() {
	taken := map[string]bool{}
	for _, p := range c.places {
		if !p.isStream() {
			continue
		}
		base := strings.TrimSpace(strings.NewReplacer("*", "", "\x00", "").Replace(first(p.Name, p.ID, "channel")))
		for n := 1; p.name == "" || taken[strings.ToLower(p.name)]; n++ {
			ending := ""
			if n > 1 {
				ending = "-" + strconv.Itoa(n)
			}
			letters := []rune(base)
			p.name = string(letters[:min(len(letters), stream.MaxName-len(ending))]) + ending
		}
		taken[strings.ToLower(p.name)] = true
	}
}

// writeRealm writes everything except messages and reactions.
func (c *conversion) writeRealm() error {
	created := seconds(c.created)
	c.realm.Begin(archive.Realms)
	if err := c.realm.Add(archive.Realm{ID: 1, Name: c.Name, Created: created, IconSource: "G", LogoSource: "D", NightLogoSource: "D"}); err != nil {
		return err
	}
	c.realm.Begin(archive.Clients)
	if err := c.realm.Add(archive.Client{ID: client, Name: "Slack"}); err != nil {
		return err
	}
	subscriptions := c.subscriptions() // may find people who aren't in users.json
	c.realm.Begin(archive.Users)
	for _, p := range c.all {
		p.row.Joined = created
		if err := c.realm.Add(p.row); err != nil {
			return err
		}
	}
	if err := c.writePlaces(); err != nil {
		return err
	}
	c.realm.Begin(archive.Subscriptions)
	for number, row := range subscriptions {
		row.ID = int64(number + 1)
		if err := c.realm.Add(row); err != nil {
			return err
		}
	}
	return c.writeRecords()
}

// writePlaces writes streams and conversations.
func (c *conversion) writePlaces() error {
	recipients, defaults := []archive.Recipient(nil), []archive.DefaultStream(nil)
	c.realm.Begin(archive.Streams)
	for _, p := range c.places {
		if !p.isStream() {
			continue
		}
		if p.IsGeneral && p.kind == channels && !p.IsArchived {
			defaults = append(defaults, archive.DefaultStream{ID: p.number, Realm: 1, Stream: p.number})
		}
		recipients = append(recipients, archive.Recipient{ID: p.number, Type: archive.ToStream, TypeID: p.number})
		if err := c.realm.Add(c.stream(p)); err != nil {
			return err
		}
	}
	c.realm.Begin(archive.DefaultStreams)
	for _, row := range defaults {
		if err := c.realm.Add(row); err != nil {
			return err
		}
	}
	c.realm.Begin(archive.Huddles)
	for _, p := range c.places {
		if p.isStream() {
			continue
		}
		number := huddle(p)
		recipients = append(recipients, archive.Recipient{ID: number, Type: archive.ToHuddle, TypeID: p.number})
		sum := sha1.Sum([]byte(p.ID)) //nolint:gosec // see above
		if err := c.realm.Add(archive.Huddle{ID: p.number, Hash: hex.EncodeToString(sum[:])}); err != nil {
			return err
		}
	}
	c.realm.Begin(archive.Recipients)
	for _, p := range c.all {
		recipients = append(recipients, archive.Recipient{ID: firstPersonal + p.number, Type: archive.ToUser, TypeID: p.number})
	}
	for _, row := range recipients {
		if err := c.realm.Add(row); err != nil {
			return err
		}
	}
	return nil
}

// huddle returns the recipient id of a conversation that counts as one of more than two.
func huddle(p *place) int64 {
	if p.kind == dms {
		return firstGroup + p.number
	}
	return p.number
}

// stream returns a channel in the form of an archive. Only administrators may send to a channel that is archived in
// Slack.
func (c *conversion) stream(p *place) archive.Stream {
	history, policy := true, 1
	description := plain(p.Purpose.Value, c)
	if topic := plain(p.Topic.Value, c); topic != "" && topic != description {
		description = strings.TrimPrefix(description+" – "+topic, " – ")
	}
	if p.IsArchived {
		policy, description = 2, strings.TrimSpace("Archived. "+description)
	}
	return archive.Stream{
		ID: p.number, Realm: 1, Recipient: &p.number, Name: p.name, Description: description, InviteOnly: p.kind == groups, HistoryPublic: &history,
		PostPolicy: policy, Created: seconds(p.Created),
	}
}

// subscriptions returns the subscriptions to streams and conversations. Archived public channels have no subscribers,
// because every member can read them. The members of an archived private channel, and all accounts that wrote there,
// are subscribed and have it muted.
func (c *conversion) subscriptions() []archive.Subscription {
	all := []archive.Subscription(nil)
	for _, p := range c.places {
		number := p.number
		if !p.isStream() {
			number = huddle(p)
		}
		in := maps.Clone(p.spoke)
		for _, id := range p.Members {
			in[c.memberOf(id).number] = true
		}
		ended := p.IsArchived && p.kind == channels
		for _, account := range slices.Sorted(maps.Keys(in)) {
			all = append(all, archive.Subscription{
				User: account, Recipient: number, Active: !ended, Color: color(p), Muted: p.IsArchived && p.kind == groups,
			})
		}
	}
	return all
}

// color returns the color of a stream. Neighbors in the list have different colors.
func color(p *place) string {
	const golden = 0x9e3779
	mixed := p.number * golden
	return fmt.Sprintf("#%02x%02x%02x", 0x60+mixed>>16&0x7f, 0x60+mixed>>8&0x7f, 0x60+mixed&0x7f)
}
