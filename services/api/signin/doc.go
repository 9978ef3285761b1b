// Package signin has the endpoints by which programs and people sign in.
package signin
