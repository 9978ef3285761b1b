package state

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

// Users are the accounts of the organization, and the caller's own (events.md, section 1.6.5).
type Users struct {
	// Active are people and bots of the organization, by id.
	Active []event.UserObject `json:"realm_users"`
	// NonActive are those that are deactivated, by id.
	NonActive []event.UserObject `json:"realm_non_active_users"`
	// System are the server's own bots.
	System []event.UserObject `json:"cross_realm_bots"`
	OwnAccount
}

// OwnAccount is what the caller knows of their own account.
type OwnAccount struct {
	UserID                 id.User `json:"user_id"`                   // unique over the server
	Email                  string  `json:"email"`                     // as others see it
	DeliveryEmail          string  `json:"delivery_email"`            // the real one
	FullName               string  `json:"full_name"`                 // for people
	AvatarSource           string  `json:"avatar_source"`             // G: generated, U: uploaded
	AvatarURL              string  `json:"avatar_url"`                // address of the picture
	AvatarURLMedium        string  `json:"avatar_url_medium"`         // address of a larger one
	CanCreateStreams       bool    `json:"can_create_streams"`        // whether the caller may create streams
	CanSubscribeOtherUsers bool    `json:"can_subscribe_other_users"` // whether the caller may subscribe others to streams
	IsAdmin                bool    `json:"is_admin"`                  // owners, too
	IsOwner                bool    `json:"is_owner"`                  // of the organization
	IsGuest                bool    `json:"is_guest"`                  // sees only the streams that they are subscribed to
	EnterSends             bool    `json:"enter_sends"`               // the return key sends
}

// readAccounts reads users and bots, which come from the same rows.
func readAccounts(ctx context.Context, r *reading, into *State) error {
	all, err := user.All(ctx, r.tx)
	if err != nil {
		return err
	}
	if r.Wants("realm_bot") {
		if into.Bots, err = r.bots(ctx, all); err != nil {
			return err
		}
	}
	if r.Wants("realm_user") {
		into.Users, err = r.users(ctx, all)
	}
	return err
}

func (r *reading) users(ctx context.Context, all []user.User) (*Users, error) {
	profiles, err := user.AllProfiles(ctx, r.tx)
	if err != nil {
		return nil, err
	}
	view := user.View{Org: r.org, Viewer: r.who.Role, HostedAvatar: r.ClientHostedAvatar, Profiles: profiles}
	// Pictures of the server's own bots are shown to everybody, with an address.
	system := user.View{Org: r.org, Viewer: r.who.Role}
	users := &Users{
		Active: make([]event.UserObject, 0, len(all)), NonActive: []event.UserObject{}, System: []event.UserObject{},
		OwnAccount: r.own(),
	}
	for _, u := range all {
		if u.System {
			users.System = append(users.System, system.Object(u))
			continue
		}
		object := view.Object(u)
		object.IsActive = nil // the list tells
		if u.Active {
			users.Active = append(users.Active, object)
			continue
		}
		if r.AvatarURLOptional {
			object.AvatarPart = nil // hardly ever shown
		}
		users.NonActive = append(users.NonActive, object)
	}
	return users, nil
}

func (r *reading) own() OwnAccount {
	now := r.Now()
	return OwnAccount{
		UserID: r.self.ID, Email: r.who.Email, DeliveryEmail: r.self.RealEmail, FullName: r.self.FullName,
		AvatarSource: r.self.AvatarSource, AvatarURL: user.AvatarURL(r.org, r.self), AvatarURLMedium: user.AvatarURLMedium(r.org, r.self),
		CanCreateStreams:       permit.CreateStreams(r.who, r.org.Settings.CreateStreamPolicy, now),
		CanSubscribeOtherUsers: permit.SubscribeOthers(r.who, r.org.Settings.InviteToStreamPolicy, now),
		IsAdmin:                r.self.Role.IsAdmin(), IsOwner: r.self.Role == actor.Owner, IsGuest: r.self.Role.IsGuest(),
		EnterSends: r.self.Settings.EnterSends,
	}
}
