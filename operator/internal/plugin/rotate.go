package plugin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/upgrade"
)

// rotateCommand is kubectl chat rotate.
type rotateCommand struct {
	Server  rotateServer  `cmd:"" help:"Replace the operator's own token for a server, and the server's certificate for the operator."`
	Logins  rotateLogins  `cmd:"" help:"Replace the database roles that a server logs in with."`
	Bot     rotateBot     `cmd:"" help:"Replace the API key of a bot."`
	Webhook rotateWebhook `cmd:"" help:"Replace the key in the address of an incoming webhook."`
	Owner   rotateOwner   `cmd:"" help:"Replace the API key of an organization's owner."`
}

// named has the flags and the argument of a command that rotates the key of one object.
type named struct {
	changing

	Name string `arg:"" help:"Name of the object."`
}

type (
	rotateServer  struct{ named }
	rotateLogins  struct{ named }
	rotateBot     struct{ named }
	rotateWebhook struct{ named }
	rotateOwner   struct {
		changing

		Name  string `arg:"" help:"The Organization."`
		Email string `arg:"" optional:"" help:"The owner, if several have credentials."`
	}
)

// Run rotates the operator's token.
func (c *rotateServer) Run(ctx context.Context, s *session) error {
	server := &v1alpha1.ChatServer{}
	t := serverTarget(server)
	if err := s.read(ctx, t, c.Name); err != nil {
		return err
	}
	if c.Wait && !c.DryRun {
		fmt.Fprintln(s.Err, "note: the new token is distributed to every pod before it is used, which takes some minutes")
	}
	token := s.token()
	return s.rotate(ctx, t, set(token, "spec", "secrets", "rotationToken"), token, c.changing,
		func() v1alpha1.CredentialsStatus { return server.Status.AdminToken })
}

// Run rotates the roles. A migration creates new ones, pods are replaced to use them, and another migration locks the
// previous ones.
func (c *rotateLogins) Run(ctx context.Context, s *session) error {
	server := &v1alpha1.ChatServer{}
	t := serverTarget(server)
	if err := s.read(ctx, t, c.Name); err != nil {
		return err
	}
	if upgrade.RolledBack(server.Spec.Version, server.Status) {
		return fmt.Errorf("%s was rolled back to %s, and roles are created by the migration of the version of its schema: set spec.version to %s first; nothing was changed",
			t, server.Spec.Version, server.Status.Schema.ServerVersion)
	}
	token := s.token()
	return s.rotate(ctx, t, set(token, "spec", "database", "logins", "rotationToken"), token, c.changing, func() v1alpha1.CredentialsStatus {
		logins := server.Status.DatabaseLogins
		if logins == nil {
			return v1alpha1.CredentialsStatus{}
		}
		return v1alpha1.CredentialsStatus{SecretRef: &corev1.LocalObjectReference{Name: logins.SecretName}, RotationToken: logins.RotationToken}
	})
}

// Run rotates the key.
func (c *rotateBot) Run(ctx context.Context, s *session) error {
	bot := &v1alpha1.Bot{}
	return s.rotateField(ctx, target{"Bot", bot}, c.named, func() v1alpha1.CredentialsStatus { return bot.Status.Credentials },
		"spec", "credentials", "rotationToken")
}

// Run rotates the key.
func (c *rotateWebhook) Run(ctx context.Context, s *session) error {
	webhook := &v1alpha1.IncomingWebhook{}
	return s.rotateField(ctx, target{"IncomingWebhook", webhook}, c.named, func() v1alpha1.CredentialsStatus { return webhook.Status.Credentials },
		"spec", "credentials", "rotationToken")
}

// Run rotates the key.
func (c *rotateOwner) Run(ctx context.Context, s *session) error {
	organization := &v1alpha1.Organization{}
	t := target{"Organization", organization}
	if err := s.read(ctx, t, c.Name); err != nil {
		return err
	}
	owner, err := c.choose(t, organization.Spec.Owners)
	if err != nil {
		return err
	}
	// A merge patch would replace the whole list. The test makes sure that the owner is still at that index.
	email, token := organization.Spec.Owners[owner].Email, s.token()
	path := "/spec/owners/" + strconv.Itoa(owner)
	p := patch{json: []operation{{"test", path + "/email", email}, {"add", path + "/credentials/rotationToken", token}}}
	return s.rotate(ctx, t, p, token, c.changing, func() v1alpha1.CredentialsStatus {
		for _, known := range organization.Status.Owners {
			if known.Email == email {
				return known.Credentials
			}
		}
		return v1alpha1.CredentialsStatus{}
	})
}

// choose returns the index of the owner whose key is rotated.
func (c *rotateOwner) choose(t target, owners []v1alpha1.OrganizationOwner) (int, error) {
	with := []string{}
	for _, owner := range owners {
		if owner.Credentials != nil {
			with = append(with, owner.Email)
		}
	}
	switch {
	case len(with) == 0:
		return 0, fmt.Errorf("no owner of %s has a key that the operator manages; set credentials.secretName of an entry in spec.owners first", t)
	case c.Email == "" && len(with) > 1:
		return 0, fmt.Errorf("several owners of %s have keys; name one of them: %s", t, strings.Join(with, ", "))
	case c.Email != "" && !slices.Contains(with, c.Email):
		return 0, fmt.Errorf("%s isn't an owner of %s with a key that the operator manages; those are: %s", c.Email, t, strings.Join(with, ", "))
	case c.Email == "":
		c.Email = with[0]
	}
	return slices.IndexFunc(owners, func(o v1alpha1.OrganizationOwner) bool { return o.Email == c.Email }), nil
}

// token returns a value that no earlier rotation has used. No program reads it as a time.
func (s *session) token() string { return s.Now().UTC().Format("20060102T150405.000000000Z") }

// rotateField reads an object and sets its rotation token, see rotate.
func (s *session) rotateField(ctx context.Context, t target, c named, current func() v1alpha1.CredentialsStatus, path ...string) error {
	if err := s.read(ctx, t, c.Name); err != nil {
		return err
	}
	token := s.token()
	return s.rotate(ctx, t, set(token, path...), token, c.changing, current)
}

// rotate changes a rotation token, waits until the status has it, and prints when the previous key expires.
func (s *session) rotate(ctx context.Context, t target, p patch, token string, flags changing, current func() v1alpha1.CredentialsStatus) error {
	return s.apply(ctx, t, p, flags, func() (bool, error) {
		if current().RotationToken == token {
			return true, nil
		}
		return false, cmp.Or(parked(t), stalled(t))
	}, func() string {
		issued := current()
		text := fmt.Sprintf("%s has a new key", t)
		if issued.SecretRef != nil {
			text += " in the Secret " + issued.SecretRef.Name
		}
		if issued.PreviousEnds == nil {
			return text + ". The previous one no longer works."
		}
		ends := issued.PreviousEnds.Time
		return text + fmt.Sprintf(". The previous one works until %s (%v from now).", ends.UTC().Format(time.RFC3339), ends.Sub(s.Now()).Round(time.Second))
	})
}
