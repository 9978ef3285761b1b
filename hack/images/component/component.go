// Package component lists the programs that have an image.
package component

// Component is a program that has an image.
type Component struct {
	Name    string // of the image, and of the program in it
	Module  string // folder of its module: an image has what that module's go.sum names, whatever the workspace has
	About   string // what it does
	Program string // its package, from the module's folder
	Local   bool   // for development alone: built only if it is named
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
