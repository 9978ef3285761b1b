package secrets

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Keys of a Secret with the two PostgreSQL roles of the services.
const (
	ServiceUserKey        = "service-user"
	ServicePasswordKey    = "service-password"
	EverywhereUserKey     = "everywhere-user"
	EverywherePasswordKey = "everywhere-password"
)

// LoginKeys are the keys of a Secret with logins.
func LoginKeys() []string {
	return []string{ServiceUserKey, ServicePasswordKey, EverywhereUserKey, EverywherePasswordKey}
}

// Logins returns the desired data of a Secret with logins. It keeps existing values. Roles belong to the whole PostgreSQL
// server, so their names begin with prefix, see [LoginPrefix].
func Logins(prefix string, existing map[string][]byte) map[string][]byte {
	return fill(existing, map[string]string{
		ServiceUserKey: prefix + "_service", ServicePasswordKey: rand.Text(),
		EverywhereUserKey: prefix + "_everywhere", EverywherePasswordKey: rand.Text(),
	})
}

// LoginPrefix returns the prefix of the names of a server's roles. It differs for servers in other namespaces and
// clusters, and is at most 52 bytes long, so that a role's name has at most 63. slot is a letter.
func LoginPrefix(namespace, name, uid, slot string) string {
	sum := sha256.Sum256([]byte(namespace + "/" + name + "/" + uid))
	return strings.ReplaceAll(name[:min(len(name), 40)], "-", "_") + "_" + hex.EncodeToString(sum[:4]) + "_" + slot
}
