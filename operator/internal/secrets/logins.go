package secrets

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Keys of a Secret with the two roles that services log in to PostgreSQL as.
const (
	ServiceUserKey        = "service-user"
	ServicePasswordKey    = "service-password"
	EverywhereUserKey     = "everywhere-user"
	EverywherePasswordKey = "everywhere-password"
)

// LoginKeys are all keys of a Secret with logins.
func LoginKeys() []string {
	return []string{ServiceUserKey, ServicePasswordKey, EverywhereUserKey, EverywherePasswordKey}
}

// Logins is what a Secret with logins is to have. What is there already stays. Roles are the whole PostgreSQL server's, so
// their names begin with prefix, see [LoginPrefix].
func Logins(prefix string, existing map[string][]byte) map[string][]byte {
	return fill(existing, map[string]string{
		ServiceUserKey: prefix + "_service", ServicePasswordKey: rand.Text(),
		EverywhereUserKey: prefix + "_everywhere", EverywherePasswordKey: rand.Text(),
	})
}

// LoginPrefix is what the names of a server's roles begin with. It differs for servers of other namespaces and other
// clusters, and is at most 52 bytes long, so that a role's name has at most 63; slot is a letter.
func LoginPrefix(namespace, name, uid, slot string) string {
	sum := sha256.Sum256([]byte(namespace + "/" + name + "/" + uid))
	return strings.ReplaceAll(name[:min(len(name), 40)], "-", "_") + "_" + hex.EncodeToString(sum[:4]) + "_" + slot
}
