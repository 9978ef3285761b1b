// Package smoke tries out a server that runs, as a client does: it makes an event queue, sends a message,
// waits for its event by a long poll, and does the same by an incoming webhook. `helm test` runs it in the
// cluster, as the command `api smoke`.
package smoke
