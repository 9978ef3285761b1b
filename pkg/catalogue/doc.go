// Package catalogue has the texts that the web client's catalogue doesn't have: those of mail, pages without scripts, and errors, in each
// language of the server.
//
// To add a language, add a file with its [Texts], such as german.go, and list it in the variable all. The tests of this package report
// missing texts.
package catalogue
