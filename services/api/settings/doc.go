// Package settings has the endpoints of callers' own settings.
package settings
