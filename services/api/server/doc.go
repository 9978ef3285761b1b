// Package server has the endpoints about the server itself, which need no authentication.
package server
