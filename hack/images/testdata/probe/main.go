// The command probe does nothing: tests build its image, since it compiles quickly for all platforms.
package main

func main() {}
