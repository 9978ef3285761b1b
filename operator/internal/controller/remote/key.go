package remote

import (
	"context"
	"crypto/rand"
	"fmt"
	"regexp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/pkg/adminapi"
)

// holder is an account whose API key a Secret has.
type holder struct {
	object Object
	// name is what the Secret is written for: <kind>/<name> of the object, and what is more of it.
	name   string
	wanted v1alpha1.Credentials
	kind   corev1.SecretType
	// put makes the account so, with a key.
	put func(context.Context, adminapi.KeySpec) (account, error)
}

// account is what a put answered.
type account struct {
	made

	ends    *time.Time                         // until when the key before works; nil: it doesn't
	content func(key string) map[string][]byte // of the Secret
}

// fieldKey is what the server calls a key among what differed.
const fieldKey = "api_key"

// keep makes an account what its object says, and has its key in a Secret.
//
// A new key is written into the Secret first, under a name that no program reads, then given to the server,
// which still takes the one before for the grace, and then put in its place in the Secret. So wherever a pass is
// cut off, the next one continues with the same key, and no program ever reads a key that the server doesn't know.
func (k kept) keep(ctx context.Context, h holder) (v1alpha1.CredentialsStatus, made, error) {
	none := v1alpha1.CredentialsStatus{}
	s, err := k.read(ctx, h)
	if err != nil {
		return none, made{}, err
	}
	if s.pending == "" && s.due(h.wanted, k.clock.Now()) {
		if err := k.begin(ctx, s); err != nil {
			return none, made{}, err
		}
	}
	spec := adminapi.KeySpec{APIKey: s.key, GraceSeconds: new(0)}
	if s.pending != "" {
		spec = adminapi.KeySpec{APIKey: s.pending, GraceSeconds: new(int(grace(h.wanted).Seconds()))}
	}
	got, err := h.put(ctx, spec)
	if err != nil {
		return none, made{}, err
	}
	reason := v1alpha1.ReasonKeyIssued
	if i := slices.Index(got.changed, fieldKey); i >= 0 {
		got.changed = slices.Delete(got.changed, i, i+1)
		if s.pending == "" {
			reason = v1alpha1.ReasonKeyReplaced
			if got, err = k.replace(ctx, h, s, got); err != nil {
				return none, made{}, err
			}
		}
	}
	issued := s.pending != ""
	if issued {
		s.key, s.pending, s.issued, s.token = s.pending, "", k.clock.Now().UTC().Truncate(time.Second), h.wanted.RotationToken
	}
	if err := k.write(ctx, s, got.content(s.key)); err != nil {
		return none, made{}, err
	}
	if issued {
		k.tell(h, reason)
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
	return status, got.made, nil
}

// replace has an account get another key because somebody has changed the one that the Secret has. They may have
// done it because it had become known, so it doesn't come back for longer than the call that noticed.
func (k kept) replace(ctx context.Context, h holder, s *secret, before account) (account, error) {
	if err := k.begin(ctx, s); err != nil {
		return account{}, err
	}
	got, err := h.put(ctx, adminapi.KeySpec{APIKey: s.pending, GraceSeconds: new(0)})
	got.changed = before.changed
	return got, err
}

// begin makes a new key, and writes it down before anybody hears of it.
func (k kept) begin(ctx context.Context, s *secret) error {
	s.pending = rand.Text() + rand.Text()[:6] // 160 bits, in 32 letters and digits
	return k.write(ctx, s, s.content())
}

// tell says in an event that there is a new key.
func (k kept) tell(h holder, reason string) {
	text := "Secret %s has a new key for %s"
	if reason == v1alpha1.ReasonKeyReplaced {
		text += ", since somebody changed the one before inside the server"
	}
	k.events.Eventf(h.object, nil, corev1.EventTypeNormal, reason, actionIssue, text, h.wanted.SecretName, h.name)
}

// due reports whether a new key is wanted.
func (s *secret) due(wanted v1alpha1.Credentials, now time.Time) bool {
	return s.key == "" || s.token != wanted.RotationToken ||
		wanted.RotateAfter != nil && !now.Before(s.issued.Add(wanted.RotateAfter.Duration))
}

// grace is how long the key before is to work.
func grace(wanted v1alpha1.Credentials) time.Duration {
	if wanted.GracePeriod == nil {
		return 24 * time.Hour
	}
	return wanted.GracePeriod.Duration
}

// keyForm is what keys look like that servers take.
var keyForm = regexp.MustCompile(`^[A-Za-z0-9_-]{32,128}$`)

// keyIn returns a key out of a Secret, or nothing where it can't be one.
func keyIn(data map[string][]byte, name string) string {
	if key := string(data[name]); keyForm.MatchString(key) {
		return key
	}
	return ""
}

// holderName names an account by its object.
func holderName(kind, name string) string { return fmt.Sprintf("%s/%s", kind, name) }
