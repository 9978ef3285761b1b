// Package dataset fills a database with an organization of any size, by COPY: for measurements and
// tests whose question is what a server does when there is much.
//
// The same [Spec] produces the same data, apart from ids and times. Words, topics, streams and people are as
// unevenly used as they are in life: few of them often, most of them seldom.
package dataset
