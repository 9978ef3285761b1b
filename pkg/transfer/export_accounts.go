package transfer

import (
	"context"
	"encoding/json"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/jsonmembers"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

func (r *realmExport) accounts(ctx context.Context) error {
	o, err := r.load(ctx)
	if err != nil {
		return err
	}
	r.Begin(archive.Users)
	provided := map[id.User]*archive.SCIM{}
	err = portions(ctx, r.export, func(tx *store.Tx, last user.User) (some []user.User, err error) {
		if some, err = user.After(ctx, tx, last.ID, maxRows); err == nil {
			provided, err = r.provided(ctx, tx, some)
		}
		return some, err
	}, func(u user.User) error {
		r.people[u.ID] = true
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
		if err = jsonmembers.Copy(u.Settings, &settings); err != nil {
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
	fields, err := store.Read(ctx, r.DB, r.of, func(tx *store.Tx) ([]sqlc.ProfileFieldsRow, error) { return tx.ProfileFields(ctx) })
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
	type answer = sqlc.ArchivedProfileValuesRow
	return writeTable(ctx, r, archive.ProfileValues, "answers to profile fields", func(tx *store.Tx, last answer) ([]answer, error) {
		return tx.ArchivedProfileValues(ctx, int64(last.UserID), last.FieldID, maxRows)
	}, func(number int64, v answer) any {
		if !r.people[v.UserID] || !known[v.FieldID] {
			return nil // newer than the accounts and fields written
		}
		return archive.ProfileValue{ID: number, User: int64(v.UserID), Field: v.FieldID, Value: v.Value}
	})
}
