package user

import (
	"context"
	"fmt"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// User is an account as it was when it was read.
type User struct {
	ID            id.User
	RealEmail     string
	FullName      string
	Role          actor.Role
	Bot           actor.BotType // Human for people
	System        bool          // a bot of the server itself
	Owner         id.User       // of a bot; zero: nobody
	Active        bool
	Timezone      string // IANA name, or empty
	AvatarSource  string // avatarGenerated or avatarUploaded
	AvatarVersion int
	AvatarPath    string // of the uploaded file; empty: there is none
	Joined        time.Time
	Settings      Settings
	Register      RegisterDefaults
}

// RegisterDefaults are the streams that a bot sends to and registers for by default.
type RegisterDefaults struct {
	SendingStream    id.Stream // zero: none
	EventsStream     id.Stream // zero: none
	AllPublicStreams bool
}

// IsBot reports whether the account is a bot of any kind.
func (u User) IsBot() bool { return u.Bot != actor.Human }

// Account returns the properties that audiences depend on.
func (u User) Account() event.Account {
	return event.Account{Role: u.Role, Bot: u.Bot, Active: u.Active}
}

// read returns the account of a query's row.
func read(row sqlc.User, err error) (User, error) {
	if err != nil {
		return User{}, err
	}
	settings, err := DecodeSettings(row.Settings)
	if err != nil {
		return User{}, fmt.Errorf("user %d: %w", row.UserID, err)
	}
	return User{
		ID: row.UserID, RealEmail: row.Email, FullName: row.FullName, Role: row.Role, Bot: deref(row.BotType),
		System: row.System, Owner: deref(row.OwnerID), Active: row.Active, Timezone: row.Timezone,
		AvatarSource: row.AvatarSource, AvatarVersion: int(row.AvatarVersion), AvatarPath: row.AvatarPath,
		Joined: row.JoinedAt, Settings: settings,
		Register: RegisterDefaults{
			SendingStream:    id.Stream(deref(row.DefaultSendingStreamID)),
			EventsStream:     id.Stream(deref(row.DefaultRegisterStreamID)),
			AllPublicStreams: row.DefaultAllPublicStreams,
		},
	}, nil
}

func readAll(rows []sqlc.User, err error) ([]User, error) {
	users := make([]User, len(rows))
	for i, row := range rows {
		if users[i], err = read(row, err); err != nil {
			return nil, err
		}
	}
	return users, err
}

// deref returns what p points to, or the zero value.
func deref[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// Caller returns the account as a caller, as [User.Actor] does, with a bot's owner if that is active.
func (u User) Caller(ctx context.Context, tx *store.Tx, o org.Org) (actor.Actor, error) {
	if u.Owner == 0 {
		return u.Actor(o, nil), nil
	}
	owner, err := ByID(ctx, tx, u.Owner)
	if err != nil || !owner.Active {
		return u.Actor(o, nil), err
	}
	return u.Actor(o, &owner), nil
}

// maxDays is about the maximum number of days in a time.Duration.
const maxDays = 100_000

// Actor returns the account as a caller. owner is nil for people and for bots without an active owner.
func (u User) Actor(o org.Org, owner *User) actor.Actor {
	a := actor.Actor{
		User: u.ID, Role: u.Role, Bot: u.Bot, FullName: u.FullName, Email: DisplayEmail(o, u), RealEmail: u.RealEmail,
		Joined: u.Joined, Subdomain: o.Subdomain, AvatarURL: AvatarURL(o, u), AvatarHosted: AvatarHosted(o, u),
		WaitingPeriod: time.Duration(min(o.Settings.WaitingPeriodThreshold, maxDays)) * 24 * time.Hour,
		Sending: actor.Sending{
			OrgURL: o.URI, CodeLanguage: deref(o.Settings.DefaultCodeBlockLanguage), Previews: o.Settings.InlineImagePreview,
			TranslateEmoticons: u.Settings.TranslateEmoticons, PrivateDisabled: o.Settings.PrivateMessagePolicy == 2,
			Patterns: o.Patterns,
		},
		PresenceOff: !u.Settings.PresenceEnabled,
	}
	if owner != nil {
		a.BotOwner, a.OwnerRole, a.OwnerJoined = owner.ID, owner.Role, owner.Joined
	}
	return actor.New(o.ID, a)
}
