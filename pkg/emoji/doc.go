// Package emoji contains the Unicode emoji of the interface, with their code points and names (rest-api.md, section
// 7.6). The table emoji.tsv has exactly these emoji. Clients have the same table and send a name together with its
// code.
//
// A code consists of the emoji's code points without variation selectors, in lower-case hexadecimal with at least
// four digits and joined by hyphens, such as "1f642" or "0031-20e3". An emoji has a canonical name and may have other
// names. A name belongs to one emoji. Codes are never removed from the table, because stored reactions refer to them.
package emoji
