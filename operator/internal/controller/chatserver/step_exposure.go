package chatserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"chatserver.dev/operator/api/v1alpha1"
	"chatserver.dev/operator/internal/apply"
	"chatserver.dev/operator/internal/inputs"
	"chatserver.dev/operator/internal/render"
)

// claim finds out whether another server has the host. If so, it is reported before the steps that take minutes.
func claim(ctx context.Context, s *scope) error {
	taken, err := s.hostTaken(ctx)
	if err != nil {
		return err
	}
	if s.hostOf = taken; taken != nil {
		s.conditions.False(v1alpha1.ConditionExposureReady, v1alpha1.ReasonHostTaken, s.hostProblem().Error())
	}
	return nil
}

// hostProblem says which server has the host.
func (s *scope) hostProblem() error {
	why := ""
	if hostOf(s.hostOf) != hostOf(s.server) {
		why = ", and names directly below a host are of its organizations"
	}
	return fmt.Errorf("ChatServer %s in namespace %s already uses host %s%s: this one isn't exposed; recreate it with another host, or delete the other one",
		s.hostOf.Name, s.hostOf.Namespace, s.hostOf.Spec.Host, why)
}

// exposure applies Ingress or HTTPRoute and the configuration of Prometheus, both before there are pods. It deletes routes that aren't
// desired, even if a migration or rollout is stuck.
func exposure(ctx context.Context, s *scope) error {
	if s.hostOf == nil { // otherwise nothing is exposed
		if err := s.apply(ctx, render.Exposure(s.server, s.inputs)...); err != nil {
			return err
		}
	}
	routes := []schema.GroupVersionKind{apply.Ingress()}
	if s.inputs.Served[inputs.HTTPRoute()] {
		routes = append(routes, inputs.HTTPRoute())
	}
	if err := s.prune(ctx, routes...); err != nil {
		return err
	}
	monitoring := s.server.Spec.Monitoring
	if monitoring.ServiceMonitor && !s.inputs.Served[inputs.ServiceMonitor()] {
		s.notes = append(s.notes, "no ServiceMonitor: its CRD isn't installed")
	}
	if monitoring.Rules && !s.inputs.Served[inputs.PrometheusRule()] {
		s.notes = append(s.notes, "no PrometheusRule: its CRD isn't installed")
	}
	return s.apply(ctx, render.Monitoring(s.server, s.inputs)...)
}

// unalarm deletes the rules of alerts, which would fire while services stop one after the other.
func unalarm(ctx context.Context, s *scope) error {
	if !s.inputs.Served[inputs.PrometheusRule()] {
		return nil
	}
	return s.prune(ctx, inputs.PrometheusRule())
}

// reachable checks whether the route was accepted, and whether certificates can be used.
func reachable(ctx context.Context, s *scope) error {
	err := s.routeAccepted(ctx)
	if err == nil {
		s.conditions.True(v1alpha1.ConditionExposureReady, v1alpha1.ReasonExposed, s.wayMessage())
	}
	return cmp.Or(err, s.certificates(ctx))
}

func (s *scope) wayMessage() string {
	if !isExposed(s.server) {
		return "reachable only inside the cluster: spec.exposure has no ingress or gateway"
	}
	if gateway := s.server.Spec.Exposure.Gateway; gateway != nil {
		return fmt.Sprintf("Gateway %s has accepted HTTPRoute %s", gateway.ParentRef.Name, s.server.Name)
	}
	return fmt.Sprintf("Ingress %s exists", s.server.Name)
}

// routeAccepted checks whether the Gateway accepts the route. An Ingress has no such status.
func (s *scope) routeAccepted(ctx context.Context) error {
	exposure := s.server.Spec.Exposure
	if s.hostOf != nil {
		return terminal(v1alpha1.ConditionExposureReady, v1alpha1.ReasonHostTaken, s.hostProblem())
	}
	if exposure == nil || exposure.Gateway == nil {
		return nil
	}
	if !s.inputs.Served[inputs.HTTPRoute()] {
		return terminal(v1alpha1.ConditionExposureReady, v1alpha1.ReasonCRDNotInstalled,
			errors.New("spec.exposure.gateway needs HTTPRoutes, but their CRD isn't installed: install the Gateway API, or use ingress"))
	}
	route := routeState{}
	if _, err := s.get(ctx, inputs.HTTPRoute(), s.server.Name, &route); err != nil {
		return err
	}
	parent := exposure.Gateway.ParentRef
	for _, p := range route.Status.Parents {
		if p.ParentRef.Name != parent.Name || cmp.Or(p.ParentRef.Namespace, s.server.Namespace) != cmp.Or(parent.Namespace, s.server.Namespace) {
			continue
		}
		accepted := route.reported(p.Conditions, "Accepted")
		for _, c := range []*metav1.Condition{accepted, route.reported(p.Conditions, "ResolvedRefs")} {
			if c != nil && c.Status != metav1.ConditionTrue {
				return wait(v1alpha1.ConditionExposureReady, v1alpha1.ReasonNotAccepted,
					"Gateway %s doesn't accept HTTPRoute %s: %s: %s", parent.Name, s.server.Name, c.Reason, c.Message)
			}
		}
		if accepted != nil {
			return nil
		}
	}
	return wait(v1alpha1.ConditionExposureReady, v1alpha1.ReasonNotAccepted,
		"Gateway %s hasn't reported on HTTPRoute %s yet: check that it exists and allows this namespace", parent.Name, s.server.Name)
}

// routeState is the part of an HTTPRoute that is read.
type routeState struct {
	Metadata struct {
		Generation int64 `json:"generation"`
	} `json:"metadata"`
	Status struct {
		Parents []struct {
			ParentRef  v1alpha1.GatewayParent `json:"parentRef"`
			Conditions []metav1.Condition     `json:"conditions"`
		} `json:"parents"`
	} `json:"status"`
}

// reported returns a condition about the current spec of the route; nil: there is none yet. A condition without a generation
// counts as current, since the field is optional.
func (r *routeState) reported(conditions []metav1.Condition, kind string) *metav1.Condition {
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil || c.ObservedGeneration != 0 && c.ObservedGeneration < r.Metadata.Generation {
		return nil
	}
	return c
}

// prune deletes the server's objects that are no longer desired.
func prune(ctx context.Context, s *scope) error {
	return s.prune(ctx, s.pruned()...)
}

// pruned returns the kinds whose objects are pruned. An optional kind that is served since the pass began isn't among them: none of its
// objects were rendered.
func (s *scope) pruned() []schema.GroupVersionKind {
	kinds := apply.Kinds()
	for _, kind := range inputs.Optional() {
		if kind != inputs.Cluster() && s.inputs.Served[kind] { // a Cluster has data
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
