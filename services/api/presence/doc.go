// Package presence has the endpoints of users' presence and of their statuses.
package presence
