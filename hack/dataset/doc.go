// Package dataset fills a database with an organization of any size, by COPY, for measurements and tests with large
// amounts of data.
//
// The same [Spec] produces the same data, apart from ids and times. Words, topics, streams and people are used
// unevenly, as in reality: few of them often, most of them rarely.
package dataset
