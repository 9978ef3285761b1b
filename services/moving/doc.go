// Package moving implements the commands export and import, by which organizations leave and join a server (docs/moving.md).
package moving
