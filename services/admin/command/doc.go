// Package command implements the command `chatserver admin`, a client of the admin interface.
package command
