// Package admin manages organizations, and what is in them, for programs: a Kubernetes operator, or a script.
//
// Each managed object has a key that the program chose, so it is found after people have renamed it. Ensuring an object
// changes only fields that differ, so repeating it changes nothing and notifies nobody. Changes are made by the same services
// as people's requests, on behalf of the organization's notification bot, so that rules and events are the same.
package admin
