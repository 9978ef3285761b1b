package upgrade

import (
	"slices"

	"chatserver.dev/operator/api/v1alpha1"
)

// FormerUsers returns the roles from which a migration that creates the logins of a Secret revokes the right to log in.
// It returns none while a pod may use them.
func FormerUsers(secret string, status v1alpha1.ChatServerStatus) []string {
	logins := status.DatabaseLogins
	if logins == nil || !logins.FormerUnused || logins.SecretName != secret {
		return nil
	}
	return slices.Clone(logins.FormerUsers)
}

// TakeLogins records the logins of a Secret that a migration has created. own reports whether a Secret is the
// operator's: roles from other Secrets aren't locked.
func TakeLogins(status *v1alpha1.ChatServerStatus, secret string, users []string, own func(secret string) bool) {
	logins := status.DatabaseLogins
	if logins == nil {
		logins = &v1alpha1.DatabaseLoginsStatus{}
		status.DatabaseLogins = logins
	}
	if len(logins.Users) > 0 && !slices.Equal(logins.Users, users) {
		logins.FormerUsers, logins.FormerUnused = nil, false
		if own(logins.SecretName) {
			logins.FormerUsers = logins.Users
		}
	}
	logins.SecretName, logins.Users = secret, users
}
