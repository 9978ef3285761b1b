// Package command is `chatserver admin …`: the admin interface for people and scripts.
package command
