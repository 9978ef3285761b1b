// Package signin has the endpoints for signing in and for sessions.
package signin
