package plugin

import (
	"context"
	"fmt"

	"chatserver.dev/operator/api/v1alpha1"
)

// pauseCommand is kubectl chat pause.
type pauseCommand struct {
	changing

	Target string `arg:"" name:"name" help:"A ChatServer, or KIND/NAME: organization/engineering."`
}

// hibernateCommand is kubectl chat hibernate.
type hibernateCommand struct {
	changing

	Server string `arg:"" name:"name" help:"The ChatServer."`
}

// wakeCommand is kubectl chat wake.
type wakeCommand struct {
	changing

	Target string `arg:"" name:"name" help:"A ChatServer, or KIND/NAME: organization/engineering."`
}

// Run pauses an object.
func (c *pauseCommand) Run(ctx context.Context, s *session) error {
	t, err := s.find(ctx, c.Target)
	if err != nil {
		return err
	}
	return s.apply(ctx, t, setState(t, v1alpha1.StatePaused), c.changing, func() (bool, error) {
		return t.observed() && t.has(v1alpha1.ConditionPaused), nil
	}, func() string {
		return fmt.Sprintf("%s is paused: the operator doesn't change it until `kubectl chat wake %s`.", t, c.Target)
	})
}

// Run hibernates a server.
func (c *hibernateCommand) Run(ctx context.Context, s *session) error {
	server := &v1alpha1.ChatServer{}
	t := serverTarget(server)
	if err := s.read(ctx, t, c.Server); err != nil {
		return err
	}
	return s.apply(ctx, t, setState(t, v1alpha1.StateHibernated), c.changing, func() (bool, error) {
		pods := server.Status.API.Replicas + server.Status.Events.Replicas + server.Status.Webhook.Replicas
		return t.condition(v1alpha1.ConditionReady).Reason == v1alpha1.ReasonHibernated && t.observed() && pods == 0, stalled(t)
	}, func() string {
		return fmt.Sprintf("%s is hibernated: it has no pods; data and Secrets are kept. `kubectl chat wake %s` starts it again.", t, c.Server)
	})
}

// Run ends a pause or a hibernation.
func (c *wakeCommand) Run(ctx context.Context, s *session) error {
	t, err := s.find(ctx, c.Target)
	if err != nil {
		return err
	}
	return s.apply(ctx, t, setState(t, v1alpha1.StateRunning), c.changing, func() (bool, error) {
		asleep := t.has(v1alpha1.ConditionPaused) || t.condition(v1alpha1.ConditionReady).Reason == v1alpha1.ReasonHibernated
		return t.observed() && t.has(v1alpha1.ConditionReady) && !asleep, stalled(t)
	}, func() string { return fmt.Sprintf("%s is awake and ready.", t) })
}

// setState returns the patch for a state, which is a field of servers and an annotation of other objects.
func setState(t target, state v1alpha1.ChatServerState) patch {
	if _, isServer := t.object.(*v1alpha1.ChatServer); isServer {
		return set(string(state), "spec", "state")
	}
	paused := any(nil)
	if state == v1alpha1.StatePaused {
		paused = "true"
	}
	return set(paused, "metadata", "annotations", v1alpha1.AnnotationPaused)
}
