// Package admin manages organizations and their objects for programs, such as a Kubernetes operator or a script.
//
// Each managed object has a key that the program chose, so it can be found even if people have renamed it. Ensuring an object
// changes only fields that differ, so repeating it changes nothing and notifies nobody. Changes are made by the same services
// as people's requests, on behalf of the organization's notification bot, so the same rules and events apply.
package admin
