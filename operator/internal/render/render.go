// Package render renders the objects of a ChatServer.
//
// All functions are pure: they read and write nothing, don't modify their arguments, and return equal objects for equal
// arguments. Objects are apply configurations with only the fields that the operator owns.
package render

import (
	"cmp"

	"k8s.io/apimachinery/pkg/runtime"

	"chatserver.dev/operator/api/v1alpha1"
)

// Object is an object to apply.
type Object = runtime.ApplyConfiguration

// Component is a part of a server that has pods.
type Component string

// The services. The values are used in names, labels and images.
const (
	API     Component = "api"
	Events  Component = "events"
	Webhook Component = "webhook"
)

// Other components.
const (
	Migrate  Component = "migrate"
	Postgres Component = "postgres"
	Redis    Component = "redis"
)

// Components returns the services, in the order of a rollout.
func Components() []Component { return []Component{API, Events, Webhook} }

// URL returns the server's address for clients, without a trailing slash.
func URL(server *v1alpha1.ChatServer) string { return scheme(server) + "://" + server.Spec.Host }

func scheme(server *v1alpha1.ChatServer) string {
	exposure := server.Spec.Exposure
	if exposure == nil {
		return "http"
	}
	return cmp.Or(exposure.Scheme, "https")
}

// ComponentSpec returns the spec of a component.
func ComponentSpec(server *v1alpha1.ChatServer, component Component) v1alpha1.Component {
	switch component {
	case API:
		return server.Spec.API
	case Events:
		return server.Spec.Events
	case Webhook:
		return server.Spec.Webhook
	case Migrate:
		return v1alpha1.Component{PodTemplate: server.Spec.Upgrade.PodTemplate}
	case Postgres, Redis:
	}
	return v1alpha1.Component{}
}

func hibernated(server *v1alpha1.ChatServer) bool {
	return server.Spec.State == v1alpha1.StateHibernated
}

// defaultReplicas is the default number of pods of a service.
const defaultReplicas = 2

// fewest returns the minimum number of pods of a service.
func fewest(server *v1alpha1.ChatServer, component Component) int32 {
	s := ComponentSpec(server, component)
	switch {
	case hibernated(server):
		return 0
	case s.Autoscaling != nil:
		return cmp.Or(s.Autoscaling.MinReplicas, defaultReplicas)
	case s.Replicas != nil:
		return *s.Replicas
	default:
		return defaultReplicas
	}
}
