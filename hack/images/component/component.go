// Package component lists the programs that have an image.
package component

// Component is a program that has an image.
type Component struct {
	Name    string // of the image and its program
	Module  string // folder of its module, whose go.mod determines the versions of dependencies, not the workspace
	About   string // description for the image's label
	Program string // its package, from the module's folder
	Local   bool   // only for development: built only if it is named
}

// All returns all components.
func All() []Component {
	return []Component{
		{Name: "api", Module: "services", Program: "./cmd/api", About: "Requests of chatserver and its migrations"},
		{Name: "events", Module: "services", Program: "./cmd/events", About: "Event queues and long polls of chatserver"},
		{Name: "webhook", Module: "services", Program: "./cmd/webhook", About: "Incoming webhooks of chatserver"},
		{Name: "operator", Module: "operator", Program: "./cmd/operator", About: "The Kubernetes operator of chatserver"},
		{Name: "gateway", Module: "hack", Program: "./tilt/gateway", About: "One address for a server that is being developed", Local: true},
	}
}
