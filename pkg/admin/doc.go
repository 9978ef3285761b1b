// Package admin keeps organizations, and what is in them, as machines have them written down: a
// Kubernetes operator, or a person's script.
//
// Whatever is kept has a key that its keeper chose, so it is found again after people have renamed it.
// Ensuring something compares first and changes only what differs, so doing it again changes nothing and
// notifies nobody. What is changed is changed by the services that people's requests go to, in the name of
// the organization's notification bot, so that rules and events are the same.
package admin
