// Package inputs gathers what a ChatServer is rendered from: everything that is read, before anything
// is decided or written.
package inputs

// Inputs is everything beside the ChatServer itself that its objects depend on. Rendering from equal
// inputs returns equal objects.
type Inputs struct {
	// Defaults are the operator's own, for what the spec leaves open.
	Defaults Defaults
	// Served has the optional kinds that the cluster serves.
	Served Served
	// Database says how PostgreSQL is reached as the database's owner.
	Database Connection
	// Services says how PostgreSQL is reached with logins of the services' own: it names no user.
	Services Connection
	// MigrationLogins is the Secret with the logins that the migration makes. Empty: it makes none.
	MigrationLogins string
	// PodLogins is the Secret with the logins that services have. Empty: they log in as the database's owner.
	PodLogins string
	// Admin is how pods of api serve the admin interface.
	Admin Admin
	// FormerUsers are the roles whose right to log in the migration takes.
	FormerUsers []string
	// Cache says how the services find Redis.
	Cache Connection
	// Hash of the contents of all Secrets that the services' pods read when they start. Another value replaces the pods.
	// Empty: PodLogins is gone.
	Hash string
	// MigrationHash is of those that the migration reads. Another value tries one again that has failed.
	MigrationHash string
	// Templates has a hash of what the podTemplate of each component refers to: api, events, webhook, migrate.
	Templates map[string]string
	// Pull is a hash of the pull Secrets. Another value tries a migration again, but replaces no pods: those that run have
	// their image, and passwords of some registries change every few hours.
	Pull string
	// MigrationSum is the name of the migration: of the version and the image that runs it, and of the logins that it makes.
	MigrationSum string
}

// Admin is how the admin interface is served.
type Admin string

// How the admin interface is served.
const (
	AdminUnsaid    Admin = ""          // over plain HTTP, by pods that were made before there was TLS: they aren't replaced for it
	AdminPlaintext Admin = "Plaintext" // over plain HTTP: TLS isn't known of their version
	AdminTLS       Admin = "TLS"
)

// Defaults are the operator's own.
type Defaults struct {
	Namespace     string // that the operator runs in; empty: it isn't known
	Repository    string // of the images, without the component
	PostgresImage string // of trial databases
	RedisImage    string // of trial caches
}

// Connection says how the services find a server and prove who they are.
type Connection struct {
	// URL is the key of a Secret with the whole address; nil: Parts has it.
	URL *Key
	// Parts are the keys with host, port, dbname, user and password of PostgreSQL.
	Parts map[string]Key
	// CA is the key with certificates of authorities; nil: those of the system.
	CA *Key
	// Ports are the TCP ports of somebody else's server, as its address has them. Empty: they can't be
	// told, which is so with Sentinel and Cluster, whose nodes name others.
	Ports []int32
}

// Key is a key of a Secret in the ChatServer's namespace.
type Key struct{ Secret, Key string }

// Served are the optional kinds that the cluster serves.
type Served struct {
	HTTPRoute, Certificate, ServiceMonitor, PrometheusRule, CloudNativePG bool
}
