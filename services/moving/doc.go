// Package moving implements the commands export and import, which move organizations between servers (docs/moving.md).
package moving
