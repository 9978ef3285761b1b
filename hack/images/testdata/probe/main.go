// Command probe does nothing. Tests build its image because it compiles quickly for all platforms.
package main

func main() {}
