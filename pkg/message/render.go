package message

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/customemoji"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/widget"
)

// RendererVersion is stored with rendered messages, so that a later version knows which ones to render again.
const RendererVersion = 3

// Rendered is a rendered message, with the accounts that it mentions.
type Rendered struct {
	// Content is what was rendered.
	Content string
	// Result has the members of mentioned groups among the mentioned users, ascending.
	markdown.Result
	// Attributes are those that depend on the content only.
	Attributes Attributes
	// bots are the mentioned generic bots. In public streams, they receive the message even if
	// they aren't subscribed.
	bots []id.User
	// called are the mentioned outgoing webhook bots.
	called []id.User
	// Attachments are the uploaded files in the message that its sender may read.
	Attachments []id.Attachment
	// Alerted are the users with an alert word in the message.
	Alerted []id.User
	widget  string // content of the first submessage, as JSON; empty: there is none
	// linkifiers are the organization's.
	linkifiers []*markdown.Linkifier
}

// Limits on the names in a message that are looked up, and on the accounts whose flags it sets. Names
// beyond them are text.
const (
	maxCandidates = 500 // names of a kind
	// maxInGroups is the maximum total number of members of mentioned groups. An account counts once for each group.
	maxInGroups = group.MaxMembers
)

// Render renders content as sent by who, or fails with [ErrRendering] or, if it can be tried again, [ErrBusy]. within is the
// transaction in which it looks up people and streams; nil: a new one, if there are any.
func (s *Service) Render(ctx context.Context, who actor.Actor, content string, within *store.Tx) (Rendered, error) {
	in, found, err := s.renderContext(ctx, who, content, within)
	if err != nil {
		return Rendered{}, err
	}
	result, err := s.Markdown.Render(ctx, content, in)
	switch {
	case ctx.Err() != nil:
		return Rendered{}, fmt.Errorf("render a message: %w", ctx.Err())
	case errors.Is(err, markdown.ErrBusy):
		return Rendered{}, ErrBusy
	case err != nil:
		return Rendered{}, ErrRendering.Wrap(err)
	}
	out := Rendered{Content: content, Result: result, Attributes: ContentAttributes(content, result), linkifiers: in.Linkifiers}
	out.resolveMentioned(found)
	if out.Attachments, err = s.attachments(ctx, who, result.Uploads, within); err != nil {
		return out, err
	}
	out.Alerted, err = s.alerted(ctx, who, content, within)
	return out, err
}

// renderContext returns what rendering content depends on besides the content, and the bots and groups that it may mention.
func (s *Service) renderContext(
	ctx context.Context, who actor.Actor, content string, within *store.Tx,
) (in markdown.Context, found mentionable, err error) {
	in = markdown.Context{
		OrgURL: who.Sending.OrgURL, CodeLanguage: who.Sending.CodeLanguage,
		Previews: who.Sending.Previews, TranslateEmoticons: who.Sending.TranslateEmoticons,
		NoMentions: who.Sending.NoMentions, NoIndentedCode: who.Sending.NoIndentedCode,
	}
	if within == nil { // a transaction doesn't wait: its connection and locks are needed by others
		in.Org = who.Org()
	}
	if in.Linkifiers, err = s.linkifiersOf(ctx, who, within); err != nil {
		return in, found, err
	}
	found = mentionable{bots: map[id.User]actor.BotType{}, groups: map[id.Group][]id.User{}}
	names := markdown.FindCandidates(content)
	if names.Empty() {
		return in, found, nil
	}
	look := func(tx *store.Tx) error { return found.resolve(ctx, tx, names, &in) }
	if within != nil {
		err = look(within)
	} else {
		err = s.DB.Read(ctx, who.Org(), look)
	}
	if err != nil {
		return in, found, fmt.Errorf("look up who is mentioned: %w", err)
	}
	return in, found, nil
}

// resolveMentioned finds the bots among the mentioned users, and adds the members of the mentioned groups to the users.
func (r *Rendered) resolveMentioned(found mentionable) {
	for _, user := range r.MentionedUsers {
		switch found.bots[user] { //nolint:exhaustive // others receive it like people
		case actor.GenericBot:
			r.bots = append(r.bots, user)
		case actor.OutgoingWebhook:
			r.called = append(r.called, user)
		}
	}
	slices.Sort(r.bots)
	slices.Sort(r.called)
	r.called = slices.Compact(r.called)
	for _, mentioned := range r.MentionedGroups {
		r.MentionedUsers = append(r.MentionedUsers, found.groups[mentioned]...)
	}
	slices.Sort(r.MentionedUsers)
	r.MentionedUsers = slices.Compact(r.MentionedUsers)
}

// renderDraft renders a message that is about to be sent, with its widget. within is as for [Service.Render]. It fails with
// widget.ErrJSON, widget.ErrInvalid, or as Render does.
func (s *Service) renderDraft(ctx context.Context, who actor.Actor, content string, draft Draft, within *store.Tx) (Rendered, error) {
	first, err := "", error(nil)
	switch {
	case draft.Widget != nil:
		first, err = widget.FromParameter(*draft.Widget)
	case !who.Sending.NoMentions: // without mentions, the author isn't the sender
		first, err = widget.FromText(content)
	}
	if err != nil {
		return Rendered{}, err
	}
	body, err := s.Render(ctx, who, content, within)
	body.widget = first
	return body, err
}

// attachments returns those of the uploaded files at the paths that who may read.
func (s *Service) attachments(ctx context.Context, who actor.Actor, paths []string, within *store.Tx) ([]id.Attachment, error) {
	if within != nil || len(paths) == 0 {
		return attachment.Claimable(ctx, within, who, paths)
	}
	return store.Read(ctx, s.DB, who.Org(), func(tx *store.Tx) ([]id.Attachment, error) {
		return attachment.Claimable(ctx, tx, who, paths)
	})
}

// linkifiersOf returns the linkifiers for messages of who. within is the transaction in which to read them, or nil.
func (s *Service) linkifiersOf(ctx context.Context, who actor.Actor, within *store.Tx) ([]*markdown.Linkifier, error) {
	if within != nil {
		return s.Linkifiers.In(ctx, within, who)
	}
	return s.Linkifiers.Of(ctx, who)
}

// TopicLinks returns the URLs in a topic of messages of who.
func (s *Service) TopicLinks(ctx context.Context, tx *store.Tx, who actor.Actor, topic string) ([]string, error) {
	linkifiers, err := s.Linkifiers.In(ctx, tx, who)
	return markdown.NewTopics(linkifiers).Links(topic), err
}

// Preview renders a text as in a message of who. It fails with [ErrRendering] or [ErrBusy].
func (s *Service) Preview(ctx context.Context, who actor.Actor, content string) (string, error) {
	body, err := s.Render(ctx, who, content, nil)
	return body.HTML, err
}

// mentionable is the bots and groups that a text may mention.
type mentionable struct {
	bots   map[id.User]actor.BotType
	groups map[id.Group][]id.User // members, by group
}

// resolve looks up the names in a text, and adds those that exist to in and to m.
func (m mentionable) resolve(ctx context.Context, tx *store.Tx, names markdown.Candidates, in *markdown.Context) error {
	if err := m.resolveUsers(ctx, tx, names, in); err != nil {
		return err
	}
	if err := m.resolveGroups(ctx, tx, names, in); err != nil {
		return err
	}
	if err := resolveEmoji(ctx, tx, names, in); err != nil {
		return err
	}
	return resolveStreams(ctx, tx, names, in)
}

func resolveEmoji(ctx context.Context, tx *store.Tx, names markdown.Candidates, in *markdown.Context) error {
	if len(names.Emoji) == 0 {
		return nil
	}
	found, err := customemoji.ByNames(ctx, tx, first(names.Emoji))
	if err != nil {
		return err
	}
	in.Emoji = make(map[string]string, len(found))
	for name, emoji := range found {
		in.Emoji[name] = emoji.SourceURL
	}
	return nil
}

func resolveStreams(ctx context.Context, tx *store.Tx, names markdown.Candidates, in *markdown.Context) error {
	if len(names.Streams) == 0 {
		return nil
	}
	wanted := first(names.Streams)
	rows, err := tx.StreamsByExactName(ctx, wanted, lists.Map(wanted, strings.ToLower))
	if err != nil {
		return err
	}
	in.Streams = make(map[string]id.Stream, len(rows))
	for _, row := range rows {
		in.Streams[row.Name] = row.StreamID
	}
	return nil
}

func (m mentionable) resolveUsers(ctx context.Context, tx *store.Tx, names markdown.Candidates, in *markdown.Context) error {
	if len(names.Users)+len(names.UserIDs) == 0 {
		return nil
	}
	rows, err := tx.MentionableUsers(ctx, first(names.Users), id.Convert[int64](first(names.UserIDs)))
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
		if row.BotType != nil {
			m.bots[row.UserID] = *row.BotType
		}
	}
	return nil
}

// resolveGroups looks up the first groups that have at most [maxInGroups] members in total.
func (m mentionable) resolveGroups(ctx context.Context, tx *store.Tx, names markdown.Candidates, in *markdown.Context) error {
	if len(names.Groups) == 0 {
		return nil
	}
	wanted := first(names.Groups)
	rows, err := tx.UserGroupsByName(ctx, wanted)
	if err != nil {
		return err
	}
	byName := lists.Index(rows, func(row sqlc.UserGroup) string { return row.Name })
	in.Groups = make(map[string]id.Group, len(rows))
	left := maxInGroups
	for _, name := range wanted {
		row, ok := byName[name]
		if left -= len(row.Members); left < 0 {
			break
		}
		if ok {
			in.Groups[name], m.groups[row.GroupID] = row.GroupID, row.Members
		}
	}
	return nil
}

// first returns the first maxCandidates names.
func first[T any](names []T) []T { return names[:min(maxCandidates, len(names))] }
