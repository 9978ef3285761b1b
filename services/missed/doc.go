// Package missed has no code: its tests hold the whole server to what people are written to about what they missed
// (docs/decisions/0021-missed-messages.md).
package missed
