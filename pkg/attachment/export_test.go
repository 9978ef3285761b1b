package attachment

import "chatserver.dev/pkg/id"

// MostThumbnails is how many thumbnails an organization has under way.
const MostThumbnails = mostThumbnails

// CleanName is a file's name for people.
func CleanName(name string) string { return cleanName(name) }

// SlugOf is a file's name in its address.
func SlugOf(name string) string { return slugOf(name) }

// Split divides an address.
func Split(address string) (path, slug string, err error) { return split(address) }

// Begin takes one of the thumbnails of an organization.
func (s *Service) Begin(in id.Org) bool { return s.begin(in) }

// End ends one.
func (s *Service) End(in id.Org) { s.end(in) }

// UnderWay is how many organizations have thumbnails under way.
func (s *Service) UnderWay() int { return len(s.underWay) }
