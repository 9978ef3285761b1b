package secrets

import (
	"crypto/rand"
	"maps"
	"net/url"
	"strconv"
)

// Ports of trial servers.
const (
	postgresPort = 5432
	redisPort    = 6379
	databaseName = "chatserver"
)

// RedisConfigKey is the key of the Secret of a trial cache with the secret part of its configuration: a line
// "requirepass <password>".
const RedisConfigKey = "redis.conf"

// Postgres returns the desired data of the Secret of a trial database at host. It keeps an existing password, and keys that others have added.
func Postgres(host string, existing map[string][]byte) map[string][]byte {
	password := passwordOf(existing)
	port := strconv.Itoa(postgresPort)
	uri := url.URL{Scheme: "postgres", User: url.UserPassword(databaseName, password), Host: host + ":" + port, Path: "/" + databaseName}
	return derive(existing, map[string]string{
		"username": databaseName, "password": password, "dbname": databaseName,
		"host": host, "port": port, "uri": uri.String(),
	})
}

// Redis returns the desired data of the Secret of a trial cache. It keeps an existing password, and keys that others have added.
func Redis(host string, existing map[string][]byte) map[string][]byte {
	password := passwordOf(existing)
	address := url.URL{Scheme: "redis", User: url.UserPassword("", password), Host: host + ":" + strconv.Itoa(redisPort)}
	return derive(existing, map[string]string{
		"password": password, "url": address.String(), RedisConfigKey: "requirepass " + password + "\n",
	})
}

// passwordOf returns the existing password, or else a new one.
func passwordOf(existing map[string][]byte) string {
	if text := existing["password"]; len(text) > 0 {
		return string(text)
	}
	return rand.Text()
}

// derive sets the values that follow from the password. Whoever changes one, such as the address, would lead pods away from the
// trial server.
func derive(existing map[string][]byte, wanted map[string]string) map[string][]byte {
	all := map[string][]byte{}
	maps.Copy(all, existing)
	for key, text := range wanted {
		all[key] = []byte(text)
	}
	return all
}

// fill adds missing values.
func fill(existing map[string][]byte, wanted map[string]string) map[string][]byte {
	all := map[string][]byte{}
	for key, text := range wanted {
		all[key] = []byte(text)
	}
	for key, text := range existing {
		if len(text) > 0 {
			all[key] = text
		}
	}
	return all
}
