// Package settings has the endpoints of what callers choose for themselves.
package settings
