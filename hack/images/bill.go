package main

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"chatserver.dev/hack/images/component"
)

// object is a JSON object.
type object map[string]any

// billOf returns the bill of materials of a program, as https://spdx.github.io/spdx-spec/v2.3 defines: the modules that
// Go recorded in the program, and Go itself.
func billOf(program string, c component.Component, version string) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("read the modules of %s: %w", c.Name, err)
	}
	title := "chatserver-" + c.Name
	packages := []object{describe(0, title, version, "")}
	relationships := []object{{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-0"}}
	for i, module := range append([]*debug.Module{{Path: "stdlib", Version: info.GoVersion}}, info.Deps...) {
		if module.Replace != nil && module.Replace.Version != "" {
			module = module.Replace
		}
		packages = append(packages, describe(i+1, module.Path, module.Version, fmt.Sprintf("pkg:golang/%s@%s", module.Path, module.Version)))
		relationships = append(relationships, object{
			"spdxElementId": "SPDXRef-0", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": fmt.Sprintf("SPDXRef-%d", i+1),
		})
	}
	return json.MarshalIndent(object{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": title,
		"documentNamespace": "https://github.com/chatserver/chatserver/spdx/" + c.Name + "/" + version,
		"creationInfo":      object{"created": "1970-01-01T00:00:00Z", "creators": []string{"Tool: hack/images"}},
		"packages":          packages, "relationships": relationships,
	}, "", " ")
}

// describe returns a package of a bill; purl is empty for a package that no module proxy has.
func describe(number int, title, version, purl string) object {
	described := object{
		"SPDXID": fmt.Sprintf("SPDXRef-%d", number), "name": title, "versionInfo": version,
		"downloadLocation": "NOASSERTION", "filesAnalyzed": false,
	}
	if purl != "" {
		described["externalRefs"] = []object{{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}}
	}
	return described
}

// pushBill pushes the bill of materials of an image with the tag sha256-….sbom, where cosign looks for it.
func pushBill(ctx context.Context, repository name.Repository, of v1.Image, bill []byte) error {
	digest, err := of.Digest()
	if err != nil {
		return err
	}
	image, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1), static.NewLayer(bill, "text/spdx+json"))
	if err != nil {
		return err
	}
	tag := repository.Tag(digest.Algorithm + "-" + digest.Hex + ".sbom")
	return remote.Write(tag, image, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain))
}
