package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/user"
)

// accountRow is a row of users.
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

// accounts makes the people, and notes what else has no reference to something.
func (m *importing) accounts(ctx context.Context) error {
	if err := known(ctx, m, "user", m.users); err != nil {
		return err
	}
	m.mentions.Users, m.mentions.UsersByID = map[string]markdown.User{}, map[id.User]markdown.User{}
	rows, next := newTable[accountColumns](m, "users", "user"), &numbers{in: m, sequence: "user_ids"}
	people := func(row archive.User) error {
		if row.IsBot {
			return nil
		}
		return m.account(ctx, rows, next, row)
	}
	domains := newTable[struct {
		Domain          string `json:"domain"`
		AllowSubdomains bool   `json:"allow_subdomains"`
	}](m, "email_domains", "")
	err := m.Archive.Tables(ctx, archive.RealmFile, map[string]archive.Row{
		archive.Users: archive.Rows(people),
		archive.DummyUsers: archive.Rows(func(row archive.User) error {
			row.Active = false
			return people(row)
		}),
		archive.SystemUsers: archive.Rows(func(row archive.SystemUser) error {
			m.users[row.ID] = m.bot
			return nil
		}),
		archive.Clients: archive.Rows(func(row archive.Client) error {
			m.clients[row.ID] = cut(row.Name, 100)
			return nil
		}),
		archive.Domains: archive.Rows(func(row archive.Domain) error {
			domain := strings.ToLower(cut(row.Domain, 255))
			if domain == "" || strings.ContainsAny(domain, " @/") {
				m.report.leave("domains that are none", row.Domain)
				return nil
			}
			domains.rows = append(domains.rows, struct {
				Domain          string `json:"domain"`
				AllowSubdomains bool   `json:"allow_subdomains"`
			}{domain, row.AllowSubdomains})
			return nil
		}),
	})
	if err != nil {
		return err
	}
	if err := domains.flush(ctx); err != nil {
		return err
	}
	return rows.flush(ctx)
}

// account makes an account, unless an earlier start has.
func (m *importing) account(ctx context.Context, rows *table[accountColumns], next *numbers, row archive.User) error {
	made, done := m.users[row.ID]
	if !done {
		number, err := next.next(ctx)
		if err != nil {
			return err
		}
		made = id.User(number)
		m.users[row.ID] = made
	}
	account, err := m.accountOf(row, made)
	if err != nil {
		return err
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
	return rows.add(ctx, row.ID, int64(made), account)
}

// accountOf is an account as it is stored. What can't be as in the archive is in the report.
func (m *importing) accountOf(row archive.User, made id.User) (accountColumns, error) {
	a := accountColumns{
		UserID: made, Role: role(row), Active: row.Active, Timezone: cut(row.Timezone, 100), JoinedAt: row.Joined.Time, AllStreams: row.AllStreams,
		Email: strings.TrimSpace(row.DeliveryEmail),
	}
	if a.Email == "" {
		a.Email = strings.TrimSpace(row.Email)
	}
	switch free := !m.emails[strings.ToLower(a.Email)]; {
	case !user.ValidEmail(a.Email):
		m.report.leave("accounts whose address is none have another one, and are deactivated", a.Email)
		a.Email, a.Active = fmt.Sprintf("imported%d@%s", made, m.org.Domain), false
	case !free:
		m.report.leave("accounts whose address another one has, too, have another one, and are deactivated", a.Email)
		a.Email, a.Active = fmt.Sprintf("imported%d@%s", made, m.org.Domain), false
	}
	m.emails[strings.ToLower(a.Email)] = true
	name, err := user.CheckName(cut(row.FullName, 100))
	if err != nil {
		m.report.leave("accounts whose name can't be one have another one", row.FullName)
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

// role is an account's role; older archives have a flag for each.
func role(row archive.User) actor.Role {
	for _, known := range []actor.Role{actor.Owner, actor.Administrator, actor.Member, actor.Guest} {
		if row.Role == int(known) {
			return known
		}
	}
	switch {
	case row.Role == 0 && row.IsAdmin:
		return actor.Administrator
	case row.Role == 0 && row.IsGuest:
		return actor.Guest
	}
	return actor.Member
}
