// Package markdown turns what people write into the HTML that clients show (rest-api.md,
// section 7).
//
// What it promises:
//
//   - Rendering is a pure function: no I/O, no clock but that of the context, the same answer for the same input. Names of
//     people, groups, streams and custom emoji are looked up by the caller beforehand: [Mentions]
//     says which ones a text could need, [Context] carries what was found. Render never resolves
//     a name that Mentions did not list.
//   - Nothing that is typed becomes active HTML. Every tag and attribute of the output is written
//     by this package, raw HTML is escaped, and links have one of the allowed schemes.
//   - The time for a text is linear in its size: nesting is capped, every search for a closing mark
//     is remembered or limited, and tables have a largest size. Rendering ends with its context.
//   - The HTML is exactly that of the tables in section 7, attributes in alphabetical order.
//
// Block structure (paragraphs, lists, quotes, fences, tables) is goldmark's, with block parsers of
// our own where the interface differs. The text inside a block is read by one scanner from left to
// right: its rules (what may precede a mention or link, marks that end at the line, characters
// that become emoji in the middle of a word) are not those of CommonMark.
//
// There are no escapes: a backslash is text, so that paths and regular expressions stay as they are
// typed. Only in the cells of a table, `\|` is a bar.
package markdown
