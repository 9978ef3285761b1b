package message

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/store"
)

// RendererVersion is stored with what the renderer made, so that a later version knows which messages to render again.
const RendererVersion = 3

// Rendered is a rendered message, with what it does to those it mentions.
type Rendered struct {
	markdown.Result
	// Attributes are those that follow from the content: all but [ReadBySender].
	Attributes Attributes
	// bots are the mentioned generic bots: in a public stream they hear of the message even where
	// they aren't subscribed.
	bots []id.User
	// Alerted are those who have an alert word that is in the message.
	Alerted []id.User
}

// renderTime is how long rendering may take (rest-api.md, section 7.10). No text that can be sent needs
// more than a fraction of it, but it bounds how long one waits for its turn.
const renderTime = 5 * time.Second

// maxCandidates bounds what a message can make us look up; names beyond it stay text.
const maxCandidates = 500

// Render renders content as sent by who, or fails with [ErrRendering]. within is the transaction that it
// looks people and streams up in; nil: one of its own, where there is something to look up.
func (s *Service) Render(ctx context.Context, who actor.Actor, content string, within *store.Tx) (Rendered, error) {
	in := markdown.Context{
		OrgURL: who.Sending.OrgURL, CodeLanguage: who.Sending.CodeLanguage,
		Previews: who.Sending.Previews, TranslateEmoticons: who.Sending.TranslateEmoticons, NoMentions: who.Sending.NoMentions,
	}
	names := markdown.Mentions(content)
	bots := map[id.User]bool{}
	if len(names.Users)+len(names.UserIDs)+len(names.Streams) > 0 {
		look := func(tx *store.Tx) error { return resolve(ctx, tx, names, &in, bots) }
		read := func() error { return s.db.Read(ctx, who.Org(), look) }
		if within != nil {
			read = func() error { return look(within) }
		}
		if err := read(); err != nil {
			return Rendered{}, fmt.Errorf("look up who is mentioned: %w", err)
		}
	}
	limited, cancel := context.WithTimeout(ctx, renderTime)
	defer cancel()
	result, err := s.markdown.Render(limited, content, in)
	if ctx.Err() != nil {
		return Rendered{}, fmt.Errorf("render a message: %w", ctx.Err())
	} else if err != nil {
		return Rendered{}, ErrRendering.Wrap(err)
	}
	out := Rendered{Result: result, Attributes: contentAttributes(content, result)}
	slices.Sort(out.MentionedUsers)
	out.MentionedUsers = slices.Compact(out.MentionedUsers)
	for _, user := range out.MentionedUsers {
		if bots[user] {
			out.bots = append(out.bots, user)
		}
	}
	out.Alerted, err = s.alerted(ctx, who, content, within)
	return out, err
}

// Preview renders a text as in a message of who. It fails with [ErrRendering].
func (s *Service) Preview(ctx context.Context, who actor.Actor, content string) (string, error) {
	body, err := s.Render(ctx, who, content, nil)
	return body.HTML, err
}

// contentAttributes returns the attributes of a message with this content.
func contentAttributes(content string, r markdown.Result) Attributes {
	f := Attributes(0)
	for _, mark := range [...]struct {
		set bool
		bit Attributes
	}{
		{r.Wildcard, MentionsAll},
		{r.HasLink, HasLink},
		{r.HasImage, HasImage},
		{r.HasAttachment, HasAttachment},
		{isMe(content), IsMe},
	} {
		if mark.set {
			f |= mark.bit
		}
	}
	return f
}

func resolve(ctx context.Context, tx *store.Tx, names markdown.Candidates, in *markdown.Context, bots map[id.User]bool) error {
	if len(names.Users)+len(names.UserIDs) > 0 {
		ids := id.Convert[int64](names.UserIDs[:min(maxCandidates, len(names.UserIDs))])
		rows, err := tx.MentionableUsers(ctx, names.Users[:min(maxCandidates, len(names.Users))], ids)
		if err != nil {
			return err
		}
		in.Users = make(map[string]markdown.User, len(rows))
		in.UsersByID = make(map[id.User]markdown.User, len(rows))
		for _, row := range rows {
			user := markdown.User{ID: row.UserID, Name: row.FullName}
			in.UsersByID[row.UserID] = user
			if key := strings.ToLower(row.FullName); in.Users[key].ID == 0 {
				in.Users[key] = user
			}
			bots[row.UserID] = row.BotType != nil && *row.BotType == actor.GenericBot
		}
	}
	if len(names.Streams) > 0 {
		wanted := names.Streams[:min(maxCandidates, len(names.Streams))]
		rows, err := tx.StreamsByExactName(ctx, wanted, lists.Map(wanted, strings.ToLower))
		if err != nil {
			return err
		}
		in.Streams = make(map[string]id.Stream, len(rows))
		for _, row := range rows {
			in.Streams[row.Name] = row.StreamID
		}
	}
	return nil
}
