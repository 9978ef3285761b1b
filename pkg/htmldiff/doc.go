// Package htmldiff shows what changed between two rendered texts, in one piece of HTML.
//
// It compares words, not characters, and words count as equal only with the same elements around
// them: what became bold is shown as changed. The result is built from words and
// elements, so its tags are balanced whatever the two texts are.
package htmldiff
