// Package topics has the endpoints of topics: those that list a stream's topics, and those that mute topics.
package topics
