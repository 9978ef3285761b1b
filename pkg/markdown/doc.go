// Package markdown renders the text of messages as the HTML that clients show (rest-api.md,
// section 7).
//
// It promises:
//
//   - Rendering is a pure function: no I/O, no clock except the context's, the same result for the same input. The caller
//     looks up names of people, groups, streams and custom emoji beforehand: [FindCandidates]
//     returns the names that a text may need, and [Context] has those that were found. Render never resolves
//     a name that FindCandidates doesn't return.
//   - Users' text never becomes active HTML. Every tag and attribute of the output is written
//     by this package, raw HTML is escaped, and links have one of the allowed schemes.
//   - The time for a text is linear in its size: nesting and the size of tables are limited, and every search for a closing
//     mark is cached or limited. Rendering ends with its context.
//   - The HTML is exactly that of the tables in section 7, attributes in alphabetical order.
//
// Goldmark parses blocks (paragraphs, lists, quotes, fences, tables), with block parsers of
// this package where the specification differs. The text inside a block is read by one scanner from left to
// right: its rules (what may precede a mention or link, marks that end with the line, emoji characters
// in the middle of a word) are not those of CommonMark.
//
// There are no escapes: a backslash is text, so that paths and regular expressions are shown as they were
// typed. The only exception is `\|` in the cells of a table, which is a bar.
package markdown
