package inputs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/inputs"
	certificates "chatserver.dev/operator/internal/secrets"
)

// withSettings returns a server with mail, files and identity providers, and the contents of their Secrets.
func withSettings() (*v1alpha1.ChatServer, contents) {
	server := external()
	server.Spec.Mail = &v1alpha1.Mail{Host: "smtp.test", From: "chat@chat.test", LoginSecretRef: &v1alpha1.LoginSecret{Name: "smtp"}}
	server.Spec.Files = &v1alpha1.Files{S3: &v1alpha1.S3{
		Endpoint: "https://s3.test", Bucket: "chat", SecretRef: &v1alpha1.S3Secret{Name: "s3"}, CASecretRef: &v1alpha1.SecretKey{Name: "ca", Key: "s3.crt"},
	}}
	server.Spec.IdentityProviders = []v1alpha1.IdentityProvider{
		{Slot: "idp_2", Issuer: "https://other.test", ClientID: "b", DisplayName: "Other"},
		{
			Slot: "idp_1", Issuer: "https://login.test", ClientID: "a", ClientSecretRef: &v1alpha1.SecretKey{Name: "login", Key: "secret"}, DisplayName: "Staff",
			GroupsClaim: "groups", Roles: map[string]v1alpha1.Role{"admins": v1alpha1.RoleAdministrator}, Organizations: []string{""},
		},
	}
	secrets := all()
	secrets["ca"]["s3.crt"] = authority("s3")
	secrets["smtp"] = map[string]string{"username": "me", "password": "p%/@"}
	secrets["s3"] = map[string]string{"access-key": "a", "secret-key": "b"}
	secrets["login"] = map[string]string{"secret": "quiet \"<>\" words\n"}
	secrets["main-providers"] = map[string]string{"providers.json": "{}", "providers-public.json": "{}"}
	return server, secrets
}

// Pods are replaced if a Secret of settings changes that they read, and missing ones are named.
func TestTheHashIsOfSettings(t *testing.T) {
	server, secrets := withSettings()
	server.Spec.MailIn = &v1alpha1.MailIn{Addresses: "*@in.test"}
	before, err := read(t, server, secrets)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []struct{ Secret, Key, of string }{
		{"smtp", "username", "api"},
		{"smtp", "password", "api"},
		{"s3", "access-key", "api, webhook"},
		{"s3", "secret-key", "api, webhook"},
		{"ca", "s3.crt", "api, webhook"},
		{"main-providers", "providers.json", "api"},
		{"main-providers", "providers-public.json", "all"},
	} {
		_, changed := withSettings()
		changed[key.Secret][key.Key] = authority("other")
		after, err := read(t, server, changed)
		if err != nil || after.MigrationHash != before.MigrationHash {
			t.Errorf("with another %s/%s: %v, or the hash of the migration is another one", key.Secret, key.Key, err)
		}
		of := []string(nil)
		for _, component := range []string{"api", "events", "webhook"} {
			if after.Own[component] != before.Own[component] {
				of = append(of, component)
			}
		}
		if after.Hash != before.Hash {
			of = append(of, "all")
		}
		if got := strings.Join(of, ", "); got != key.of {
			t.Errorf("with another %s/%s the hash of the pods of %q is another one, want %q", key.Secret, key.Key, got, key.of)
		}
		delete(changed[key.Secret], key.Key)
		missing := (*inputs.MissingError)(nil)
		if _, err := read(t, server, changed); !errors.As(err, &missing) || missing.Secret != key.Secret || missing.Key != key.Key {
			t.Errorf("without %s/%s: %v", key.Secret, key.Key, err)
		}
	}
	if got := inputs.References(server); !slices.Equal(got, []string{
		"ca", "db", "login", "main-admin", "main-database-address", "main-logins-a", "main-logins-b", "main-providers", "redis", "s3", "smtp",
	}) {
		t.Errorf("references %v", got)
	}
}

// Pods reload the certificate for mail, so they aren't replaced for it. They don't start without it.
func TestMailCertificate(t *testing.T) {
	server, secrets := withSettings()
	before, err := read(t, server, secrets)
	if err != nil {
		t.Fatal(err)
	}
	server.Spec.MailIn = &v1alpha1.MailIn{Addresses: "*@in.test", TLS: &v1alpha1.MailInTLS{SecretName: "mail"}}
	missing := (*inputs.MissingError)(nil)
	if _, err := read(t, server, secrets); !errors.As(err, &missing) || missing.Secret != "mail" || missing.Key != "" {
		t.Errorf("without the Secret: %v", err)
	}
	secrets["mail"] = map[string]string{"tls.crt": "a"}
	if _, err := read(t, server, secrets); !errors.As(err, &missing) || missing.Key != "tls.key" {
		t.Errorf("without the key: %v", err)
	}
	secrets["mail"]["tls.key"] = "b"
	invalid := (*inputs.InvalidError)(nil)
	if _, err := read(t, server, secrets); !errors.As(err, &invalid) || invalid.Secret != "mail" {
		t.Errorf("without a certificate: %v", err)
	}
	newPair := func() certificates.Certificate {
		pair, _, err := certificates.Certificate{}.Next([]string{"mail.test"}, "", 0, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return pair
	}
	pair := newPair()
	secrets["mail"] = map[string]string{"tls.crt": string(pair.Certificate), "tls.key": string(newPair().Key)}
	if _, err := read(t, server, secrets); !errors.As(err, &invalid) || !strings.Contains(err.Error(), "does not match") {
		t.Errorf("with the key of another certificate: %v", err)
	}
	secrets["mail"]["tls.key"] = string(pair.Key)
	if after, err := read(t, server, secrets); err != nil || after.Hash != before.Hash {
		t.Errorf("%v, or the hash of pods is another one", err)
	}
	if !slices.Contains(inputs.References(server), "mail") {
		t.Error("a change of the Secret is not noticed")
	}
}

func TestProviders(t *testing.T) {
	server, secrets := withSettings()
	got, err := inputs.Providers(t.Context(), inputs.NewSecrets(reader(secrets), "chat"), server)
	const want = `{"idp_1":{"issuer":"https://login.test","client_id":"a","client_secret":"quiet \"\u003c\u003e\" words","display_name":"Staff",` +
		`"groups_claim":"groups","roles":{"admins":"administrator"},"organizations":[""]},` +
		`"idp_2":{"issuer":"https://other.test","client_id":"b","display_name":"Other"}}`
	if file := string(got[inputs.ProvidersKey]); err != nil || file != want {
		t.Errorf("%s, %v; it should be %s", file, err, want)
	}
	public := strings.Replace(want, `"client_secret":"quiet \"\u003c\u003e\" words",`, "", 1)
	if file := string(got[inputs.PublicProvidersKey]); file != public {
		t.Errorf("%s; without secrets it should be %s", file, public)
	}
	delete(secrets, "login")
	missing := (*inputs.MissingError)(nil)
	if _, err := inputs.Providers(t.Context(), inputs.NewSecrets(reader(secrets), "chat"), server); !errors.As(err, &missing) || missing.Secret != "login" {
		t.Errorf("without the client's secret: %v", err)
	}
	server.Spec.IdentityProviders = nil
	if got, err := inputs.Providers(t.Context(), inputs.NewSecrets(reader(nil), "chat"), server); got != nil || err != nil {
		t.Errorf("without providers: %s, %v", got, err)
	}
}
