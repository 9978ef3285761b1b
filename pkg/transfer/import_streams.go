package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/profile"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

// streamColumns is a row of streams.
type streamColumns struct {
	StreamID      id.Stream `json:"stream_id"`
	Version       int       `json:"version"`
	Name          string    `json:"name"`
	Description   string    `json:"description"`
	Rendered      string    `json:"rendered_description"`
	InviteOnly    bool      `json:"invite_only"`
	WebPublic     bool      `json:"is_web_public"`
	HistoryPublic bool      `json:"history_public"`
	PostPolicy    int       `json:"post_policy"`
	RetentionDays *int      `json:"retention_days"`
	IsDefault     bool      `json:"is_default"`
	Deactivated   bool      `json:"deactivated"`
	CreatedAt     time.Time `json:"created_at"`
}

// botsAndStreams imports bots, streams, linkifiers, profile fields and groups.
func (m *importing) botsAndStreams(ctx context.Context) error {
	if err := known(ctx, m, "field", m.fields); err != nil {
		return err
	}
	bots, err := m.accountRows(ctx)
	if err != nil {
		return err
	}
	streams, err := newObjects[streamColumns](ctx, m, kind{"stream", "streams", "recipient_ids"}, m.streams)
	if err != nil {
		return err
	}
	m.mentions.Streams, m.mentions.OrgURL = map[string]id.Stream{}, m.org.URI
	m.mentions.Previews = m.org.Settings.InlineImagePreview
	names := map[string]bool{}
	defaults := map[int64]bool{}
	err = m.tables(ctx, map[string]archive.Row{
		archive.DefaultStreams: archive.Rows(func(row archive.DefaultStream) error {
			defaults[row.Stream] = true
			return nil
		}),
	})
	if err != nil {
		return err
	}
	err = m.tables(ctx, map[string]archive.Row{
		archive.Users: archive.Rows(func(row archive.User) error {
			if !row.IsBot {
				return nil
			}
			return m.account(ctx, bots, row)
		}),
		archive.Streams: archive.Rows(func(row archive.Stream) error {
			return m.stream(ctx, streams, row, names, defaults[row.ID])
		}),
		archive.Linkifiers:    rowsWith(ctx, m.linkifier),
		archive.ProfileFields: rowsWith(ctx, m.field),
	})
	if err != nil {
		return err
	}
	if err := bots.flush(ctx); err != nil {
		return err
	}
	if err := streams.flush(ctx); err != nil {
		return err
	}
	if err := m.orderFields(ctx); err != nil {
		return err
	}
	if err := m.streamGroups(ctx, defaults); err != nil {
		return err
	}
	return m.userGroups(ctx)
}

func (m *importing) stream(ctx context.Context, rows *objects[id.Stream, streamColumns], row archive.Stream, names map[string]bool, isDefault bool) error {
	made, done, err := rows.id(ctx, row.ID)
	if err != nil {
		return err
	}
	s := streamColumns{
		StreamID: made, Version: 1, Name: cut(spelling.Name(row.Name), stream.MaxName), Description: stream.OneLine(cut(row.Description, stream.MaxDescription)), InviteOnly: row.InviteOnly,
		WebPublic: row.WebPublic && !row.InviteOnly, HistoryPublic: !row.InviteOnly, PostPolicy: row.PostPolicy, RetentionDays: row.RetentionDays,
		IsDefault: isDefault && !row.InviteOnly && !row.Deactivated, Deactivated: row.Deactivated, CreatedAt: row.Created.Time,
	}
	if row.InviteOnly && row.HistoryPublic != nil {
		s.HistoryPublic = *row.HistoryPublic
	}
	if d := s.RetentionDays; d != nil && *d != -1 && (*d < 1 || *d > 1<<30) {
		s.RetentionDays = nil
	}
	m.limitSenders(&s, row)
	m.nameStream(&s, row, names)
	html, err := m.Markdown.RenderDescription(ctx, s.Description, markdown.Context{OrgURL: m.org.URI})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		m.report.leave("descriptions of streams that can't be rendered", row.Name)
		s.Description = ""
	}
	s.Rendered = html
	m.report.count("streams", 1)
	if done {
		return nil
	}
	return rows.add(ctx, row.ID, s)
}

// limitSenders sets who may send to a stream. An import never permits more than the archive does.
func (m *importing) limitSenders(s *streamColumns, row archive.Stream) {
	switch policy := permit.PostPolicy(row.PostPolicy); {
	case policy == 0 && row.Senders == nil:
		s.PostPolicy = int(permit.PostAnyone)
	case policy == permit.PostAdmins && row.NewMembersOnly:
		s.PostPolicy = int(permit.PostNewMembers)
	case policy != permit.PostAnyone && policy != permit.PostAdmins:
		m.report.leave("streams with unknown rules about who may send: only administrators may", row.Name)
		s.PostPolicy = int(permit.PostAdmins)
	}
}

// nameStream replaces a name that is invalid, or that another active stream has. names are the names of active streams.
func (m *importing) nameStream(s *streamColumns, row archive.Stream, names map[string]bool) {
	if stream.CheckName(s.Name) != nil {
		m.report.leave("streams with an invalid name get a new name", row.Name)
		s.Name = fmt.Sprintf("stream %d", s.StreamID)
	}
	if s.Deactivated {
		return
	}
	if names[strings.ToLower(s.Name)] {
		m.report.leave("streams with a name that another stream has get a new name", row.Name)
		s.Name = cut(fmt.Sprintf("%d %s", s.StreamID, s.Name), stream.MaxName)
	}
	names[strings.ToLower(s.Name)] = true
	m.mentions.Streams[s.Name] = s.StreamID
}

// administrator returns the actor for operations that need one.
func (m *importing) administrator() actor.Actor {
	return actor.New(m.org.ID, actor.Actor{User: m.owner, Role: actor.Owner})
}

// leaveIf adds a row that this server rejects as invalid to the report, and returns other errors.
func (m *importing) leaveIf(err error, what, example string) error {
	forbidden := (*fault.Fault)(nil)
	if errors.As(err, &forbidden) && forbidden.Kind == fault.Invalid {
		m.report.leave(what+": "+forbidden.Msg, example)
		return nil
	}
	return err
}

func (m *importing) linkifier(ctx context.Context, row archive.Linkifier) error {
	if row.URLTemplate != "" {
		format, ok := urlFormat(row.URLTemplate)
		if !ok {
			m.report.leave("linkifiers with addresses that can't be made here", row.Pattern+" "+row.URLTemplate)
			return nil
		}
		row.URLFormat = format
	}
	there := false
	err := m.DB.Read(ctx, m.org.ID, func(tx *store.Tx) error {
		rows, err := tx.Linkifiers(ctx)
		there = slices.ContainsFunc(rows, func(l sqlc.LinkifiersRow) bool { return l.Pattern == strings.TrimSpace(row.Pattern) })
		return err
	})
	if err != nil || there { // an interrupted import may have created it
		return err
	}
	if err := m.stillHeld(ctx); err != nil {
		return err
	}
	_, err = m.Linkifiers.Add(ctx, m.administrator(), row.Pattern, row.URLFormat)
	if err == nil {
		m.report.count("linkifiers", 1)
	}
	return m.leaveIf(err, "linkifiers", row.Pattern)
}

// urlFormat converts a URL template to this server's format; ok is false if it has other expressions than group names, {name}.
func urlFormat(template string) (format string, ok bool) {
	name := regexp.MustCompile(`\{([a-zA-Z0-9_]+)\}`)
	return name.ReplaceAllString(template, "%($1)s"), !strings.ContainsAny(name.ReplaceAllString(template, ""), "%{}")
}

func (m *importing) field(ctx context.Context, row archive.ProfileField) error {
	kind := user.FieldType(max(0, min(row.Type, 100)))
	m.kinds[row.ID] = kind
	if made := m.fields[row.ID]; made != 0 {
		m.orders[made] = row.Order
		return nil
	}
	there, err := m.Profiles.Fields(ctx, m.administrator())
	if err != nil {
		return err
	}
	draft := profile.Draft{Name: cut(row.Name, 40), Hint: cut(row.Hint, 80), Type: kind}
	if row.Data != "" {
		if err := json.Unmarshal([]byte(row.Data), &draft.Data); err != nil {
			m.report.leave("profile fields whose data isn't JSON", row.Name)
			return nil //nolint:nilerr // it is in the report
		}
	}
	number := int64(0)
	for _, f := range there {
		if f.Name == draft.Name {
			number = f.ID // an interrupted import created it
		}
	}
	if number == 0 {
		if err := m.stillHeld(ctx); err != nil {
			return err
		}
		if number, err = m.Profiles.Create(ctx, m.administrator(), draft); err != nil {
			return m.leaveIf(err, "profile fields", row.Name)
		}
	}
	m.fields[row.ID], m.orders[number] = number, row.Order
	m.report.count("profile fields", 1)
	return m.write(ctx, func(tx *store.Tx) error { return noteIDs(ctx, tx, idRow{"field", row.ID, number}) })
}

// orderFields puts the profile fields into the order of the archive, whose rows may be in another one.
func (m *importing) orderFields(ctx context.Context) error {
	if len(m.orders) == 0 {
		return nil
	}
	if err := m.stillHeld(ctx); err != nil {
		return err
	}
	numbers := slices.SortedFunc(maps.Keys(m.orders), func(a, b int64) int {
		return cmp.Or(cmp.Compare(m.orders[a], m.orders[b]), cmp.Compare(a, b))
	})
	return m.leaveIf(m.Profiles.Order(ctx, m.administrator(), numbers), "the order of profile fields", "")
}
