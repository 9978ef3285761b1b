package render

import (
	"cmp"
	"net"
	"net/url"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	core "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// setting is a variable of all pods that a field of the spec sets.
type setting struct {
	name  string
	value string // empty: the services' own default
}

// specVariables returns the variables that are set by one field of spec.settings each, in a fixed order. New ones are added
// here. Variables that belong together are in [apiFor], [mailFor], [mailInFor], [webPushFor], [filesFor] and
// [providersFor].
func specVariables(server *v1alpha1.ChatServer) []setting {
	s := &server.Spec.Settings
	rates := v1alpha1.RateLimits{}
	if s.RateLimits != nil {
		rates = *s.RateLimits
	}
	return []setting{
		{"RATE_LIMIT_PER_USER", string(s.RateLimitPerUser)},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", s.TraceEndpoint},
		{"JITSI_SERVER_URL", s.JitsiServerURL},
		{"IMAGE_PROXY", unless(proxiesImages(server), "false")},
		{"IMAGE_PROXY_MAX_BYTES", size(s.ImageProxyMaxSize)},
		{"ORGANIZATION_SIGNUP", unless(s.OrganizationSignup != v1alpha1.Enabled, "true")},
		{"OUTGOING_WEBHOOK_NETWORKS", strings.Join(s.OutgoingWebhookNetworks, ",")},
		{"MAX_STREAMS", number(s.MaxStreams)},
		{"MAX_STREAMS_PER_DAY", number(s.MaxStreamsPerDay)},
		{"EVENT_LOG_KEEP", duration(s.EventLogKeep)},
		{"EVENT_QUEUES_PER_ACCOUNT", number(s.EventQueuesPerAccount)},
		{"DATABASE_CONNECTIONS", number(s.DatabaseConnections)},
		{"RATE_LIMIT_REFUSALS", string(rates.Refusals)},
		{"RATE_LIMIT_IMAGES", string(rates.Images)},
		{"RATE_LIMIT_PASSWORDS", string(rates.Passwords)},
		{"RATE_LIMIT_LOGINS", string(rates.Logins)},
		{"RATE_LIMIT_PASSWORDS_FROM", string(rates.PasswordsFrom)},
		{"RATE_LIMIT_MAIL_REQUESTS", string(rates.MailRequests)},
		{"RATE_LIMIT_MAIL_REQUESTS_A_DAY", string(rates.MailRequestsADay)},
		{"RATE_LIMIT_MAIL_REQUESTS_FROM", string(rates.MailRequestsFrom)},
		{"RATE_LIMIT_MAIL_TO", string(rates.MailTo)},
		{"RATE_LIMIT_MAIL_OF_ORGANIZATION", string(rates.MailOfOrganization)},
		{"MAIL_IN", mailIn(server).Addresses},
		{"RATE_LIMIT_MAIL_IN", string(mailIn(server).RateLimit)},
	}
}

// mailIn returns the spec of incoming mail; the zero value: the server receives none.
func mailIn(server *v1alpha1.ChatServer) v1alpha1.MailIn {
	return ptr.Deref(server.Spec.MailIn, v1alpha1.MailIn{})
}

// unless returns a value, or nothing if a condition holds.
func unless(condition bool, value string) string {
	if condition {
		return ""
	}
	return value
}

func size(quantity *resource.Quantity) string {
	if quantity == nil {
		return ""
	}
	return strconv.FormatInt(quantity.Value(), 10)
}

func number(n *int32) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(int(*n))
}

func duration(d *metav1.Duration) string {
	if d == nil {
		return ""
	}
	return d.Duration.String()
}

// settingsFor returns a component's variables for the settings of the spec. The migration doesn't use mail, files or
// identity providers.
func settingsFor(server *v1alpha1.ChatServer, component Component) []*core.EnvVarApplyConfiguration {
	env := []*core.EnvVarApplyConfiguration(nil)
	for _, s := range specVariables(server) {
		if s.value != "" {
			env = append(env, variable(s.name, s.value))
		}
	}
	if component == Migrate {
		return env
	}
	env = append(env, apiFor(server, component)...)
	env = append(env, mailFor(server, component)...)
	env = append(env, webPushFor(server, component)...)
	env = append(env, filesFor(server, component)...)
	env = append(env, mailInFor(server, component)...)
	return append(env, providersFor(server)...)
}

// apiFor returns the variables of single fields that api alone reads: a change of them replaces no other pods.
func apiFor(server *v1alpha1.ChatServer, component Component) []*core.EnvVarApplyConfiguration {
	if component != API {
		return nil
	}
	env := []*core.EnvVarApplyConfiguration(nil)
	if !ptr.Deref(server.Spec.Web.Enabled, true) {
		env = append(env, variable("WEB_ENABLED", "false"))
	}
	if proxies := server.Spec.Settings.TrustedProxies; len(proxies) > 0 {
		env = append(env, variable("TRUSTED_PROXIES", strings.Join(proxies, ",")))
	}
	return env
}

// mailFor returns the variables for mail. Only api logs in to the mail server; the other services only report whether
// the server sends mail.
func mailFor(server *v1alpha1.ChatServer, component Component) []*core.EnvVarApplyConfiguration {
	mail := server.Spec.Mail
	if mail == nil {
		return nil
	}
	address := url.URL{Scheme: "smtp", Host: net.JoinHostPort(mail.Host, strconv.Itoa(int(mailPort(mail))))}
	switch mail.TLSMode {
	case v1alpha1.MailTLS:
		address.Scheme = "smtps"
	case v1alpha1.MailNoTLS:
		address.RawQuery = "tls=none"
	case v1alpha1.MailStartTLS:
	}
	env := []*core.EnvVarApplyConfiguration{variable("SMTP_URL", address.String()), variable("MAIL_FROM", mail.From)}
	if user, password := inputs.MailLogin(server); component == API && user != nil {
		env = append(env, secret("SMTP_USER", *user), secret("SMTP_PASSWORD", *password))
	}
	return env
}

// mailInFor returns the variables for incoming mail, which webhook receives.
func mailInFor(server *v1alpha1.ChatServer, component Component) []*core.EnvVarApplyConfiguration {
	if !takesMail(server, component) {
		return nil
	}
	env := []*core.EnvVarApplyConfiguration{variable("LMTP_ADDR", address(portMail))}
	if secured := mailIn(server).TLS; secured != nil {
		env = append(env, variable("LMTP_TLS_CERT_FILE", mailDirectory+corev1.TLSCertKey), variable("LMTP_TLS_KEY_FILE", mailDirectory+corev1.TLSPrivateKeyKey),
			variable("LMTP_TLS_REQUIRED", strconv.FormatBool(secured.ClearText != v1alpha1.Enabled)))
	}
	return env
}

// webPushFor returns the variables for notifications of browsers, which api alone sends.
func webPushFor(server *v1alpha1.ChatServer, component Component) []*core.EnvVarApplyConfiguration {
	push := server.Spec.WebPush
	if push == nil || component != API {
		return nil
	}
	env := []*core.EnvVarApplyConfiguration{secret("WEB_PUSH_SECRET_KEY", *inputs.WebPushKey(server))}
	if push.Content == v1alpha1.Disabled {
		env = append(env, variable("WEB_PUSH_CONTENT", "false"))
	}
	if len(push.Networks) > 0 {
		env = append(env, variable("WEB_PUSH_NETWORKS", strings.Join(push.Networks, ",")))
	}
	return env
}

func mailPort(mail *v1alpha1.Mail) int32 {
	usual := map[v1alpha1.MailTLSMode]int32{v1alpha1.MailTLS: 465, v1alpha1.MailNoTLS: 25}[mail.TLSMode]
	return cmp.Or(mail.Port, usual, 587)
}

// takesMail reports whether pods of a component receive mail.
func takesMail(server *v1alpha1.ChatServer, component Component) bool {
	return component == Webhook && server.Spec.MailIn != nil
}

// keepsFiles reports whether pods of a component read and write files: pods of api, and pods of webhook if they receive
// mail, which may have attachments.
func keepsFiles(server *v1alpha1.ChatServer, component Component) bool {
	return component == API || takesMail(server, component)
}

// filesFor returns the variables for uploaded files. Components that don't keep files only report whether uploads are
// possible.
func filesFor(server *v1alpha1.ChatServer, component Component) []*core.EnvVarApplyConfiguration {
	files := server.Spec.Files
	if files == nil {
		return nil
	}
	env := []*core.EnvVarApplyConfiguration(nil)
	if quota := size(files.OrganizationQuota); quota != "" {
		env = append(env, variable("UPLOAD_QUOTA", quota))
	}
	if files.Folder != nil {
		return append(env, variable("FILES_DIR", filesDirectory))
	}
	bucket := files.S3
	if bucket == nil {
		return env
	}
	env = append(env, variable("FILES_S3_ENDPOINT", bucket.Endpoint), variable("FILES_S3_BUCKET", bucket.Bucket))
	if bucket.Region != "" {
		env = append(env, variable("FILES_S3_REGION", bucket.Region))
	}
	if bucket.PathStyle {
		env = append(env, variable("FILES_S3_PATH_STYLE", "true"))
	}
	if !keepsFiles(server, component) {
		return env
	}
	if access, key := inputs.BucketKey(server); access != nil {
		env = append(env, secret("FILES_S3_ACCESS_KEY", *access), secret("FILES_S3_SECRET_KEY", *key))
	}
	if inputs.BucketCA(server) != nil {
		env = append(env, variable("FILES_S3_CA_FILE", filesCAFile))
	}
	return append(env, variable("TMPDIR", temporaryDirectory))
}

// providersFor returns the variable for identity providers.
func providersFor(server *v1alpha1.ChatServer) []*core.EnvVarApplyConfiguration {
	if len(server.Spec.IdentityProviders) == 0 {
		return nil
	}
	return []*core.EnvVarApplyConfiguration{variable("IDENTITY_PROVIDERS_FILE", providersFile)}
}

// mountSettings mounts the files that the variables of [settingsFor] name.
func mountSettings(spec *core.PodSpecApplyConfiguration, to *core.ContainerApplyConfiguration, server *v1alpha1.ChatServer, component Component) {
	if len(server.Spec.IdentityProviders) > 0 {
		key := inputs.Key{Secret: inputs.ProvidersSecret(server), Key: inputs.PublicProvidersKey}
		if component == API {
			key.Key = inputs.ProvidersKey
		}
		mountSecret(spec, to, providersVolume, key, inputs.ProvidersKey)
	}
	if keys := inputs.MailCertificate(server); keys != nil && takesMail(server, component) {
		mountKeys(spec, to, mailVolume, keys)
	}
	if !keepsFiles(server, component) {
		return
	}
	if ca := inputs.BucketCA(server); ca != nil {
		mountSecret(spec, to, filesCAVolume, *ca, certificatesFile)
	}
	if component == API || inputs.Bucket(server) != nil {
		mountTemporary(spec, to, ptr.Deref(server.Spec.Files, v1alpha1.Files{}).TemporarySize)
	}
	if folder := inputs.Folder(server); folder != nil {
		mountFolder(spec, to, folder)
	}
}
