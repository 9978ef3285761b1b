package transfer

import (
	"context"
	"crypto/sha1" //nolint:gosec // a name that the format asks for, and no secret
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/stream"
	"chatserver.dev/pkg/user"
)

type archivedStream = sqlc.Stream

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
	settings, err := rawMembers(o.Settings)
	if err != nil {
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

// rawMembers returns the members of settings as JSON.
func rawMembers(settings any) (map[string]json.RawMessage, error) {
	encoded, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	err = json.Unmarshal(encoded, &members)
	return members, err
}

func (r *realmExport) accounts(ctx context.Context) error {
	o, err := r.load(ctx)
	if err != nil {
		return err
	}
	r.Begin(archive.Users)
	after := id.User(0)
	provided := map[id.User]*archive.SCIM{}
	err = portions(ctx, r.export, func(tx *store.Tx) (some []user.User, err error) {
		if some, err = user.After(ctx, tx, after, maxRows); err == nil {
			provided, err = r.provided(ctx, tx, some)
		}
		return some, err
	}, func(u user.User) error {
		after = u.ID
		r.people[int64(u.ID)] = true
		if u.System {
			bot := archive.SystemUser{ID: int64(u.ID), Email: archive.NotificationBot}
			if u.IsGateway() {
				bot.Email = archive.GatewayBot
			}
			r.system = append(r.system, bot)
			return nil
		}
		row, err := r.account(o, u)
		if err != nil {
			return err
		}
		row.SCIM = provided[u.ID]
		return r.add("accounts", row)
	})
	if err != nil {
		return err
	}
	r.Begin(archive.DummyUsers)
	r.Begin(archive.SystemUsers)
	for _, s := range r.system {
		if err := r.Add(s); err != nil {
			return err
		}
	}
	return nil
}

// provided returns the accounts' names and ids at an identity provider.
func (r *realmExport) provided(ctx context.Context, tx *store.Tx, accounts []user.User) (map[id.User]*archive.SCIM, error) {
	known := map[id.User]*archive.SCIM{}
	if r.PublicOnly {
		return known, nil
	}
	rows, err := tx.ArchivedSCIM(ctx, lists.Map(accounts, func(u user.User) int64 { return int64(u.ID) }))
	for _, row := range rows {
		known[row.UserID] = &archive.SCIM{UserName: row.UserName, ExternalID: row.ExternalID, Removed: row.Removed}
	}
	return known, err
}

// address returns an account's address as the archive has it.
func (x *export) address(o org.Org, u user.User) string {
	if x.PublicOnly && o.Settings.EmailAddressVisibility == org.EmailsForNobody {
		return user.DisplayEmail(o, u)
	}
	return u.RealEmail
}

// account returns an account as a row of the archive.
func (r *realmExport) account(o org.Org, u user.User) (row archive.User, err error) {
	settings := map[string]json.RawMessage(nil)
	if !r.PublicOnly {
		if settings, err = rawMembers(u.Settings); err != nil {
			return row, err
		}
	}
	row = archive.User{
		ID: int64(u.ID), Realm: int64(o.ID), Email: user.DisplayEmail(o, u), DeliveryEmail: r.address(o, u), FullName: u.FullName, Role: int(u.Role),
		Active: u.Active, IsBot: u.IsBot(), Joined: archive.Time{Time: u.Joined}, Timezone: u.Timezone, AvatarSource: "G",
		AvatarVersion: u.AvatarVersion, AllStreams: u.Register.AllPublicStreams, Settings: settings,
	}
	if u.AvatarPath != "" {
		row.AvatarSource = "U"
	}
	if u.IsBot() {
		kind := int(u.Bot)
		row.BotType, row.BotOwner = &kind, nonzero(int64(u.Owner))
		row.SendingStream, row.EventsStream = nonzero(int64(u.Register.SendingStream)), nonzero(int64(u.Register.EventsStream))
	}
	return row, nil
}

func nonzero(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

func (r *realmExport) answers(ctx context.Context) error {
	fields := []sqlc.ProfileFieldsRow(nil)
	err := r.DB.Read(ctx, r.of, func(tx *store.Tx) (err error) {
		fields, err = tx.ProfileFields(ctx)
		return err
	})
	if err != nil {
		return err
	}
	r.Begin(archive.ProfileFields)
	known := map[int64]bool{}
	for _, f := range fields {
		known[f.FieldID] = true
		if err := r.add("profile fields", archive.ProfileField{
			ID: f.FieldID, Realm: int64(r.of), Name: f.Name, Hint: f.Hint, Order: int64(f.Position), Type: int(f.Type), Data: f.FieldData,
		}); err != nil {
			return err
		}
	}
	r.Begin(archive.ProfileValues)
	last, number := sqlc.ArchivedProfileValuesRow{}, int64(0)
	return portions(ctx, r.export, func(tx *store.Tx) ([]sqlc.ArchivedProfileValuesRow, error) {
		return tx.ArchivedProfileValues(ctx, int64(last.UserID), last.FieldID, maxRows)
	}, func(v sqlc.ArchivedProfileValuesRow) error {
		last = v
		if !r.people[int64(v.UserID)] || !known[v.FieldID] {
			return nil // newer than the accounts and fields written
		}
		number++
		return r.add("answers to profile fields", archive.ProfileValue{ID: number, User: int64(v.UserID), Field: v.FieldID, Value: v.Value})
	})
}

// eachStream calls each with the streams that the archive contains.
func (x *export) eachStream(ctx context.Context, each func(s archivedStream) error) error {
	after := id.Stream(0)
	return portions(ctx, x, func(tx *store.Tx) ([]sqlc.Stream, error) { return tx.ArchivedStreams(ctx, after, maxRows) },
		func(s sqlc.Stream) error {
			after = s.StreamID
			if x.PublicOnly && (s.InviteOnly || s.Deactivated) {
				return nil
			}
			return each(s)
		})
}

// places writes streams and conversations with their subscribers and members.
func (r *realmExport) places(ctx context.Context) error {
	recipients, defaults := []archive.Recipient(nil), []archive.DefaultStream(nil)
	clear(r.streams)
	r.Begin(archive.Streams)
	err := r.eachStream(ctx, func(s archivedStream) error {
		r.streams[s.StreamID] = true
		number := int64(s.StreamID)
		recipients = append(recipients, archive.Recipient{ID: number, Type: archive.ToStream, TypeID: number})
		if s.IsDefault {
			defaults = append(defaults, archive.DefaultStream{ID: number, Realm: int64(r.of), Stream: number})
		}
		row := archive.Stream{
			ID: number, Realm: int64(r.of), Recipient: &number, Name: s.Name, Description: s.Description, InviteOnly: s.InviteOnly, WebPublic: s.IsWebPublic,
			HistoryPublic: &s.HistoryPublic, PostPolicy: int(s.PostPolicy), Deactivated: s.Deactivated, Created: archive.Time{Time: s.CreatedAt},
		}
		if permit.PostPolicy(s.PostPolicy) == permit.PostNewMembers {
			row.PostPolicy, row.NewMembersOnly = int(permit.PostAdmins), true
		}
		if s.RetentionDays != nil {
			row.RetentionDays = new(int(*s.RetentionDays))
		}
		return r.add("streams", row)
	})
	if err != nil {
		return err
	}
	r.Begin(archive.DefaultStreams)
	for _, d := range defaults {
		if err := r.Add(d); err != nil {
			return err
		}
	}
	if err := r.streamGroups(ctx); err != nil {
		return err
	}
	huddles, err := r.huddles(ctx)
	if err != nil {
		return err
	}
	r.Begin(archive.Recipients)
	for _, account := range slices.Sorted(maps.Keys(r.people)) {
		recipients = append(recipients, archive.Recipient{ID: recipientOf(account), Type: archive.ToUser, TypeID: account})
	}
	for _, h := range huddles {
		number := int64(h.ConversationID)
		recipients = append(recipients, archive.Recipient{ID: number, Type: archive.ToHuddle, TypeID: number})
	}
	for _, row := range recipients {
		if err := r.Add(row); err != nil {
			return err
		}
	}
	return r.subscriptions(ctx, huddles)
}

// streamGroups writes the groups of default streams.
func (r *realmExport) streamGroups(ctx context.Context) error {
	groups := []event.DefaultStreamGroup(nil)
	err := r.DB.Read(ctx, r.of, func(tx *store.Tx) (err error) {
		groups, err = stream.Groups(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	r.Begin(archive.StreamGroups)
	for _, g := range groups {
		row := archive.StreamGroup{ID: g.ID, Realm: int64(r.of), Name: g.Name, Description: g.Description, Streams: []int64{}}
		for _, s := range g.Streams {
			if r.streams[s.ID] {
				row.Streams = append(row.Streams, int64(s.ID))
			}
		}
		if err := r.add("groups of default streams", row); err != nil {
			return err
		}
	}
	return nil
}

// huddles writes the private conversations of more than two members, and returns them.
func (r *realmExport) huddles(ctx context.Context) ([]sqlc.ArchivedConversationsRow, error) {
	all, after := []sqlc.ArchivedConversationsRow(nil), id.Conversation(0)
	r.Begin(archive.Huddles)
	if r.PublicOnly {
		return nil, nil
	}
	return all, portions(ctx, r.export, func(tx *store.Tx) ([]sqlc.ArchivedConversationsRow, error) {
		return tx.ArchivedConversations(ctx, after, maxRows)
	}, func(c sqlc.ArchivedConversationsRow) error {
		after = c.ConversationID
		if len(c.Members) < 3 || slices.ContainsFunc(c.Members, func(u id.User) bool { return !r.people[int64(u)] }) {
			return nil
		}
		all = append(all, c)
		names := strings.Join(lists.Map(c.Members, id.User.String), ",")
		sum := sha1.Sum([]byte(names)) //nolint:gosec // see above
		return r.add("private conversations of more than two", archive.Huddle{ID: int64(c.ConversationID), Hash: hex.EncodeToString(sum[:])})
	})
}

// subscriptions writes the subscriptions to streams, and those by which the format represents members of conversations.
func (r *realmExport) subscriptions(ctx context.Context, huddles []sqlc.ArchivedConversationsRow) error {
	r.Begin(archive.Subscriptions)
	number, last := int64(0), sqlc.Subscription{}
	err := portions(ctx, r.export, func(tx *store.Tx) ([]sqlc.Subscription, error) {
		return tx.ArchivedSubscriptions(ctx, int64(last.StreamID), int64(last.UserID), maxRows)
	}, func(s sqlc.Subscription) error {
		last = s
		if !r.streams[s.StreamID] || !r.people[int64(s.UserID)] || r.PublicOnly && !s.Active {
			return nil
		}
		number++
		if r.PublicOnly {
			return r.add("subscriptions", plainSubscription(number, int64(s.UserID), int64(s.StreamID)))
		}
		return r.add("subscriptions", archive.Subscription{
			ID: number, User: int64(s.UserID), Recipient: int64(s.StreamID), Active: s.Active, Color: s.Color, Muted: s.Muted, Pinned: s.PinToTop,
			Desktop: s.DesktopNotifications, Audible: s.AudibleNotifications, Push: s.PushNotifications, Email: s.EmailNotifications,
			Wildcard: s.WildcardMentionsNotify,
		})
	})
	if err != nil {
		return err
	}
	member := func(account, recipient int64) error {
		number++
		return r.Add(plainSubscription(number, account, recipient))
	}
	for _, account := range slices.Sorted(maps.Keys(r.people)) {
		if err := member(account, recipientOf(account)); err != nil {
			return err
		}
	}
	for _, h := range huddles {
		for _, account := range h.Members {
			if err := member(int64(account), int64(h.ConversationID)); err != nil {
				return err
			}
		}
	}
	return nil
}

// plainSubscription returns a subscription without an account's settings for it.
func plainSubscription(number, account, recipient int64) archive.Subscription {
	return archive.Subscription{ID: number, User: account, Recipient: recipient, Active: true, Color: "#c2c2c2"}
}

func (r *realmExport) groups(ctx context.Context) error {
	groups := []sqlc.UserGroup(nil)
	err := r.DB.Read(ctx, r.of, func(tx *store.Tx) (err error) {
		groups, err = tx.UserGroups(ctx)
		return err
	})
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
			if !r.people[int64(member)] {
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
	r.Begin(archive.Reactions)
	last, number := sqlc.ArchivedReactionsRow{}, int64(0) // those to a message have the order in which they were made
	err := portions(ctx, r.export, func(tx *store.Tx) ([]sqlc.ArchivedReactionsRow, error) {
		return tx.ArchivedReactions(ctx, sqlc.ArchivedReactionsParams{
			Upto: r.upto, AfterMessage: int64(last.MessageID), AfterTime: last.ReactedAt, AfterUser: int64(last.UserID), AfterType: last.ReactionType, AfterCode: last.EmojiCode,
			PublicOnly: r.PublicOnly, MaxRows: maxRows,
		})
	}, func(row sqlc.ArchivedReactionsRow) error {
		last = row
		number++
		return r.add("reactions", archive.Reaction{
			ID: number, User: int64(row.UserID), Message: int64(row.MessageID), Name: row.EmojiName, Code: row.EmojiCode, Type: row.ReactionType,
		})
	})
	if err != nil {
		return err
	}
	r.Begin(archive.Submessages)
	before := sqlc.ArchivedSubmessagesRow{}
	return portions(ctx, r.export, func(tx *store.Tx) ([]sqlc.ArchivedSubmessagesRow, error) {
		return tx.ArchivedSubmessages(ctx, sqlc.ArchivedSubmessagesParams{
			Upto: r.upto, AfterMessage: int64(before.MessageID), AfterSubmessage: before.SubmessageID, PublicOnly: r.PublicOnly, MaxRows: maxRows,
		})
	}, func(row sqlc.ArchivedSubmessagesRow) error {
		before = row
		return r.add("submessages", archive.Submessage{
			ID: row.SubmessageID, Message: int64(row.MessageID), Sender: int64(row.SenderID), Type: row.MsgType, Content: row.Content,
		})
	})
}
