// Package topics is the part of the interface that is about topics.
package topics
