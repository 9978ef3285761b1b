// Package render turns a ChatServer into the objects that make it up.
//
// All functions are pure: equal servers and inputs give equal objects, and neither is changed. Nothing
// is read or written here. Objects are apply configurations with just the fields that the operator wants
// to own.
package render

import (
	"cmp"

	"k8s.io/apimachinery/pkg/runtime"

	"chatserver.dev/operator/api/v1alpha1"
)

// Object is something to apply.
type Object = runtime.ApplyConfiguration

// Component is one of the parts of a server that have pods.
type Component string

// The services. Their values are in names, labels and images.
const (
	API     Component = "api"
	Events  Component = "events"
	Webhook Component = "webhook"
)

// What else has pods.
const (
	Migrate  Component = "migrate"
	Postgres Component = "postgres"
	Redis    Component = "redis"
)

// Components are the services, in the order of a rollout.
func Components() []Component { return []Component{API, Events, Webhook} }

// URL is where clients find the server's root, without a slash at the end.
func URL(server *v1alpha1.ChatServer) string { return scheme(server) + "://" + server.Spec.Host }

func scheme(server *v1alpha1.ChatServer) string {
	exposure := server.Spec.Exposure
	if exposure == nil {
		return "http"
	}
	return cmp.Or(exposure.Scheme, "https")
}

// settings are what the spec says of a service.
func settings(server *v1alpha1.ChatServer, component Component) v1alpha1.Component {
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

// Number of pods of a service where nobody says another.
const defaultReplicas = 2

// fewest is the number of pods that a service has at least.
func fewest(server *v1alpha1.ChatServer, component Component) int32 {
	s := settings(server, component)
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
