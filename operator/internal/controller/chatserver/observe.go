package chatserver

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
	"chatserver.dev/operator/internal/render"
)

// observe sets the status of the services, whatever the result of the steps.
func (s *scope) observe(ctx context.Context) error {
	parts, available := []string(nil), true
	for _, component := range render.Components() {
		deployment, err := s.deployment(ctx, component)
		if err != nil {
			return err
		}
		now := componentStatus(component, deployment)
		*s.componentStatus(component) = now
		parts = append(parts, fmt.Sprintf("%s %d of %d", component, now.ReadyReplicas, now.Replicas))
		available = available && now.ReadyReplicas > 0
	}
	message := "ready pods: " + strings.Join(parts, ", ")
	switch {
	case available:
		s.conditions.True(v1alpha1.ConditionAvailable, v1alpha1.ReasonAvailable, message)
	case s.server.Spec.State == v1alpha1.StateHibernated:
		s.conditions.False(v1alpha1.ConditionAvailable, v1alpha1.ReasonHibernated, message)
	default:
		s.conditions.False(v1alpha1.ConditionAvailable, v1alpha1.ReasonUnavailable, message)
	}
	return s.countOrganizations(ctx)
}

// deployment reads the Deployment of a service; nil: there is none.
func (s *scope) deployment(ctx context.Context, component render.Component) (*appsv1.Deployment, error) {
	deployment := &appsv1.Deployment{}
	found, err := s.get(ctx, apply.Deployment(), s.server.Name+"-"+string(component), deployment)
	if err != nil || !found {
		return nil, err
	}
	return deployment, nil
}

func (s *scope) componentStatus(component render.Component) *v1alpha1.ComponentStatus {
	switch component {
	case render.API:
		return &s.server.Status.API
	case render.Events:
		return &s.server.Status.Events
	case render.Webhook, render.Migrate, render.Postgres, render.Redis: // the last three aren't services
	}
	return &s.server.Status.Webhook
}

func componentStatus(component render.Component, deployment *appsv1.Deployment) v1alpha1.ComponentStatus {
	if deployment == nil {
		return v1alpha1.ComponentStatus{}
	}
	now := v1alpha1.ComponentStatus{
		Replicas: deployment.Status.Replicas, ReadyReplicas: deployment.Status.ReadyReplicas,
		Selector: metav1.FormatLabelSelector(deployment.Spec.Selector),
	}
	for i := range deployment.Spec.Template.Spec.Containers {
		if container := &deployment.Spec.Template.Spec.Containers[i]; container.Name == string(component) {
			now.Image = container.Image
		}
	}
	return now
}

// countOrganizations counts the accepted organizations of the server, in the namespaces that the operator watches.
func (s *scope) countOrganizations(ctx context.Context) error {
	list := &v1alpha1.OrganizationList{}
	err := s.client.List(ctx, list, client.MatchingFields{indexServer: s.server.Namespace + "/" + s.server.Name})
	if err != nil {
		return fmt.Errorf("count organizations: %w", err)
	}
	s.server.Status.Organizations = int32(min(len(list.Items), 1<<30)) // an int32 has room for it
	return nil
}
