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

// Run goes back.
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
	changed, err := s.change(ctx, t, set(map[string]any{"spec": map[string]any{"version": to}}), c.changing)
	if err != nil || !changed || !c.Wait {
		return err
	}
	err = s.await(ctx, t, c.changing, func() (bool, error) {
		there := server.Status.Version == to && server.Status.Upgrade == nil
		if t.seen() && there && t.has(v1alpha1.ConditionReady) {
			return true, nil
		}
		return false, cmp.Or(parked(t), stalled(t))
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s is serving %s again.\n", t, to)
	return nil
}

// rollbackTo returns the version that a server can go back to, or why it can't.
func rollbackTo(server *v1alpha1.ChatServer, wish string) (string, error) {
	to := wish
	if to == "" && server.Status.Upgrade != nil {
		to = server.Status.Upgrade.From
	}
	if to == "" && server.Status.Upgrade == nil {
		to = server.Status.PreviousVersion
	}
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

// aboveFloor reports whether a version works with the schema that the database has.
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
