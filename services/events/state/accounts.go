package state

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/group"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/user"
)

// Users are the accounts of the organization, and the caller's own (events.md, section 1.6.5).
type Users struct {
	// Active are people and bots of the organization, by id.
	Active endpoint.Encoded[[]event.UserObject] `json:"realm_users"`
	// NonActive are the deactivated ones, by id.
	NonActive endpoint.Encoded[[]event.UserObject] `json:"realm_non_active_users"`
	// System are the server's own bots.
	System endpoint.Encoded[[]event.UserObject] `json:"cross_realm_bots"`
	OwnAccount
}

// OwnAccount is the caller's own account.
type OwnAccount struct {
	UserID                 id.User `json:"user_id"`                   // unique on the server
	Email                  string  `json:"email"`                     // as others see it
	DeliveryEmail          string  `json:"delivery_email"`            // the real one
	FullName               string  `json:"full_name"`                 // for people
	AvatarSource           string  `json:"avatar_source"`             // G: generated, U: uploaded
	AvatarURL              string  `json:"avatar_url"`                // address of the picture
	AvatarURLMedium        string  `json:"avatar_url_medium"`         // address of a larger one
	CanCreateStreams       bool    `json:"can_create_streams"`        // whether the caller may create streams
	CanSubscribeOtherUsers bool    `json:"can_subscribe_other_users"` // whether the caller may subscribe others to streams
	IsAdmin                bool    `json:"is_admin"`                  // whether the caller is an administrator or an owner
	IsOwner                bool    `json:"is_owner"`                  // whether the caller is an owner
	IsGuest                bool    `json:"is_guest"`                  // whether the caller is a guest, who sees only subscribed streams
	EnterSends             bool    `json:"enter_sends"`               // whether the return key sends messages
}

// ProfileFields are the questions that the organization asks its members, and the kinds of questions (rest-api.md,
// section 4.7).
type ProfileFields struct {
	Fields []event.ProfileField `json:"custom_profile_fields"`      // in their order
	Types  map[string]FieldType `json:"custom_profile_field_types"` // kinds of questions by their names
}

// FieldType is a kind of question.
type FieldType struct {
	ID   user.FieldType `json:"id"`   // as in the type of a question
	Name string         `json:"name"` // for people
}

// BotProgram is a program that a bot can run, or an integration.
type BotProgram struct {
	Name   string            `json:"name"`   // as it is in paths
	Config map[string]string `json:"config"` // its configuration; never null
}

func readUsers(ctx context.Context, r *reading, into *State) error {
	all, err := r.Users.Lists(ctx, r.tx, r.org, r.who.Role, user.Form{
		Options: user.Options{HostedAvatar: r.ClientHostedAvatar, Profiles: true}, Initial: true, AvatarURLOptional: r.AvatarURLOptional,
	})
	encoded := func(list []byte) endpoint.Encoded[[]event.UserObject] {
		return endpoint.Encoded[[]event.UserObject]{JSON: list}
	}
	into.Users = &Users{encoded(all.Members), encoded(all.NonActive), encoded(all.System), r.own()}
	return err
}

func (r *reading) own() OwnAccount {
	now := r.Now()
	return OwnAccount{
		UserID: r.self.ID, Email: r.who.Email, DeliveryEmail: r.self.RealEmail, FullName: r.self.FullName,
		AvatarSource: r.self.AvatarSource, AvatarURL: user.AvatarURL(r.org, r.self), AvatarURLMedium: user.AvatarURLMedium(r.org, r.self),
		CanCreateStreams:       r.org.Settings.CreateStreamPolicy.Allows(r.who, now),
		CanSubscribeOtherUsers: r.org.Settings.InviteToStreamPolicy.Allows(r.who, now),
		IsAdmin:                r.self.Role.IsAdmin(), IsOwner: r.self.Role == actor.Owner, IsGuest: r.self.Role.IsGuest(),
		EnterSends: r.self.Settings.EnterSends,
	}
}

// readBots reads the bots that the caller manages, active or not: all of the organization for an administrator, and
// otherwise the caller's own. Their API keys aren't included, since only hashes of them are stored.
func readBots(ctx context.Context, r *reading, into *State) error {
	bots, err := user.Bots(ctx, r.tx, r.self.ID, r.who.Role.IsAdmin())
	if err != nil {
		return err
	}
	views, err := user.ViewBots(ctx, r.tx, r.org, bots)
	into.RealmBots = lists.Map(bots, views.Object)
	return err
}

// streamNames returns the names of those streams that are active. Numbers that can't be ids of streams are ignored.
func (r *reading) streamNames(ctx context.Context, streams ...int64) (map[id.Stream]*string, error) {
	names := map[id.Stream]*string{}
	asked := []int64(nil)
	for _, stream := range streams {
		if stream > 0 {
			asked = append(asked, stream)
		}
	}
	if len(asked) == 0 {
		return names, nil
	}
	rows, err := r.tx.StreamNames(ctx, asked)
	if err != nil {
		return nil, fmt.Errorf("read names of streams: %w", err)
	}
	for _, row := range rows {
		names[row.StreamID] = &row.Name
	}
	return names, nil
}

func readWebhookBots(_ context.Context, r *reading, into *State) error {
	into.WebhookBots = make([]BotProgram, len(r.Webhooks))
	for i, name := range r.Webhooks {
		into.WebhookBots[i] = BotProgram{Name: name, Config: map[string]string{}}
	}
	return nil
}

func readGroups(ctx context.Context, r *reading, into *State) (err error) {
	into.RealmUserGroups, err = group.List(ctx, r.tx)
	return err
}

func readProfileFields(ctx context.Context, r *reading, into *State) error {
	fields, err := user.Fields(ctx, r.tx)
	into.ProfileFields = &ProfileFields{fields, map[string]FieldType{
		"SHORT_TEXT":       {user.ShortText, "Short text"},
		"LONG_TEXT":        {user.LongText, "Long text"},
		"CHOICE":           {user.Choice, "List of options"},
		"DATE":             {user.Date, "Date"},
		"URL":              {user.URL, "Link"},
		"USER":             {user.Person, "People"},
		"EXTERNAL_ACCOUNT": {user.ExternalAccount, "Account elsewhere"},
	}}
	return err
}
