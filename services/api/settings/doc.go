// Package settings has the endpoints of what callers choose for themselves: notifications and looks.
package settings
