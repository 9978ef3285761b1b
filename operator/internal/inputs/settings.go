package inputs

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/secrets"
)

// MailLogin returns the keys with user and password for the mail server; nil: there is no login.
func MailLogin(server *v1alpha1.ChatServer) (user, password *Key) {
	mail := server.Spec.Mail
	if mail == nil || mail.LoginSecretRef == nil {
		return nil, nil
	}
	from := mail.LoginSecretRef
	return &Key{from.Name, cmp.Or(from.UserKey, "username")}, &Key{from.Name, cmp.Or(from.PasswordKey, "password")}
}

// MailCertificate returns the keys of a Secret with the certificate for incoming mail and its private key; nil: there
// is none.
func MailCertificate(server *v1alpha1.ChatServer) []Key {
	in := server.Spec.MailIn
	if in == nil || in.TLS == nil {
		return nil
	}
	return []Key{{in.TLS.SecretName, corev1.TLSCertKey}, {in.TLS.SecretName, corev1.TLSPrivateKeyKey}}
}

// WebPushSecret is the Secret with the key for notifications of browsers that the operator generates for a server.
func WebPushSecret(server *v1alpha1.ChatServer) string { return server.Name + "-web-push" }

// WebPushKey returns the key with the private key for notifications of browsers; nil: no browser is notified.
func WebPushKey(server *v1alpha1.ChatServer) *Key {
	push := server.Spec.WebPush
	if push == nil {
		return nil
	}
	if push.SecretRef != nil {
		return keyOf(push.SecretRef)
	}
	return &Key{WebPushSecret(server), secrets.WebPushKey}
}

// BucketKey returns the keys with the access key for the bucket of files; nil: pods use an identity of their own
// instead, or there is no bucket.
func BucketKey(server *v1alpha1.ChatServer) (access, secret *Key) {
	bucket := Bucket(server)
	if bucket == nil || bucket.SecretRef == nil {
		return nil, nil
	}
	from := bucket.SecretRef
	return &Key{from.Name, cmp.Or(from.AccessKey, "access-key")}, &Key{from.Name, cmp.Or(from.SecretKey, "secret-key")}
}

// BucketCA returns the key with the authorities of the bucket's server; nil: those of the system.
func BucketCA(server *v1alpha1.ChatServer) *Key {
	if bucket := Bucket(server); bucket != nil {
		return keyOf(bucket.CASecretRef)
	}
	return nil
}

// Bucket returns the bucket for files; nil: there is none.
func Bucket(server *v1alpha1.ChatServer) *v1alpha1.S3 {
	if files := server.Spec.Files; files != nil {
		return files.S3
	}
	return nil
}

// Folder returns the volume for files; nil: there is none.
func Folder(server *v1alpha1.ChatServer) *v1alpha1.FilesFolder {
	if files := server.Spec.Files; files != nil {
		return files.Folder
	}
	return nil
}

// sharedKeys returns the keys of Secrets of settings that the pods of all services read.
func sharedKeys(server *v1alpha1.ChatServer) []Key {
	if len(server.Spec.IdentityProviders) == 0 {
		return nil
	}
	return []Key{{ProvidersSecret(server), PublicProvidersKey}}
}

// ownKeys returns the keys of Secrets that the pods of some services read, by component.
func ownKeys(server *v1alpha1.ChatServer) map[string][]Key {
	user, password := MailLogin(server)
	access, secret := BucketKey(server)
	files := given(access, secret, BucketCA(server))
	own := map[string][]Key{"api": slices.Concat(given(user, password, WebPushKey(server)), files, replica(server).keys())}
	if len(server.Spec.IdentityProviders) > 0 {
		own["api"] = append(own["api"], Key{ProvidersSecret(server), ProvidersKey})
	}
	if server.Spec.MailIn != nil { // mail may have attachments
		own["webhook"] = files
	}
	return own
}

// given returns the keys that aren't nil.
func given(keys ...*Key) (list []Key) {
	for _, key := range keys {
		if key != nil {
			list = append(list, *key)
		}
	}
	return list
}
