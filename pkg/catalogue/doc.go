// Package catalogue has what people read who can't be reached by the web client's catalogue: mail, pages without script, and what the server
// refuses, in each language that the server speaks.
//
// A language is a file that returns its [Texts], such as german.go, and a line in [All]. What it lacks, the tests of this package say.
package catalogue
