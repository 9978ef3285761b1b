// Package server has the endpoints about the server itself, for everybody.
package server
