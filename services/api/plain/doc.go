// Package plain has the pages that need no script: those behind links in mail, and those on the way to identity providers and back. They
// look like the web client, whose style they have, and are there without it, too.
package plain
