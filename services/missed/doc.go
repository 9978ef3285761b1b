// Package missed has only tests, of mail and notifications about missed messages
// (docs/decisions/0021-missed-messages.md).
package missed
