// Package server has the endpoints that tell of the server itself, to everybody.
package server
