// Package inputs reads everything that a ChatServer's objects depend on, before the operator decides or writes
// anything.
package inputs

import "k8s.io/apimachinery/pkg/runtime/schema"

// Inputs is everything except the ChatServer itself that its objects depend on. Equal inputs render equal objects.
type Inputs struct {
	// Defaults are the operator's defaults for fields of the spec.
	Defaults Defaults
	// Served are the optional kinds that the cluster serves.
	Served Served
	// Database is the connection to PostgreSQL as the database's owner.
	Database Connection
	// Services is the connection to PostgreSQL without a user, for the services, which have logins of their own.
	Services Connection
	// Replica is the connection to streaming replicas of PostgreSQL, without a user. No URL: there are none.
	Replica Connection
	// MigrationLogins is the Secret with the logins that the migration creates.
	MigrationLogins string
	// PodLogins is the Secret with the logins of the services.
	PodLogins string
	// FormerUsers are the roles from which the migration revokes the right to log in.
	FormerUsers []string
	// Cache is the connection to Redis.
	Cache Connection
	// TrialCache is a hash of the configuration of a trial cache, which it reads when it starts. Its pod is replaced when it
	// changes. Empty: there is none.
	TrialCache string
	// ClusterRestored is whether somebody has made the Cluster of CloudNativePG from a backup. It keeps its bootstrap, of which there is
	// one method only.
	ClusterRestored bool
	// FilesOn is where pods can use the volume for files at a time.
	FilesOn FilesOn
	// Hash is a hash of the Secrets that the pods of all services read when they start. Pods are replaced when it changes.
	// Empty: PodLogins doesn't exist.
	Hash string
	// Own has a hash of the Secrets that only some services' pods read when they start, by component: api, webhook.
	Own map[string]string
	// MigrationHash is a hash of the Secrets that the migration reads. A failed migration is retried when it changes.
	MigrationHash string
	// Templates has a hash of the Secrets and ConfigMaps that each podTemplate refers to, by component: api, events,
	// webhook, migrate.
	Templates map[string]string
	// Pull is a hash of the pull Secrets. A failed migration is retried when it changes, but pods aren't replaced: running
	// ones have their image, and passwords of some registries change every few hours.
	Pull string
	// MigrationSum identifies the migration: a hash of version, image, database, logins and the annotation for retries.
	MigrationSum string
}

// FilesOn is where pods can use a volume for files at a time.
type FilesOn string

// Where pods can use a volume for files at a time.
const (
	FilesAnywhere  FilesOn = ""        // on all nodes, or there is no volume
	FilesOnOneNode FilesOn = "OneNode" // on one node
	FilesInOnePod  FilesOn = "OnePod"  // in one pod
)

// Defaults are the operator's defaults.
type Defaults struct {
	Namespace     string // of the operator; empty: it isn't known
	Repository    string // of the images, without the component
	PostgresImage string // of trial databases
	RedisImage    string // of trial caches
}

// Connection has the keys with the address and credentials of a server.
type Connection struct {
	// URL is the key with the whole address; nil: see Parts.
	URL *Key
	// Parts are the keys with host, port, dbname, user and password of PostgreSQL.
	Parts map[string]Key
	// CA is the key with the certificates of authorities; nil: those of the system.
	CA *Key
	// Ports are the TCP ports in the address of an external server. Empty: they aren't known, as with Sentinel and
	// Cluster, whose nodes name others.
	Ports []int32
}

// Key is a key of a Secret in the ChatServer's namespace.
type Key struct{ Secret, Key string }

// Served are the optional kinds that the cluster serves. It is never modified.
type Served map[schema.GroupVersionKind]bool
