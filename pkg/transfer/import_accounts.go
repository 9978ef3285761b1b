package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// accountColumns is a row of users.
type accountColumns struct {
	UserID     id.User         `json:"user_id"`
	Email      string          `json:"email"`
	FullName   string          `json:"full_name"`
	Role       actor.Role      `json:"role"`
	BotType    *int            `json:"bot_type"`
	OwnerID    *id.User        `json:"owner_id"`
	Active     bool            `json:"active"`
	Timezone   string          `json:"timezone"`
	Settings   json.RawMessage `json:"settings"`
	JoinedAt   time.Time       `json:"joined_at"`
	AllStreams bool            `json:"default_all_public_streams"`
}

// domainColumns is a row of email_domains.
type domainColumns struct {
	Domain          string `json:"domain"`
	AllowSubdomains bool   `json:"allow_subdomains"`
}

// accounts imports people, and other tables without references to further objects.
func (m *importing) accounts(ctx context.Context) error {
	rows, err := m.accountRows(ctx)
	if err != nil {
		return err
	}
	m.mentions.Users, m.mentions.UsersByID = map[string]markdown.User{}, map[id.User]markdown.User{}
	scim := []scimColumns(nil)
	people := func(row archive.User) error {
		if row.IsBot {
			return nil
		}
		if err := m.account(ctx, rows, row); err != nil || row.SCIM == nil {
			return err
		}
		one, ok := m.scim(row)
		if !ok {
			m.report.leave("invalid names of accounts at identity providers", row.SCIM.UserName)
			return nil
		}
		scim = append(scim, one)
		return nil
	}
	domains := newTable[domainColumns](m, "email_domains")
	err = m.tables(ctx, map[string]archive.Row{
		archive.Users: archive.Rows(people),
		archive.DummyUsers: archive.Rows(func(row archive.User) error {
			row.Active = false
			return people(row)
		}),
		archive.SystemUsers: archive.Rows(func(row archive.SystemUser) error { return m.systemUser(ctx, row) }),
		archive.Clients: archive.Rows(func(row archive.Client) error {
			m.clients[row.ID] = cut(row.Name, 100)
			return nil
		}),
		archive.Domains: archive.Rows(func(row archive.Domain) error { return m.domain(ctx, domains, row) }),
	})
	if err != nil {
		return err
	}
	if err := domains.flush(ctx); err != nil {
		return err
	}
	if err := rows.flush(ctx); err != nil {
		return err
	}
	names := newTable[scimColumns](m, "scim_users")
	for _, row := range scim { // after the accounts that they refer to
		if err := names.add(ctx, row); err != nil {
			return err
		}
	}
	return names.flush(ctx)
}

// accountRows returns the table of accounts: of people, and then of bots, which refer to them.
func (m *importing) accountRows(ctx context.Context) (*objects[id.User, accountColumns], error) {
	return newObjects[accountColumns](ctx, m, kind{"user", "users", "user_ids"}, m.users)
}

// systemUser replaces a bot of the server from which the archive comes by this server's.
func (m *importing) systemUser(ctx context.Context, row archive.SystemUser) error {
	m.users[row.ID] = m.bot
	m.recipientIs(row.Recipient, row.ID)
	if row.Email != archive.GatewayBot {
		return nil
	}
	return m.write(ctx, func(tx *store.Tx) error {
		made, err := user.EnsureGateway(ctx, tx, m.Orgs.Config().Domain(), m.Now())
		m.users[row.ID] = made.ID
		return err
	})
}

func (m *importing) domain(ctx context.Context, domains *table[domainColumns], row archive.Domain) error {
	domain := strings.ToLower(cut(row.Domain, 255))
	if domain == "" || strings.ContainsAny(domain, " @/") {
		m.report.leave("invalid domains", row.Domain)
		return nil
	}
	return domains.add(ctx, domainColumns{domain, row.AllowSubdomains})
}

// scimColumns is a row of scim_users.
type scimColumns struct {
	UserID     id.User `json:"user_id"`
	UserName   string  `json:"user_name"`
	ExternalID *string `json:"external_id"`
	Removed    bool    `json:"removed"`
}

// scim returns an account's names at an identity provider; ok is false if they are invalid. If two accounts have the same
// name, the first keeps it.
func (m *importing) scim(row archive.User) (s scimColumns, ok bool) {
	if !provided(row.SCIM.UserName) || row.SCIM.ExternalID != nil && !provided(*row.SCIM.ExternalID) {
		return s, false
	}
	return scimColumns{m.users[row.ID], row.SCIM.UserName, row.SCIM.ExternalID, row.SCIM.Removed}, true
}

// provided reports whether a text is a valid name at an identity provider (package provision).
func provided(text string) bool {
	return text != "" && len(text) <= maxProvided && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// maxProvided is the maximum length of a name at an identity provider, in bytes.
const maxProvided = 1000

// account imports an account, unless an interrupted import has.
func (m *importing) account(ctx context.Context, rows *objects[id.User, accountColumns], row archive.User) error {
	made, done, err := rows.id(ctx, row.ID)
	if err != nil {
		return err
	}
	account, err := m.accountOf(row, made)
	if err != nil {
		return err
	}
	m.recipientIs(row.Recipient, row.ID)
	if row.Idle && row.LastMessage != nil {
		m.readers.idle(made, *row.LastMessage)
	}
	if account.Role == actor.Owner && account.Active && m.owner == m.bot {
		m.owner = made
	}
	if account.Active {
		mentioned := markdown.User{ID: made, Name: account.FullName}
		m.mentions.UsersByID[made] = mentioned
		if key := strings.ToLower(account.FullName); m.mentions.Users[key].ID == 0 {
			m.mentions.Users[key] = mentioned
		}
	}
	m.report.count("accounts", 1)
	if done {
		return nil
	}
	return rows.add(ctx, row.ID, account)
}

// recipientIs records that a recipient is an account. The table of recipients lacks the server's bots, and people who
// never had an account.
func (m *importing) recipientIs(recipientID *int64, account int64) {
	if recipientID != nil {
		m.recipients[*recipientID] = recipient{user: account}
	}
}

// accountOf returns an account as it is stored. Values that had to be changed are added to the report.
func (m *importing) accountOf(row archive.User, made id.User) (accountColumns, error) {
	a := accountColumns{
		UserID: made, Role: m.role(row), Active: row.Active, Timezone: m.zone(row), JoinedAt: row.Joined.Time, AllStreams: row.AllStreams,
		Email: strings.TrimSpace(row.DeliveryEmail),
	}
	if a.Email == "" {
		a.Email = strings.TrimSpace(row.Email)
	}
	switch free := !m.emails[strings.ToLower(a.Email)]; {
	case !user.ValidEmail(a.Email):
		m.report.leave("accounts with an invalid address get a new address, and are deactivated", a.Email)
		a.Email, a.Active = fmt.Sprintf("imported%d@%s", made, m.org.Domain), false
	case !free:
		m.report.leave("accounts with an address that another account has get a new address, and are deactivated", a.Email)
		a.Email, a.Active = fmt.Sprintf("imported%d@%s", made, m.org.Domain), false
	}
	m.emails[strings.ToLower(a.Email)] = true
	name, err := user.CheckName(cut(row.FullName, 100))
	if err != nil {
		m.report.leave("accounts with an invalid name get a new name", row.FullName)
		name = fmt.Sprintf("Account %d", made)
	}
	a.FullName = name
	if row.IsBot {
		kind := int(actor.GenericBot)
		if row.BotType != nil && *row.BotType >= 1 && *row.BotType <= 4 {
			kind = *row.BotType
		}
		a.BotType = &kind
		if row.BotOwner != nil && m.users[*row.BotOwner] != 0 {
			a.OwnerID = new(m.users[*row.BotOwner])
		}
	}
	a.Settings, err = accountSettings(row)
	return a, err
}

// zone returns the name of an account's time zone; empty: it has none, or one that isn't known here.
func (m *importing) zone(row archive.User) string {
	if row.Timezone == "" {
		return ""
	}
	if _, err := user.Zone(row.Timezone); err != nil {
		m.report.leave("unknown time zones of accounts", row.Timezone)
		return ""
	}
	return row.Timezone
}

// role returns an account's role. Older archives have flags instead. An unknown role becomes the next lower one, and an
// invalid one the lowest.
func (m *importing) role(row archive.User) actor.Role {
	for _, known := range []actor.Role{actor.Owner, actor.Administrator, actor.Member, actor.Guest} {
		if row.Role == int(known) {
			return known
		}
	}
	switch {
	case row.Role == 0 && row.IsGuest:
		return actor.Guest
	case row.Role == 0 && row.IsAdmin:
		return actor.Administrator
	case row.Role == 0:
		return actor.Member
	}
	m.report.leave("accounts with unknown roles get the next lower role", fmt.Sprintf("%d: %s", row.Role, row.FullName))
	if int(actor.Administrator) < row.Role && row.Role < int(actor.Member) {
		return actor.Member
	}
	return actor.Guest
}
