package plugin

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"chatserver.dev/operator/api/v1alpha1"
)

// rotateCommand is kubectl chat rotate.
type rotateCommand struct {
	Server  rotateServer  `cmd:"" help:"Replace the operator's own token for a server, and the server's certificate for the operator."`
	Logins  rotateLogins  `cmd:"" help:"Replace the roles that a server logs in to its database as."`
	Bot     rotateBot     `cmd:"" help:"Replace the API key of a bot."`
	Webhook rotateWebhook `cmd:"" help:"Replace the key in the address of an incoming webhook."`
	Owner   rotateOwner   `cmd:"" help:"Replace the API key of an organization's owner."`
}

// rotateServer is kubectl chat rotate server.
type rotateServer struct {
	changing

	Name string `arg:"" help:"The ChatServer."`
}

// rotateLogins is kubectl chat rotate logins.
type rotateLogins struct {
	changing

	Name string `arg:"" help:"The ChatServer."`
}

// rotateBot is kubectl chat rotate bot.
type rotateBot struct {
	changing

	Name string `arg:"" help:"The Bot."`
}

// rotateWebhook is kubectl chat rotate webhook.
type rotateWebhook struct {
	changing

	Name string `arg:"" help:"The IncomingWebhook."`
}

// rotateOwner is kubectl chat rotate owner.
type rotateOwner struct {
	changing

	Name  string `arg:"" help:"The Organization."`
	Email string `arg:"" optional:"" help:"The owner, where several have credentials."`
}

// Run replaces the token.
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
	p := set(map[string]any{"spec": map[string]any{"secrets": map[string]any{"rotationToken": token}}})
	return s.rotate(ctx, t, p, token, c.changing, func() v1alpha1.CredentialsStatus { return server.Status.AdminToken })
}

// Run replaces the roles. A migration makes others, pods get them, and another migration locks those before.
func (c *rotateLogins) Run(ctx context.Context, s *session) error {
	server := &v1alpha1.ChatServer{}
	t := serverTarget(server)
	if err := s.read(ctx, t, c.Name); err != nil {
		return err
	}
	token := s.token()
	p := set(map[string]any{"spec": map[string]any{"database": map[string]any{"logins": map[string]any{"rotationToken": token}}}})
	return s.rotate(ctx, t, p, token, c.changing, func() v1alpha1.CredentialsStatus {
		logins := server.Status.DatabaseLogins
		if logins == nil {
			return v1alpha1.CredentialsStatus{}
		}
		return v1alpha1.CredentialsStatus{SecretRef: &corev1.LocalObjectReference{Name: logins.SecretName}, RotationToken: logins.RotationToken}
	})
}

// Run replaces the key.
func (c *rotateBot) Run(ctx context.Context, s *session) error {
	bot := &v1alpha1.Bot{}
	return s.rotateGuest(ctx, botTarget(bot), c.Name, c.changing, &bot.Status.Credentials)
}

// Run replaces the key.
func (c *rotateWebhook) Run(ctx context.Context, s *session) error {
	webhook := &v1alpha1.IncomingWebhook{}
	return s.rotateGuest(ctx, webhookTarget(webhook), c.Name, c.changing, &webhook.Status.Credentials)
}

// rotateGuest replaces the one key of a bot or webhook.
func (s *session) rotateGuest(ctx context.Context, t target, name string, flags changing, credentials *v1alpha1.CredentialsStatus) error {
	if err := s.read(ctx, t, name); err != nil {
		return err
	}
	token := s.token()
	p := set(map[string]any{"spec": map[string]any{"credentials": map[string]any{"rotationToken": token}}})
	return s.rotate(ctx, t, p, token, flags, func() v1alpha1.CredentialsStatus { return *credentials })
}

// Run replaces the key.
func (c *rotateOwner) Run(ctx context.Context, s *session) error {
	organization := &v1alpha1.Organization{}
	t := organizationTarget(organization)
	if err := s.read(ctx, t, c.Name); err != nil {
		return err
	}
	owner, err := c.choose(t, organization.Spec.Owners)
	if err != nil {
		return err
	}
	// A list is changed in its place, and only while that owner is still there: a merge would replace it all.
	email, token := organization.Spec.Owners[owner].Email, s.token()
	path := "/spec/owners/" + strconv.Itoa(owner)
	p := patch{types.JSONPatchType, []operation{
		{"test", path + "/email", email},
		{"add", path + "/credentials/rotationToken", token},
	}}
	return s.rotate(ctx, t, p, token, c.changing, func() v1alpha1.CredentialsStatus {
		for _, known := range organization.Status.Owners {
			if known.Email == email {
				return known.Credentials
			}
		}
		return v1alpha1.CredentialsStatus{}
	})
}

// choose picks the owner that is meant, by its place.
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

// token is a value that no rotation has had. It means nothing; as a time it means something to people.
func (s *session) token() string { return s.Now().UTC().Format("20060102T150405.000000000Z") }

// rotate changes a rotation token, waits until the status has it, and says until when the key before works.
func (s *session) rotate(ctx context.Context, t target, p patch, token string, flags changing, current func() v1alpha1.CredentialsStatus) error {
	changed, err := s.change(ctx, t, p, flags)
	if err != nil || !changed || !flags.Wait {
		return err
	}
	err = s.await(ctx, t, flags, func() (bool, error) {
		if current().RotationToken == token {
			return true, nil
		}
		if err := parked(t); err != nil {
			return false, err
		}
		return false, stalled(t)
	})
	if err != nil {
		return err
	}
	issued := current()
	fmt.Fprintf(s.Out, "%s has a new key", t)
	if issued.SecretRef != nil {
		fmt.Fprintf(s.Out, " in the Secret %s", issued.SecretRef.Name)
	}
	if issued.PreviousEnds == nil {
		fmt.Fprintln(s.Out, ". The previous one no longer works.")
		return nil
	}
	ends := issued.PreviousEnds.Time
	fmt.Fprintf(s.Out, ". The previous one works until %s (%v from now).\n", ends.UTC().Format(time.RFC3339), ends.Sub(s.Now()).Round(time.Second))
	return nil
}
