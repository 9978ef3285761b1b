package user

import (
	"crypto/md5" //nolint:gosec // the third party's interface asks for it; it protects nothing
	"encoding/hex"
	"fmt"
	"strings"

	"chatserver.dev/pkg/org"
)

// Where a picture comes from, User.AvatarSource.
const (
	avatarGenerated = "G"
	avatarUploaded  = "U"
)

// AvatarHosted reports whether the account's picture is on a third party's host, at an address that
// clients can make up from the account's own (rest-api.md, section 4.1).
func AvatarHosted(o org.Org, u User) bool {
	return o.Settings.ThirdPartyAvatars && u.AvatarSource != avatarUploaded &&
		o.Settings.EmailAddressVisibility == org.EmailsForEveryone
}

// AvatarURL is where the account's picture is: a path on the organization's own host, unless
// [AvatarHosted].
func AvatarURL(o org.Org, u User) string { return avatarURL(o, u, "", "") }

// AvatarURLMedium is where the picture is in a size for profiles.
func AvatarURLMedium(o org.Org, u User) string { return avatarURL(o, u, "&size=medium", "&s=500") }

func avatarURL(o org.Org, u User, medium, hostedMedium string) string {
	if AvatarHosted(o, u) {
		sum := md5.Sum([]byte(strings.ToLower(u.RealEmail))) //nolint:gosec // see the import
		return fmt.Sprintf("https://secure.gravatar.com/avatar/%s?d=identicon&version=%d%s",
			hex.EncodeToString(sum[:]), u.AvatarVersion, hostedMedium)
	}
	return fmt.Sprintf("/avatar/%d?v=%d%s", u.ID, u.AvatarVersion, medium)
}
