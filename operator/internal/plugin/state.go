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

// Run pauses.
func (c *pauseCommand) Run(ctx context.Context, s *session) error {
	t, err := s.find(ctx, c.Target)
	if err != nil {
		return err
	}
	changed, err := s.change(ctx, t, inState(t, v1alpha1.StatePaused), c.changing)
	if err != nil || !changed || !c.Wait {
		return err
	}
	if err := s.await(ctx, t, c.changing, func() (bool, error) { return t.seen() && t.has(v1alpha1.ConditionPaused), nil }); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s is paused: the operator doesn't change it until `kubectl chat wake %s`.\n", t, c.Target)
	return nil
}

// Run puts a server to sleep.
func (c *hibernateCommand) Run(ctx context.Context, s *session) error {
	server := &v1alpha1.ChatServer{}
	t := serverTarget(server)
	if err := s.read(ctx, t, c.Server); err != nil {
		return err
	}
	changed, err := s.change(ctx, t, inState(t, v1alpha1.StateHibernated), c.changing)
	if err != nil || !changed || !c.Wait {
		return err
	}
	err = s.await(ctx, t, c.changing, func() (bool, error) {
		pods := server.Status.API.Replicas + server.Status.Events.Replicas + server.Status.Webhook.Replicas
		return t.condition(v1alpha1.ConditionReady).Reason == v1alpha1.ReasonHibernated && t.seen() && pods == 0, stalled(t)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s is hibernated: it has no pods; data and Secrets are kept. `kubectl chat wake %s` starts it again.\n", t, c.Server)
	return nil
}

// Run ends a pause or a sleep.
func (c *wakeCommand) Run(ctx context.Context, s *session) error {
	t, err := s.find(ctx, c.Target)
	if err != nil {
		return err
	}
	changed, err := s.change(ctx, t, inState(t, v1alpha1.StateRunning), c.changing)
	if err != nil || !changed || !c.Wait {
		return err
	}
	err = s.await(ctx, t, c.changing, func() (bool, error) {
		ready := t.condition(v1alpha1.ConditionReady)
		asleep := t.has(v1alpha1.ConditionPaused) || ready.Reason == v1alpha1.ReasonHibernated
		return t.seen() && t.has(v1alpha1.ConditionReady) && !asleep, stalled(t)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s is awake and ready.\n", t)
	return nil
}

// inState is the patch for a state: a field of a server, an annotation of everything else.
func inState(t target, state v1alpha1.ChatServerState) patch {
	if _, isServer := t.object.(*v1alpha1.ChatServer); isServer {
		return set(map[string]any{"spec": map[string]any{"state": state}})
	}
	paused := any(nil)
	if state == v1alpha1.StatePaused {
		paused = "true"
	}
	return set(map[string]any{"metadata": map[string]any{"annotations": map[string]any{v1alpha1.AnnotationPaused: paused}}})
}
