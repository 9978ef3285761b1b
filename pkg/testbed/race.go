//go:build race

package testbed

// Race reports whether tests run with the race detector, with which they take up to twenty times as long.
const Race = true
