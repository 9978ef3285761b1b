// Package smoke tests a running server as a client: it creates an event queue, sends a message, waits for its event
// with a long poll, and repeats this with an event stream and with an incoming webhook. `helm test` runs it in the
// cluster, as the command `api smoke`.
package smoke
