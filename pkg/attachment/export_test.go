package attachment

import "chatserver.dev/pkg/id"

// MaxThumbnails is the maximum number of thumbnails that are made for an organization at a time.
const MaxThumbnails = maxThumbnails

// CleanName returns a file's name for people.
func CleanName(name string) string { return cleanName(name) }

// SlugOf returns a file's name for addresses.
func SlugOf(name string) string { return slugOf(name) }

// Split splits an address.
func Split(address string) (path, slug string, err error) { return split(address) }

// Begin reserves one of an organization's thumbnails.
func (s *Service) Begin(in id.Org) bool { return s.begin(in) }

// End releases it.
func (s *Service) End(in id.Org) { s.end(in) }

// UnderWay returns the number of organizations for which thumbnails are being made.
func (s *Service) UnderWay() int { return len(s.underWay) }
