// Package htmldiff shows the changes between two rendered texts in one piece of HTML.
//
// It compares words, not characters. Words are equal only if the elements around them are equal, so text that became
// bold is shown as changed. The result is built from words and elements, so its tags are balanced for any two texts.
package htmldiff
