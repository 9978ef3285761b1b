package attachment

// CleanName returns a file's name for people.
func CleanName(name string) string { return cleanName(name) }

// SlugOf returns a file's name for addresses.
func SlugOf(name string) string { return slugOf(name) }

// Split splits an address.
func Split(address string) (path, slug string, err error) { return split(address) }
