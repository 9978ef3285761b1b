// Package bots has the endpoints of bots, and of the storage of accounts.
package bots
