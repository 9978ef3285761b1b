package transfer

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/jsonmembers"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// realm writes realm.json. Accounts come before the rows that refer to them, and streams before subscriptions.
func (x *export) realm(ctx context.Context) error {
	out, err := archive.NewTables(x.to, archive.RealmFile)
	if err != nil {
		return err
	}
	r := &realmExport{export: x, Tables: out}
	for _, write := range []func(ctx context.Context) error{
		r.organization, r.accounts, r.answers, r.places, r.groups, r.onMessages, r.private, r.programs,
	} {
		if err := write(ctx); err != nil {
			return err
		}
	}
	return out.Close()
}

// realmExport is realm.json while it is written.
type realmExport struct {
	*export
	*archive.Tables

	system []archive.SystemUser
}

// add writes a row, and counts it.
func (r *realmExport) add(what string, row any) error {
	r.report.count(what, 1)
	return r.Add(row)
}

// writeTable writes a table, and counts its rows. row returns the row of the archive, with its number, that is made of one read; nil: none.
func writeTable[R any](
	ctx context.Context, r *realmExport, name, what string, read func(tx *store.Tx, last R) ([]R, error), row func(number int64, from R) any,
) error {
	r.Begin(name)
	number := int64(1)
	return portions(ctx, r.export, read, func(from R) error {
		made := row(number, from)
		if made == nil {
			return nil
		}
		number++
		return r.add(what, made)
	})
}

func (r *realmExport) organization(ctx context.Context) error {
	o, linkifiers, domains, emoji := org.Org{}, []sqlc.LinkifiersRow(nil), []sqlc.EmailDomainsRow(nil), []sqlc.ArchivedEmojiRow(nil)
	err := r.DB.Read(ctx, r.of, func(tx *store.Tx) (err error) {
		if o, err = r.Orgs.Load(ctx, tx); err != nil {
			return err
		}
		if linkifiers, err = tx.Linkifiers(ctx); err != nil {
			return err
		}
		if domains, err = tx.EmailDomains(ctx); err != nil {
			return err
		}
		emoji, err = tx.ArchivedEmoji(ctx)
		return err
	})
	if err != nil {
		return err
	}
	row, err := realmOf(o)
	if err != nil {
		return err
	}
	r.Begin(archive.Realms)
	if err := r.Add(row); err != nil {
		return err
	}
	r.Begin(archive.Domains)
	for i, d := range domains {
		if err := r.add("domains", archive.Domain{ID: int64(i + 1), Realm: int64(r.of), Domain: d.Domain, AllowSubdomains: d.AllowSubdomains}); err != nil {
			return err
		}
	}
	r.Begin(archive.Linkifiers)
	for _, l := range linkifiers {
		if err := r.add("linkifiers", archive.Linkifier{ID: l.LinkifierID, Realm: int64(r.of), Pattern: l.Pattern, URLFormat: l.URLFormat}); err != nil {
			return err
		}
	}
	r.Begin(archive.Emoji)
	for _, e := range emoji {
		author := int64(e.AuthorID)
		if err := r.add("emoji", archive.RealmEmoji{
			ID: e.EmojiID, Realm: int64(r.of), Author: &author, Name: e.Name, FileName: emojiFile(e), Deactivated: !e.Active,
		}); err != nil {
			return err
		}
	}
	return nil
}

// emojiFile returns the name of an emoji's image in the archive.
func emojiFile(e sqlc.ArchivedEmojiRow) string {
	ending := ".png"
	if e.Animated {
		ending = ".gif"
	}
	return strconv.FormatInt(e.EmojiID, 10) + ending
}

// realmOf returns an organization as a row of the archive.
func realmOf(o org.Org) (archive.Realm, error) {
	settings := map[string]json.RawMessage{}
	if err := jsonmembers.Copy(o.Settings, &settings); err != nil {
		return archive.Realm{}, err
	}
	for _, name := range []string{"notifications_stream_id", "signup_notifications_stream_id", "authentication_methods"} {
		delete(settings, name)
	}
	methods, chosen := [][2]any{}, o.Methods
	if chosen == nil {
		chosen = o.Settings.AuthenticationMethods
	}
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		methods = append(methods, [2]any{name, chosen[name]})
	}
	encoded, err := json.Marshal(methods)
	return archive.Realm{
		ID: int64(o.ID), Subdomain: o.Subdomain, Name: o.Name, Description: o.Description, Created: archive.Time{Time: o.Created},
		NotificationsStream: optional(o.Settings.NotificationsStreamID), SignupStream: optional(o.Settings.SignupNotificationsStreamID),
		Methods: encoded, AllMethods: o.Methods == nil, IconSource: source(o, org.Icon, "G"), LogoSource: source(o, org.Logo, "D"), NightLogoSource: source(o, org.NightLogo, "D"),
		Settings: settings,
	}, err
}

// source returns U for an uploaded picture, and otherwise other.
func source(o org.Org, kind org.PictureKind, other string) string {
	if o.Picture(kind).Path != "" {
		return "U"
	}
	return other
}

func optional(stream int64) *int64 {
	if stream == org.NoStream {
		return nil
	}
	return &stream
}

func (r *realmExport) groups(ctx context.Context) error {
	groups, err := store.Read(ctx, r.DB, r.of, func(tx *store.Tx) ([]sqlc.UserGroup, error) { return tx.UserGroups(ctx) })
	if err != nil {
		return err
	}
	r.Begin(archive.Groups)
	for _, g := range groups {
		row := archive.Group{ID: int64(g.GroupID), Realm: int64(r.of), Name: g.Name, Description: g.Description}
		if g.ExternalID != nil && !r.PublicOnly {
			row.ExternalID = *g.ExternalID
		}
		if err := r.add("user groups", row); err != nil {
			return err
		}
	}
	r.Begin(archive.GroupMembers)
	number := int64(0)
	for _, g := range groups {
		for _, member := range g.Members {
			if !r.people[member] {
				continue
			}
			number++
			if err := r.Add(archive.GroupMember{ID: number, Group: int64(g.GroupID), User: int64(member)}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *realmExport) programs(context.Context) error {
	r.Begin(archive.Clients)
	for _, name := range slices.Sorted(maps.Keys(r.clients)) {
		if err := r.Add(archive.Client{ID: r.clients[name], Name: name}); err != nil {
			return err
		}
	}
	return nil
}

// onMessages writes the reactions and submessages of messages.
func (r *realmExport) onMessages(ctx context.Context) error {
	// The reactions to a message have the order in which they were made.
	err := writeTable(ctx, r, archive.Reactions, "reactions", func(tx *store.Tx, last sqlc.ArchivedReactionsRow) ([]sqlc.ArchivedReactionsRow, error) {
		return tx.ArchivedReactions(ctx, sqlc.ArchivedReactionsParams{
			Upto: r.upto, AfterMessage: int64(last.MessageID), AfterTime: last.ReactedAt, AfterUser: int64(last.UserID), AfterType: last.ReactionType, AfterCode: last.EmojiCode,
			PublicOnly: r.PublicOnly, MaxRows: maxRows,
		})
	}, func(number int64, row sqlc.ArchivedReactionsRow) any {
		return archive.Reaction{
			ID: number, User: int64(row.UserID), Message: int64(row.MessageID), Name: row.EmojiName, Code: row.EmojiCode, Type: row.ReactionType,
		}
	})
	if err != nil {
		return err
	}
	return writeTable(ctx, r, archive.Submessages, "submessages", func(tx *store.Tx, last sqlc.ArchivedSubmessagesRow) ([]sqlc.ArchivedSubmessagesRow, error) {
		return tx.ArchivedSubmessages(ctx, sqlc.ArchivedSubmessagesParams{
			Upto: r.upto, AfterMessage: int64(last.MessageID), AfterSubmessage: last.SubmessageID, PublicOnly: r.PublicOnly, MaxRows: maxRows,
		})
	}, func(_ int64, row sqlc.ArchivedSubmessagesRow) any {
		return archive.Submessage{
			ID: row.SubmessageID, Message: int64(row.MessageID), Sender: int64(row.SenderID), Type: row.MsgType, Content: row.Content,
		}
	})
}
