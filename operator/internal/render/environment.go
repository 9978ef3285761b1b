package render

import (
	"cmp"
	"math"
	"net"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	core "k8s.io/client-go/applyconfigurations/core/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/secrets"
)

// AdminPort is the port of the admin interface, in pods of api and of its Service.
const AdminPort = 8443

// Ports of containers, and their names.
const (
	portHTTP    = 8080
	portMetrics = 9090
	portMail    = 2424

	nameHTTP    = "http"
	nameMetrics = "metrics"
	nameAdmin   = "admin"
	nameMail    = "lmtp"
)

// Paths of files in pods.
const (
	directory        = "/etc/chatserver/"
	adminVolume      = "admin"
	postgresCAVolume = "postgres-ca"
	redisCAVolume    = "redis-ca"
	filesCAVolume    = "files-ca"
	filesVolume      = "files"
	temporaryVolume  = "tmp"
	providersVolume  = "providers"
	mailVolume       = "mail"
	certificatesFile = "ca.crt"
	adminDirectory   = directory + adminVolume + "/"
	postgresCAFile   = directory + postgresCAVolume + "/" + certificatesFile
	redisCAFile      = directory + redisCAVolume + "/" + certificatesFile
	filesCAFile      = directory + filesCAVolume + "/" + certificatesFile
	mailDirectory    = directory + mailVolume + "/"
	providersFile    = directory + providersVolume + "/" + inputs.ProvidersKey
	// Files are in a directory of the volume, whose root may contain lost+found and have another owner.
	filesVolumeDirectory = "/var/lib/chatserver"
	filesDirectory       = filesVolumeDirectory + "/files"
	temporaryDirectory   = "/tmp"
	profilesAddr         = "127.0.0.1:6060" // reachable only inside the pod, and by kubectl port-forward
	shutdownDelay        = "5s"
	shutdownGrace        = "60s"
	terminationPeriod    = 75 // seconds; more than delay and grace
)

// environment returns the variables of a component, in a fixed order.
func environment(server *v1alpha1.ChatServer, in inputs.Inputs, component Component) []*core.EnvVarApplyConfiguration {
	env := []*core.EnvVarApplyConfiguration{
		variable("CHAT_ADDR", address(portHTTP)),
		variable("METRICS_ADDR", address(portMetrics)),
		variable("PPROF_ADDR", profilesAddr),
		variable("LOG_FORMAT", "json"),
		variable("LOG_LEVEL", cmp.Or(server.Spec.Settings.LogLevel, "info")),
		variable("EXTERNAL_HOST", server.Spec.Host),
		variable("EXTERNAL_SCHEME", scheme(server)),
		variable("SHUTDOWN_DELAY", shutdownDelay),
		variable("SHUTDOWN_GRACE", shutdownGrace),
	}
	env = append(env, settingsFor(server, component)...)
	if component == API {
		env = append(env, admin()...)
	}
	env = append(env, databaseFor(server, in, component)...)
	if component == API && in.Replica.URL != nil {
		env = append(env, secret("DATABASE_REPLICA_URL", *in.Replica.URL))
	}
	env = append(env, cache(server, in.Cache)...)
	if limit := memoryForGo(resources(server, component).Limits); limit > 0 {
		env = append(env, variable("GOMEMLIMIT", strconv.FormatInt(limit, 10)))
	}
	return env
}

// admin returns the variables of the admin interface.
func admin() []*core.EnvVarApplyConfiguration {
	return []*core.EnvVarApplyConfiguration{
		variable("ADMIN_ADDR", address(AdminPort)), variable("ADMIN_TOKEN_FILE", adminDirectory+secrets.TokensKey),
		variable("ADMIN_TLS_CERT_FILE", adminDirectory+secrets.CertificateKey), variable("ADMIN_TLS_KEY_FILE", adminDirectory+secrets.PrivateKeyKey),
	}
}

// proxiesImages reports whether the server fetches images from other servers for its users.
func proxiesImages(server *v1alpha1.ChatServer) bool {
	return server.Spec.Settings.ImageProxy != v1alpha1.Disabled
}

// databaseFor returns a component's variables for PostgreSQL. Services have logins of their own: only the migration gets the
// owner's password.
func databaseFor(server *v1alpha1.ChatServer, in inputs.Inputs, component Component) []*core.EnvVarApplyConfiguration {
	if component != Migrate {
		return append(database(server, in.Services), logins(in.PodLogins)...)
	}
	env := append(database(server, in.Database), logins(in.MigrationLogins)...)
	if len(in.FormerUsers) > 0 {
		env = append(env, variable("DATABASE_FORMER_USERS", strings.Join(in.FormerUsers, ",")))
	}
	return env
}

// logins returns the variables for the logins of a Secret.
func logins(from string) []*core.EnvVarApplyConfiguration {
	return []*core.EnvVarApplyConfiguration{
		secret("DATABASE_SERVICE_USER", inputs.Key{Secret: from, Key: secrets.ServiceUserKey}),
		secret("DATABASE_SERVICE_PASSWORD", inputs.Key{Secret: from, Key: secrets.ServicePasswordKey}),
		secret("DATABASE_EVERYWHERE_USER", inputs.Key{Secret: from, Key: secrets.EverywhereUserKey}),
		secret("DATABASE_EVERYWHERE_PASSWORD", inputs.Key{Secret: from, Key: secrets.EverywherePasswordKey}),
	}
}

func database(server *v1alpha1.ChatServer, connection inputs.Connection) []*core.EnvVarApplyConfiguration {
	var env []*core.EnvVarApplyConfiguration
	if connection.URL != nil {
		env = append(env, secret("DATABASE_URL", *connection.URL))
	} else {
		for _, part := range []struct{ variable, part string }{
			{"PGHOST", "host"}, {"PGPORT", "port"}, {"PGDATABASE", "dbname"}, {"PGUSER", "user"}, {"PGPASSWORD", "password"},
		} {
			if key, ok := connection.Parts[part.part]; ok {
				env = append(env, secret(part.variable, key))
			}
		}
	}
	env = append(env, variable("PGSSLMODE", string(databaseTLS(server))))
	if connection.CA != nil {
		env = append(env, variable("PGSSLROOTCERT", postgresCAFile))
	}
	return env
}

func databaseTLS(server *v1alpha1.ChatServer) v1alpha1.TLSMode {
	switch server.Spec.Database.Mode {
	case v1alpha1.DatabaseEphemeral:
		return v1alpha1.TLSDisable
	case v1alpha1.DatabaseExternal:
		if external := server.Spec.Database.External; external != nil {
			return cmp.Or(external.TLSMode, v1alpha1.TLSVerifyFull)
		}
	case v1alpha1.DatabaseCloudNativePG:
	}
	return v1alpha1.TLSVerifyFull
}

func cache(server *v1alpha1.ChatServer, connection inputs.Connection) []*core.EnvVarApplyConfiguration {
	var env []*core.EnvVarApplyConfiguration
	if connection.URL != nil {
		env = append(env, secret("REDIS_URL", *connection.URL))
	}
	topology := v1alpha1.RedisSingle
	if external := server.Spec.Cache.External; external != nil {
		topology = cmp.Or(external.Topology, topology)
	}
	env = append(env, variable("REDIS_TOPOLOGY", strings.ToLower(string(topology))))
	if connection.CA != nil {
		env = append(env, variable("REDIS_CA_FILE", redisCAFile))
	}
	return env
}

// memoryForGo returns the memory limit of Go's runtime for a limit of the container, in bytes. The rest is for memory that
// the runtime doesn't manage. Zero: there is no limit.
func memoryForGo(limits corev1.ResourceList) int64 {
	limit, ok := limits[corev1.ResourceMemory]
	if !ok {
		return 0
	}
	bytes := limit.Value()
	if bytes > math.MaxInt64/9 {
		return 0
	}
	return bytes * 9 / 10
}

func address(port int) string { return net.JoinHostPort("", strconv.Itoa(port)) }

func variable(name, value string) *core.EnvVarApplyConfiguration {
	return core.EnvVar().WithName(name).WithValue(value)
}

func secret(name string, key inputs.Key) *core.EnvVarApplyConfiguration {
	return core.EnvVar().WithName(name).WithValueFrom(core.EnvVarSource().
		WithSecretKeyRef(core.SecretKeySelector().WithName(key.Secret).WithKey(key.Key)))
}
