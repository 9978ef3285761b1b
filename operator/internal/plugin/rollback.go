package plugin

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/version"

	"chatserver.dev/operator/api/v1alpha1"
)

// rollbackCommand is kubectl chat rollback.
type rollbackCommand struct {
	changing

	Name string `arg:"" help:"The ChatServer."`
	To   string `placeholder:"VERSION" help:"The version to roll back to; by default the previous one."`
}

// Run rolls a server back.
func (c *rollbackCommand) Run(ctx context.Context, s *session) error {
	server := &v1alpha1.ChatServer{}
	t := serverTarget(server)
	if err := s.read(ctx, t, c.Name); err != nil {
		return err
	}
	to, err := rollbackTo(server, c.To)
	if err != nil {
		return fmt.Errorf("%s: %w; nothing was changed", t, err)
	}
	return s.apply(ctx, t, set(to, "spec", "version"), c.changing, func() (bool, error) {
		if server.Status.Version == to && server.Status.Upgrade == nil && t.observed() && t.has(v1alpha1.ConditionReady) {
			return true, nil
		}
		return false, cmp.Or(parked(t), stalled(t))
	}, func() string { return fmt.Sprintf("%s is serving %s again.", t, to) })
}

// rollbackTo returns the version to roll back to, or why that is impossible.
func rollbackTo(server *v1alpha1.ChatServer, wish string) (string, error) {
	previous := server.Status.PreviousVersion
	if upgrade := server.Status.Upgrade; upgrade != nil && upgrade.From != server.Spec.Version { // else a migration for other logins, say
		previous = upgrade.From
	}
	to := cmp.Or(wish, previous)
	if to == "" {
		return "", fmt.Errorf("the version before %s isn't known; set it with --to", server.Spec.Version)
	}
	goal, err := version.ParseSemantic(to)
	if err != nil {
		return "", fmt.Errorf("%q isn't a version such as 1.4.2", to)
	}
	now, err := version.ParseSemantic(server.Spec.Version)
	if err != nil {
		return "", fmt.Errorf("spec.version %q isn't a version such as 1.4.2: %w", server.Spec.Version, err)
	}
	if !goal.LessThan(now) {
		return "", fmt.Errorf("%s isn't older than %s, the version in the spec; to upgrade, change spec.version", to, server.Spec.Version)
	}
	if len(server.Spec.Image.Digests) > 0 {
		return "", fmt.Errorf("spec.image.digests pins the images, so changing only the version has no effect; "+
			"set spec.version to %s and the digests to its images together, by `kubectl edit chatserver %s -n %s`", to, server.Name, server.Namespace)
	}
	return to, aboveFloor(server.Status.Schema, to, goal)
}

// aboveFloor returns an error if a version doesn't work with the database's schema.
func aboveFloor(schema *v1alpha1.SchemaStatus, to string, goal *version.Version) error {
	if schema == nil || schema.MinServerVersion == "" {
		return nil
	}
	floor, err := version.ParseSemantic(schema.MinServerVersion)
	if err != nil {
		return fmt.Errorf("status.schema.minServerVersion %q isn't a version such as 1.4.2: %w", schema.MinServerVersion, err)
	}
	if goal.LessThan(floor) {
		return fmt.Errorf("%s doesn't work with the database any more: its schema %d needs %s or later; "+
			"roll back to %s or later with --to, or restore a backup from before the upgrade into another ChatServer",
			to, schema.Version, schema.MinServerVersion, schema.MinServerVersion)
	}
	return nil
}
