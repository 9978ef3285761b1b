package user

import (
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/org"
)

// View is how one viewer sees accounts.
type View struct {
	// Org is the organization of viewer and accounts.
	Org org.Org
	// Viewer is the viewer's role.
	Viewer actor.Role
	// HostedAvatar says that the viewer computes the URLs of pictures on a third party's host.
	HostedAvatar bool
	// Profiles are the answers to custom profile fields by account; nil: not requested.
	Profiles Profiles
}

// Object returns the account as the viewer sees it (rest-api.md, section 4.1).
func (v View) Object(u User) event.UserObject {
	active := u.Active
	object := event.UserObject{
		UserID: u.ID, Email: DisplayEmail(v.Org, u), FullName: u.FullName,
		IsAdmin: u.Role.IsAdmin(), IsOwner: u.Role == actor.Owner, IsGuest: u.Role == actor.Guest,
		IsBot: u.IsBot(), IsActive: &active, Timezone: u.Timezone, DateJoined: event.ISOTime(u.Joined),
		AvatarVersion: u.AvatarVersion, AvatarPart: &event.AvatarPart{}, IsCrossRealmBot: u.System,
	}
	if seesRealAddresses(v.Org, v.Viewer) {
		object.DeliveryEmail = u.RealEmail
	}
	if !v.HostedAvatar || !AvatarHosted(v.Org, u) {
		url := AvatarURL(v.Org, u)
		object.AvatarURL = &url
	}
	if u.IsBot() {
		bot := u.Bot
		object.BotType = &bot
		object.BotPart = &event.BotPart{BotOwnerID: ref(u.Owner)}
	} else if v.Profiles != nil {
		object.ProfileData = v.Profiles.of(u.ID)
	}
	return object
}

// seesRealAddresses reports whether a viewer sees real addresses that are hidden from others (rest-api.md,
// section 8.7).
func seesRealAddresses(o org.Org, viewer actor.Role) bool {
	return o.Settings.EmailAddressVisibility == org.EmailsForAdmins && viewer.IsAdmin()
}

// ref returns a pointer to an id, or nil for none.
func ref[ID ~int64](number ID) *ID {
	if number == 0 {
		return nil
	}
	return &number
}
