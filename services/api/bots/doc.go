// Package bots has the endpoints of people's bots, and of what accounts store here.
package bots
