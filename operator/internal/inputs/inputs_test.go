package inputs_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
)

// external returns a server with an external database and cache.
func external() *v1alpha1.ChatServer {
	return &v1alpha1.ChatServer{
		ObjectMeta: metav1.ObjectMeta{Namespace: "chat", Name: "main"},
		Spec: v1alpha1.ChatServerSpec{
			Version: "1.0.0",
			Database: v1alpha1.Database{Mode: v1alpha1.DatabaseExternal, External: &v1alpha1.ExternalDatabase{
				SecretRef: v1alpha1.DatabaseSecret{Name: "db", Key: "url"}, CASecretRef: &v1alpha1.SecretKey{Name: "ca", Key: "ca.crt"},
			}},
			Cache: v1alpha1.Cache{Mode: v1alpha1.CacheExternal, External: &v1alpha1.ExternalCache{
				SecretRef: v1alpha1.SecretKey{Name: "redis", Key: "url"}, Topology: v1alpha1.RedisSingle,
			}},
		},
	}
}

// contents of Secrets by name and key.
type contents map[string]map[string]string

// reader reads Secrets.
func reader(secrets contents) client.Reader {
	builder := fake.NewClientBuilder()
	for name, keys := range secrets {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "chat", Name: name}, Data: map[string][]byte{}}
		for key, value := range keys {
			secret.Data[key] = []byte(value)
		}
		builder.WithObjects(secret)
	}
	return builder.Build()
}

func read(t *testing.T, server *v1alpha1.ChatServer, secrets contents) (inputs.Inputs, error) {
	t.Helper()
	return inputs.Read(t.Context(), inputs.NewSecrets(reader(secrets), "chat"), server, of(server))
}

// of returns the inputs of a server before its Secrets are read.
func of(server *v1alpha1.ChatServer) inputs.Inputs {
	in := inputs.Of(server, inputs.Defaults{Repository: "r"}, inputs.Served{})
	in.MigrationLogins, in.PodLogins = "main-logins-a", "main-logins-a"
	return in
}

func all() contents {
	return contents{
		"db": {"url": "postgres://u:p@db/chat"}, "ca": {"ca.crt": authority("x")}, "redis": {"url": "redis://redis:6380?addr=other:6381"},
		"main-database-address": {"url": "postgres://db/chat"},
		"main-logins-a":         {"service-user": "s", "service-password": "1", "everywhere-user": "e", "everywhere-password": "2"},
	}
}

// authority returns the certificate of an authority, always the same one for a name.
func authority(name string) string {
	seed := sha256.Sum256([]byte(name))
	key := ed25519.NewKeyFromSeed(seed[:])
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(nil, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func TestTheHashIsOfWhatPodsRead(t *testing.T) {
	before, err := read(t, external(), all())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		secret, key, value string
		other              bool
	}{
		{"db", "url", "postgres://u:q@db/chat", false}, // the owner's password is the migration's alone
		{"main-database-address", "url", "postgres://other/chat", true},
		{"main-logins-a", "service-password", "other", true},
		{"ca", "ca.crt", authority("y"), true},
		{"redis", "url", "redis://other", true},
		{"db", "unread", "z", false},
		{"main-admin", "tokens", "z", false},
		{"redis", "url", "redis://redis:6380?addr=other:6381\n", false}, // an editor's line end is no part of it
	} {
		secrets := all()
		if secrets[c.secret] == nil {
			secrets[c.secret] = map[string]string{}
		}
		secrets[c.secret][c.key] = c.value
		after, err := read(t, external(), secrets)
		if err != nil {
			t.Fatal(err)
		}
		if (after.Hash != before.Hash) != c.other {
			t.Errorf("with %q in %s/%s the hash is another one: %v", c.value, c.secret, c.key, after.Hash != before.Hash)
		}
	}
}

func TestPortsAreThoseOfAddresses(t *testing.T) {
	in, err := read(t, external(), all())
	if err != nil || !slices.Equal(in.Database.Ports, []int32{5432}) || !slices.Equal(in.Cache.Ports, []int32{6380, 6381}) {
		t.Errorf("ports %v and %v, %v", in.Database.Ports, in.Cache.Ports, err)
	}
	server := external()
	server.Spec.Cache.External.Topology = v1alpha1.RedisCluster
	server.Spec.Database.External.SecretRef = v1alpha1.DatabaseSecret{Name: "db", Keys: &v1alpha1.DatabaseSecretKeys{
		Host: "host", Port: "port", Database: "dbname", User: "username", Password: "password",
	}}
	secrets := all()
	secrets["db"] = map[string]string{"host": "h", "port": "6432", "dbname": "d", "username": "u", "password": "p"}
	if in, err = read(t, server, secrets); err != nil || !slices.Equal(in.Database.Ports, []int32{6432}) || in.Cache.Ports != nil {
		t.Errorf("ports %v and %v, %v", in.Database.Ports, in.Cache.Ports, err)
	}
	secrets["db"]["port"] = "many"
	invalid := (*inputs.InvalidError)(nil)
	if _, err = read(t, server, secrets); !errors.As(err, &invalid) || invalid.Key != "port" || strings.Contains(err.Error(), "many") {
		t.Errorf("%v", err)
	}
	for _, secret := range []string{"db", "redis"} {
		wrong := all()
		wrong[secret]["url"] = "correct horse battery staple"
		if _, err = read(t, external(), wrong); !errors.As(err, &invalid) || invalid.Secret != secret || strings.Contains(err.Error(), "horse") {
			t.Errorf("no address in %s: %v", secret, err)
		}
	}
	words := all()
	words["db"]["url"] = "host=db port=6432 dbname=chat"
	if in, err = read(t, external(), words); err != nil || in.Database.Ports != nil {
		t.Errorf("ports %v of a string in words, %v", in.Database.Ports, err)
	}
}

// Pods of api are replaced when the address of the replicas changes, and may connect to their ports.
func TestReplicas(t *testing.T) {
	server, secrets := external(), all()
	without, err := read(t, server, secrets)
	if err != nil || without.Replica.URL != nil || without.Replica.Ports != nil {
		t.Fatalf("%+v, %v", without.Replica, err)
	}
	server.Spec.Database.External.ReplicaSecretRef = &v1alpha1.SecretKey{Name: "replica", Key: "url"}
	missing := (*inputs.MissingError)(nil)
	if _, err := read(t, server, secrets); !errors.As(err, &missing) || missing.Secret != "replica" {
		t.Errorf("without the Secret: %v", err)
	}
	hashes := []string{without.Own["api"]}
	for _, c := range []struct {
		url   string
		ports []int32
	}{{"postgres://one:6433,two:6434/chat", []int32{6433, 6434}}, {"postgres://replica/chat", []int32{5432}}} {
		secrets["replica"] = map[string]string{"url": c.url}
		in, err := read(t, server, secrets)
		if err != nil || !slices.Equal(in.Replica.Ports, c.ports) || slices.Contains(hashes, in.Own["api"]) || in.Hash != without.Hash {
			t.Errorf("%s: %+v with hash %s of %v, %v", c.url, in.Replica, in.Own["api"], hashes, err)
		}
		hashes = append(hashes, in.Own["api"])
	}
	if !slices.Contains(inputs.References(server), "replica") {
		t.Error("the server doesn't refer to the Secret")
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	for _, secret := range []string{"db", "ca", "redis"} {
		secrets := all()
		delete(secrets, secret)
		missing := (*inputs.MissingError)(nil)
		if _, err := read(t, external(), secrets); !errors.As(err, &missing) || *missing != (inputs.MissingError{Secret: secret}) {
			t.Errorf("without Secret %s: %v", secret, err)
		}
		secrets[secret] = map[string]string{"url": " \n"}
		if _, err := read(t, external(), secrets); !errors.As(err, &missing) || missing.Secret != secret || missing.Key == "" {
			t.Errorf("with an empty key of Secret %s: %v", secret, err)
		}
	}
}

// Pods don't start with a file of authorities without a certificate, so it is reported before they read it.
func TestAuthoritiesAreCertificates(t *testing.T) {
	server, _ := withSettings()
	server.Spec.Cache.External.CASecretRef = &v1alpha1.SecretKey{Name: "redis", Key: "ca.crt"}
	keys := [][2]string{{"ca", "ca.crt"}, {"redis", "ca.crt"}, {"ca", "s3.crt"}}
	valid := authority("one")
	for what, text := range map[string]string{
		"no PEM": "a certificate", "cut": valid[:len(valid)/2], "another type": strings.ReplaceAll(valid, "CERTIFICATE", "PRIVATE KEY"),
		"DER": "-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n",
	} {
		for _, key := range keys {
			_, secrets := withSettings()
			secrets["redis"]["ca.crt"] = valid
			secrets[key[0]][key[1]] = text
			invalid := (*inputs.InvalidError)(nil)
			if _, err := read(t, server, secrets); !errors.As(err, &invalid) || invalid.Secret != key[0] || invalid.Key != key[1] {
				t.Errorf("%s in Secret %s, key %s: %v", what, key[0], key[1], err)
			}
		}
	}
	_, secrets := withSettings()
	secrets["redis"]["ca.crt"] = "Comments are allowed.\n" + valid + authority("two")
	if _, err := read(t, server, secrets); err != nil {
		t.Errorf("two authorities: %v", err)
	}
}

func TestReferencesAreAllSecretsThatMatter(t *testing.T) {
	server := external()
	server.Spec.Exposure = &v1alpha1.Exposure{TLS: &v1alpha1.TLS{SecretName: "cert"}}
	if got := inputs.References(server); !slices.Equal(got, []string{"ca", "cert", "db", "main-admin", "main-database-address", "main-logins-a", "main-logins-b", "redis"}) {
		t.Errorf("%v", got)
	}
	server.Spec.Database = v1alpha1.Database{Mode: v1alpha1.DatabaseCloudNativePG}
	server.Spec.Cache = v1alpha1.Cache{Mode: v1alpha1.CacheEphemeral}
	server.Spec.Exposure.TLS = &v1alpha1.TLS{IssuerRef: &v1alpha1.IssuerReference{Name: "acme"}}
	if got := inputs.References(server); !slices.Equal(got, []string{"main-admin", "main-db-app", "main-db-ca", "main-logins-a", "main-logins-b", "main-redis", "main-tls"}) {
		t.Errorf("%v", got)
	}
}

func TestTheMigrationIsNamedByWhatItDoes(t *testing.T) {
	sum := func(change func(*v1alpha1.ChatServer)) string {
		server := external()
		change(server)
		in, err := read(t, server, all())
		if err != nil {
			t.Fatal(err)
		}
		return in.MigrationSum
	}
	same := sum(func(*v1alpha1.ChatServer) {})
	seen := map[string]bool{same: true}
	for _, change := range []func(*v1alpha1.ChatServer){
		func(s *v1alpha1.ChatServer) { s.Spec.Version = "1.0.1" },
		func(s *v1alpha1.ChatServer) { s.Spec.Image.Repository = "other" },
		func(s *v1alpha1.ChatServer) { s.Spec.Image.Digests = map[string]string{"api": "sha256:1"} },
		func(s *v1alpha1.ChatServer) { s.Annotations = map[string]string{v1alpha1.AnnotationRetry: "1"} },
		func(s *v1alpha1.ChatServer) { s.Annotations = map[string]string{v1alpha1.AnnotationRetry: "2"} },
	} {
		if got := sum(change); seen[got] {
			t.Errorf("%s names two migrations", got)
		} else {
			seen[got] = true
		}
	}
	if got := sum(func(s *v1alpha1.ChatServer) { s.Spec.Image.Digests = map[string]string{"events": "sha256:1"} }); got != same {
		t.Error("the image of events is no matter of the migration")
	}
	for secret, key := range map[string]string{"db": "url", "main-logins-a": "service-password"} {
		secrets := all()
		secrets[secret][key] = "postgres://other:other@other/other"
		in, err := read(t, external(), secrets)
		if err != nil || seen[in.MigrationSum] {
			t.Errorf("another %s in %s: %s, %v", key, secret, in.MigrationSum, err)
		}
		seen[in.MigrationSum] = true
	}
}

// podTemplate has one reference of each form.
const podTemplate = `{"spec":{
	"initContainers":[{"name":"first","envFrom":[{"configMapRef":{"name":"init"}}]}],
	"containers":[{"name":"api","env":[
		{"name":"A","valueFrom":{"secretKeyRef":{"name":"keys","key":"a"}}},{"name":"B","valueFrom":{"configMapKeyRef":{"name":"words","key":"b"}}},
		{"name":"C","value":"plain"},{"name":"D","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],
		"envFrom":[{"secretRef":{"name":"all","optional":true}}]},{"$patch":"delete","name":"other"}],
	"volumes":[{"name":"v","secret":{"secretName":"files"}},{"name":"w","configMap":{"name":"theme"}},{"name":"x","emptyDir":{}},
		{"name":"p","projected":{"sources":[{"secret":{"name":"p1"}},{"configMap":{"name":"p2"}},{"serviceAccountToken":{"path":"t"}}]}}]}}`

func withTemplate() *v1alpha1.ChatServer {
	server := external()
	server.Spec.API.PodTemplate = &runtime.RawExtension{Raw: []byte(podTemplate)}
	server.Spec.Image.PullSecrets = []v1alpha1.PullSecret{{Name: "mirror"}}
	return server
}

func TestReferencesOfPodTemplates(t *testing.T) {
	server := withTemplate()
	if got := inputs.References(server); !slices.Equal(got, []string{"all", "ca", "db", "files", "keys", "main-admin", "main-database-address", "main-logins-a", "main-logins-b", "mirror", "p1", "redis"}) {
		t.Errorf("Secrets %v", got)
	}
	if got := inputs.ConfigMaps(server); !slices.Equal(got, []string{"init", "p2", "theme", "words"}) {
		t.Errorf("ConfigMaps %v", got)
	}
	for _, raw := range []string{``, `[]`, `{"spec":{"containers":1}}`} { // whoever applies it says what is wrong
		server.Spec.API.PodTemplate.Raw = []byte(raw)
		if got := inputs.ConfigMaps(server); len(got) != 0 {
			t.Errorf("%s refers to %v", raw, got)
		}
	}
}

func TestHashesOfPodTemplates(t *testing.T) {
	read := func(more ...client.Object) inputs.Inputs {
		t.Helper()
		builder := fake.NewClientBuilder().WithObjects(more...)
		for name, keys := range all() {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "chat", Name: name}, Data: map[string][]byte{}}
			for key, value := range keys {
				secret.Data[key] = []byte(value)
			}
			builder.WithObjects(secret)
		}
		in, err := inputs.Read(t.Context(), inputs.NewSecrets(builder.Build(), "chat"), withTemplate(), of(withTemplate()))
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "chat", Name: name} }
	secret := func(name, key, value string) client.Object {
		return &corev1.Secret{ObjectMeta: meta(name), Data: map[string][]byte{key: []byte(value)}}
	}
	configMap := func(name, key, value string) client.Object {
		return &corev1.ConfigMap{ObjectMeta: meta(name), Data: map[string]string{key: value}}
	}
	missing := read() // nothing that the template refers to is there
	if len(missing.Templates) != 1 || missing.Templates["api"] == "" || missing.Pull == "" {
		t.Fatalf("hashes %v and %q", missing.Templates, missing.Pull)
	}
	seen := map[string]string{missing.Templates["api"]: "nothing"}
	for _, object := range []client.Object{
		secret("keys", "a", "1"), secret("keys", "a", "2"), configMap("words", "b", "1"), secret("all", "x", "1"), secret("all", "y", "1"),
		secret("files", "x", "1"), configMap("theme", "x", "1"), configMap("init", "x", "1"), secret("p1", "x", "1"), configMap("p2", "x", "1"),
		&corev1.ConfigMap{ObjectMeta: meta("theme"), BinaryData: map[string][]byte{"x": {0xff}}},
	} {
		in, name := read(object), object.GetName()
		if before, same := seen[in.Templates["api"]]; same {
			t.Errorf("with %s the hash is that of %s", name, before)
		}
		seen[in.Templates["api"]] = name
		if in.Hash != missing.Hash || in.Pull != missing.Pull {
			t.Errorf("%s counts for pods of other services", name)
		}
	}
	if in := read(secret("mirror", corev1.DockerConfigJsonKey, "{}")); in.Pull == missing.Pull || in.Templates["api"] != missing.Templates["api"] {
		t.Error("a pull Secret doesn't count for migrations, or counts for pods")
	}
	if in := read(secret("keys", "other", "1")); in.Templates["api"] != read(secret("keys", "another", "1")).Templates["api"] {
		t.Error("a key that nobody reads counts")
	}
}

func TestPodTemplatesAreFollowedToABound(t *testing.T) {
	server := external()
	text := strings.Builder{}
	for i := range 65 {
		fmt.Fprintf(&text, `,{"secretRef":{"name":"s%d"}}`, i)
	}
	server.Spec.Events.PodTemplate = &runtime.RawExtension{Raw: []byte(`{"spec":{"containers":[{"name":"events","envFrom":[` + text.String()[1:] + `]}]}}`)}
	many := (*inputs.TooManyError)(nil)
	if _, err := read(t, server, all()); !errors.As(err, &many) {
		t.Errorf("%v", err)
	}
}
