package inputs

import (
	"maps"
	"slices"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/secrets"
)

// AdminSecret is the Secret with the tokens for the admin interface of a server.
func AdminSecret(server *v1alpha1.ChatServer) string { return server.Name + "-admin" }

// PostgresSecret is the Secret of a trial database.
func PostgresSecret(server *v1alpha1.ChatServer) string { return server.Name + "-postgres" }

// RedisSecret is the Secret of a trial cache.
func RedisSecret(server *v1alpha1.ChatServer) string { return server.Name + "-redis" }

// LoginsSecrets are the two Secrets with the operator's own logins for a server's database. Rotations alternate between them.
func LoginsSecrets(server *v1alpha1.ChatServer) [2]string {
	return [2]string{server.Name + "-logins-a", server.Name + "-logins-b"}
}

// GivenLogins is the Secret with logins that a server's spec names; empty: the operator generates logins.
func GivenLogins(server *v1alpha1.ChatServer) string {
	if logins := server.Spec.Database.Logins; logins != nil {
		return logins.SecretName
	}
	return ""
}

// AddressSecret is the Secret with the address of an external database, see [Address].
func AddressSecret(server *v1alpha1.ChatServer) string { return server.Name + "-database-address" }

// ClusterName is the name of a server's Cluster of CloudNativePG.
func ClusterName(server *v1alpha1.ChatServer) string { return server.Name + "-db" }

// database returns the keys of Secrets with the address of a server's database.
func database(server *v1alpha1.ChatServer) Connection {
	switch server.Spec.Database.Mode {
	case v1alpha1.DatabaseExternal:
		if external := server.Spec.Database.External; external != nil {
			return externalDatabase(external)
		}
	case v1alpha1.DatabaseCloudNativePG:
		name := ClusterName(server)
		return Connection{URL: &Key{name + "-app", "uri"}, CA: &Key{name + "-ca", "ca.crt"}}
	case v1alpha1.DatabaseEphemeral:
		name := PostgresSecret(server)
		return Connection{Parts: map[string]Key{
			"host": {name, "host"}, "port": {name, "port"}, "dbname": {name, "dbname"},
			"user": {name, "username"}, "password": {name, "password"},
		}}
	}
	return Connection{}
}

// services returns database without the owner's user and password.
func services(server *v1alpha1.ChatServer) Connection {
	connection := database(server)
	if connection.URL != nil {
		connection.URL = &Key{AddressSecret(server), AddressKey}
	}
	if server.Spec.Database.Mode == v1alpha1.DatabaseCloudNativePG {
		name := ClusterName(server) + "-app"
		connection.URL = nil
		connection.Parts = map[string]Key{"host": {name, "host"}, "port": {name, "port"}, "dbname": {name, "dbname"}}
	}
	delete(connection.Parts, "user")
	delete(connection.Parts, "password")
	return connection
}

// replica returns the key of a Secret with the address of replicas of a server's database.
func replica(server *v1alpha1.ChatServer) Connection {
	if external := server.Spec.Database.External; external != nil {
		return Connection{URL: keyOf(external.ReplicaSecretRef)}
	}
	return Connection{}
}

// loginKeys are the keys of a Secret with logins.
func loginKeys(secret string) (keys []Key) {
	for _, key := range secrets.LoginKeys() {
		keys = append(keys, Key{secret, key})
	}
	return keys
}

func externalDatabase(external *v1alpha1.ExternalDatabase) Connection {
	from := external.SecretRef
	connection := Connection{CA: keyOf(external.CASecretRef)}
	if from.Keys == nil {
		connection.URL = &Key{from.Name, from.Key}
		return connection
	}
	connection.Parts = map[string]Key{
		"host": {from.Name, from.Keys.Host}, "port": {from.Name, from.Keys.Port}, "dbname": {from.Name, from.Keys.Database},
		"user": {from.Name, from.Keys.User}, "password": {from.Name, from.Keys.Password},
	}
	return connection
}

// cache returns the keys of Secrets with the address of a server's cache.
func cache(server *v1alpha1.ChatServer) Connection {
	if external := server.Spec.Cache.External; external != nil {
		return Connection{URL: &Key{external.SecretRef.Name, external.SecretRef.Key}, CA: keyOf(external.CASecretRef)}
	}
	return Connection{URL: &Key{RedisSecret(server), "url"}}
}

func keyOf(from *v1alpha1.SecretKey) *Key {
	if from == nil {
		return nil
	}
	return &Key{from.Name, from.Key}
}

// keys are all keys of a connection, in a fixed order.
func (c Connection) keys() []Key {
	keys := []Key(nil)
	if c.URL != nil {
		keys = append(keys, *c.URL)
	}
	for _, part := range slices.Sorted(maps.Keys(c.Parts)) {
		keys = append(keys, c.Parts[part])
	}
	if c.CA != nil {
		keys = append(keys, *c.CA)
	}
	return keys
}

// References returns the names of all Secrets that are read for a server or that its spec names. A server is reconciled
// when one of them changes.
func References(server *v1alpha1.ChatServer) []string {
	logins := LoginsSecrets(server)
	names := []string{AdminSecret(server), logins[0], logins[1], GivenLogins(server), TLSSecret(server)}
	for _, key := range slices.Concat(database(server).keys(), services(server).keys(), replica(server).keys(), cache(server).keys(), sharedKeys(server), ownKeys(server)["api"], providerKeys(server), MailCertificate(server)) {
		names = append(names, key.Secret)
	}
	for _, reference := range server.Spec.Image.PullSecrets {
		names = append(names, reference.Name)
	}
	return distinct(append(names, referred(server, false)...))
}

// ConfigMaps returns the names of all ConfigMaps that a server's spec names.
func ConfigMaps(server *v1alpha1.ChatServer) []string { return distinct(referred(server, true)) }

// referred returns the names of the Secrets, or of the ConfigMaps, that podTemplates refer to.
func referred(server *v1alpha1.ChatServer, configMaps bool) (names []string) {
	for _, t := range templates(server) {
		for _, s := range t.sources() {
			if s.configMap == configMaps {
				names = append(names, s.name)
			}
		}
	}
	return names
}

// distinct sorts names, and removes duplicates and empty ones.
func distinct(names []string) []string {
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// TLSSecret is the Secret with the certificate for a server's host; empty: there is none.
func TLSSecret(server *v1alpha1.ChatServer) string {
	exposure := server.Spec.Exposure
	switch {
	case exposure == nil || exposure.TLS == nil:
		return ""
	case exposure.TLS.SecretName != "":
		return exposure.TLS.SecretName
	}
	return server.Name + "-tls"
}
