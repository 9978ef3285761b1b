// Package groups has the endpoints of user groups: people who can be mentioned together.
package groups
