// Package isolation has no code: its tests hold the whole server to what every organization relies on,
// that nothing of it can be seen or changed from another one.
package isolation
