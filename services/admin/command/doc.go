// Package command implements `chatserver admin …`: the admin interface for people and scripts.
package command
