package remote

import (
	"cmp"
	"context"
	"crypto/rand"
	"regexp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/secrets"
	"chatserver.dev/pkg/adminapi"
)

// holder is an account whose API key is in a Secret.
type holder struct {
	object Object
	server *v1alpha1.ChatServer
	// name identifies the account in the Secret: <kind>/<name> of the object, followed by the email address if the
	// object has several accounts.
	name   string
	wanted v1alpha1.Credentials
	kind   corev1.SecretType
	// put creates or updates the account, with a key.
	put func(context.Context, adminapi.KeySpec) (account, error)
}

// account is the result of a put.
type account struct {
	changes

	ends    *time.Time                         // when the previous key expires; nil: it has expired
	content func(key string) map[string][]byte // of the Secret
}

// fieldKey is the name of the key in the server's list of changed fields.
const fieldKey = "api_key"

// ensureKey reconciles an account with its object, and its key with a Secret.
//
// A new key is first written into the Secret under a name that no program reads, then sent to the server, which still
// accepts the previous key for the grace period, and then replaces the previous key in the Secret. So if a pass is
// interrupted, the next one continues with the same key, and no program ever reads a key that the server doesn't know.
func (k keyStore) ensureKey(ctx context.Context, h holder) (v1alpha1.CredentialsStatus, changes, error) {
	none := v1alpha1.CredentialsStatus{}
	s, err := k.read(ctx, h)
	if err != nil {
		return none, changes{}, err
	}
	if s.pending == "" && s.due(h.wanted, k.clock.Now()) {
		if err := k.begin(ctx, s); err != nil {
			return none, changes{}, err
		}
	}
	got, err := s.send(ctx)
	if err != nil {
		return none, changes{}, err
	}
	if i := slices.Index(got.changed, fieldKey); i >= 0 {
		got.changed = slices.Delete(got.changed, i, i+1)
		if s.pending == "" {
			if got, err = k.replace(ctx, s, got); err != nil {
				return none, changes{}, err
			}
		}
	}
	issued, reason := s.pending != "", v1alpha1.ReasonKeyIssued
	if s.noGrace {
		reason = v1alpha1.ReasonKeyReplaced
	}
	if issued {
		s.noGrace = false
		s.key, s.pending, s.issued, s.token = s.pending, "", k.clock.Now().UTC().Truncate(time.Second), cmp.Or(h.wanted.RotationToken, s.token)
	}
	if err := k.write(ctx, s, got.content(s.key)); err != nil {
		return none, changes{}, err
	}
	if issued {
		k.announceKey(h, reason)
	}
	if err := s.writes.contested(h.wanted.SecretName, k.clock.Now()); err != nil {
		return none, changes{}, err
	}
	status := v1alpha1.CredentialsStatus{
		SecretRef: &corev1.LocalObjectReference{Name: h.wanted.SecretName}, IssuedAt: new(metav1.NewTime(s.issued)), RotationToken: s.token,
	}
	if got.ends != nil {
		status.PreviousEnds = new(metav1.NewTime(got.ends.Truncate(time.Second)))
		got.next = earlier(got.next, got.ends.Add(time.Second))
	}
	if after := h.wanted.RotateAfter; after != nil {
		got.next = earlier(got.next, s.issued.Add(after.Duration))
	}
	return status, got.changes, nil
}

// send creates or updates the account, with the pending key if there is one. Otherwise the server only compares the
// current one: it may have been replaced because it leaked.
func (s *secret) send(ctx context.Context) (account, error) {
	switch {
	case s.pending == "":
		return s.put(ctx, adminapi.KeySpec{APIKey: s.key, KeepKey: true})
	case s.noGrace:
		return s.put(ctx, adminapi.KeySpec{APIKey: s.pending, GraceSeconds: new(0)})
	}
	return s.put(ctx, adminapi.KeySpec{APIKey: s.pending, GraceSeconds: new(int(grace(s.wanted).Seconds()))})
}

// replace issues another key because the one in the Secret was changed inside the server. The reason may have been a
// leak, so the old key gets no grace period, even if the next pass has to continue.
func (k keyStore) replace(ctx context.Context, s *secret, before account) (account, error) {
	s.noGrace = true
	if err := k.begin(ctx, s); err != nil {
		return account{}, err
	}
	got, err := s.send(ctx)
	got.changed = before.changed
	return got, err
}

// begin generates a new key, and stores it before it is sent anywhere.
func (k keyStore) begin(ctx context.Context, s *secret) error {
	s.pending = rand.Text() + rand.Text()[:6] // 160 bits, in 32 letters and digits
	return k.write(ctx, s, s.content())
}

// announceKey emits an event about a new key.
func (k keyStore) announceKey(h holder, reason string) {
	text := "Secret %s has a new key for %s"
	if reason == v1alpha1.ReasonKeyReplaced {
		text += ", since the previous one was changed inside the server"
	}
	k.events.Eventf(h.object, nil, corev1.EventTypeNormal, reason, actionIssue, text, h.wanted.SecretName, h.name)
}

// due reports whether a new key is needed.
func (s *secret) due(wanted v1alpha1.Credentials, now time.Time) bool {
	return s.key == "" || secrets.Rotates(wanted.RotationToken, s.token) ||
		wanted.RotateAfter != nil && !now.Before(s.issued.Add(wanted.RotateAfter.Duration))
}

// grace returns how long the previous key stays valid.
func grace(wanted v1alpha1.Credentials) time.Duration {
	if wanted.GracePeriod == nil {
		return 24 * time.Hour
	}
	return wanted.GracePeriod.Duration
}

// keyForm matches the keys that servers accept.
var keyForm = regexp.MustCompile(`^[A-Za-z0-9_-]{32,128}$`)

// keyIn returns a key of a Secret, or "" if it isn't a valid key.
func keyIn(data map[string][]byte, name string) string {
	if key := string(data[name]); keyForm.MatchString(key) {
		return key
	}
	return ""
}
