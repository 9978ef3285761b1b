package user

import (
	"context"
	"crypto/md5" //nolint:gosec // the third party's interface requires it; it protects nothing
	"encoding/hex"
	"fmt"
	"strings"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

// The values of User.AvatarSource.
const (
	avatarGenerated = "G"
	avatarUploaded  = "U"
)

// AvatarHosted reports whether the account's picture is on a third party's host. Clients can compute its URL from the
// account's address (rest-api.md, section 4.1).
func AvatarHosted(o org.Org, u User) bool {
	return o.Settings.ThirdPartyAvatars && u.AvatarSource != avatarUploaded &&
		o.Settings.EmailAddressVisibility == org.EmailsForEveryone
}

// drawnPath is the path of pictures that are generated from ids.
const drawnPath = "/avatar/"

// AvatarURL returns the URL of the account's picture: a path on the organization's own host, unless
// [AvatarHosted].
func AvatarURL(o org.Org, u User) string { return avatarURL(o, u, "", "", "") }

// AvatarURLMedium returns the URL of the account's picture in the size for profiles.
func AvatarURLMedium(o org.Org, u User) string {
	return avatarURL(o, u, "-medium", "&size=medium", "&s=500")
}

func avatarURL(o org.Org, u User, uploadedMedium, medium, hostedMedium string) string {
	if u.AvatarSource == avatarUploaded && u.AvatarPath != "" {
		return fmt.Sprintf("/user_avatars/%s%s.png?v=%d", u.AvatarPath, uploadedMedium, u.AvatarVersion)
	}
	if AvatarHosted(o, u) {
		sum := md5.Sum([]byte(strings.ToLower(u.RealEmail))) //nolint:gosec // see the import
		return fmt.Sprintf("https://secure.gravatar.com/avatar/%s?d=identicon&version=%d%s",
			hex.EncodeToString(sum[:]), u.AvatarVersion, hostedMedium)
	}
	return fmt.Sprintf(drawnPath+"%d?v=%d%s", u.ID, u.AvatarVersion, medium)
}

// SetAvatar makes a file an account's picture, or a generated one if path is empty, and emits the events (events.md,
// sections 3.12 and 3.13). It returns the changed account. The caller must have locked the account before it read u.
func SetAvatar(ctx context.Context, tx *store.Tx, o org.Org, u User, path string) (User, error) {
	source := avatarGenerated
	if path != "" {
		source = avatarUploaded
	}
	updated := updating{before: u}
	var err error
	if u.IsBot() {
		if updated.views, err = ViewBots(ctx, tx, o, []User{u}); err != nil {
			return User{}, err
		}
	}
	updated.after, err = read(tx.SetAvatar(ctx, source, path, u.ID))
	after := updated.after
	if err != nil || !after.Active {
		return after, err
	}
	events := []event.Event(nil)
	if after.IsBot() {
		events = append(events, updated.toKeepers(event.ChangedBot{AvatarURL: AvatarURL(o, after)}))
	}
	return after, tx.Emit(ctx, append(events, toAll(event.ChangedAccount{UserID: after.ID, AvatarChange: &event.AvatarChange{
		AvatarSource: after.AvatarSource, AvatarURL: AvatarURL(o, after), AvatarURLMedium: AvatarURLMedium(o, after), AvatarVersion: after.AvatarVersion,
	}}))...)
}
