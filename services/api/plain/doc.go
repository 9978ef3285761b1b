// Package plain renders pages without scripts: those that links in mail lead to, and those of signing in by identity
// providers. They have the style of the web client, but work without it.
package plain
