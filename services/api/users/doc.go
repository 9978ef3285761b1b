// Package users has the endpoints of accounts: all of them, one of them, and the caller's own.
package users
