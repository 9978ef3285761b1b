package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

const (
	storageClass = "local"
	provisioner  = "chatserver.test/folder" // in addons.yaml too
	volumesPath  = "/api/v1/persistentvolumes"
)

// object is what volumes and claims have in common, and are distinguished by.
type object struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace,omitempty"`
	UID         string            `json:"uid,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type claim struct {
	Metadata object `json:"metadata"`
	Spec     struct {
		StorageClassName string   `json:"storageClassName"`
		VolumeName       string   `json:"volumeName"`
		AccessModes      []string `json:"accessModes"`
		Resources        struct {
			Requests struct {
				Storage string `json:"storage"`
			} `json:"requests"`
		} `json:"resources"`
	} `json:"spec"`
}

// waits says whether the claim waits for a volume of ours: its pod has been given a node.
func (c claim) waits() bool {
	return c.Spec.StorageClassName == storageClass && c.Spec.VolumeName == "" &&
		c.Metadata.Annotations["volume.kubernetes.io/selected-node"] == nodeName
}

type volume struct {
	Metadata object `json:"metadata"`
	Status   struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

// left says whether the volume is ours and its claim is gone.
func (v volume) left() bool {
	return v.Metadata.Annotations["pv.kubernetes.io/provisioned-by"] == provisioner && v.Status.Phase == "Released"
}

// keepVolumes makes a folder and a volume for each claim, and removes both after the claim.
func keepVolumes(ctx context.Context, log *slog.Logger, server *api) error {
	folders := filepath.Join(inside, "volumes")
	for pause(ctx, 500*time.Millisecond) {
		if err := errors.Join(provideVolumes(ctx, server, folders), removeVolumes(ctx, server, folders)); err != nil {
			log.Warn("volumes", slog.Any("error", err))
		}
	}
	return ctx.Err()
}

func provideVolumes(ctx context.Context, server *api, folders string) error {
	var claims struct {
		Items []claim `json:"items"`
	}
	if err := server.do(ctx, http.MethodGet, "/api/v1/persistentvolumeclaims", nil, &claims); err != nil {
		return err
	}
	for _, c := range claims.Items {
		if !c.waits() {
			continue
		}
		folder := filepath.Join(folders, "pvc-"+c.Metadata.UID)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("make a volume's folder: %w", err)
		}
		// Pods run as whomever they like. The mode that MkdirAll makes is subject to the umask.
		if err := os.Chmod(folder, 0o777); err != nil { //nolint:gosec // what is in it is a test's
			return fmt.Errorf("open a volume's folder: %w", err)
		}
		err := server.do(ctx, http.MethodPost, volumesPath, volumeFor(c, folder), nil)
		if err != nil && !isStatus(err, http.StatusConflict) {
			return err
		}
	}
	return nil
}

func removeVolumes(ctx context.Context, server *api, folders string) error {
	var volumes struct {
		Items []volume `json:"items"`
	}
	if err := server.do(ctx, http.MethodGet, volumesPath, nil, &volumes); err != nil {
		return err
	}
	for _, v := range volumes.Items {
		if !v.left() {
			continue
		}
		if err := os.RemoveAll(filepath.Join(folders, v.Metadata.Name)); err != nil {
			return fmt.Errorf("remove a volume's folder: %w", err)
		}
		err := server.do(ctx, http.MethodDelete, volumesPath+"/"+v.Metadata.Name, nil, nil)
		if err != nil && !isStatus(err, http.StatusNotFound) {
			return err
		}
	}
	return nil
}

// volumeFor returns the volume that is bound to the claim from the start, so that no other claim gets it.
func volumeFor(c claim, folder string) map[string]any {
	onNode := map[string]any{"key": "kubernetes.io/hostname", "operator": "In", "values": []string{nodeName}}
	return map[string]any{
		"apiVersion": "v1",
		"kind":       "PersistentVolume",
		"metadata": object{
			Name:        "pvc-" + c.Metadata.UID,
			Annotations: map[string]string{"pv.kubernetes.io/provisioned-by": provisioner},
		},
		"spec": map[string]any{
			"capacity":                      map[string]string{"storage": c.Spec.Resources.Requests.Storage},
			"accessModes":                   c.Spec.AccessModes,
			"storageClassName":              storageClass,
			"persistentVolumeReclaimPolicy": "Delete",
			"claimRef": map[string]string{
				"apiVersion": "v1", "kind": "PersistentVolumeClaim",
				"namespace": c.Metadata.Namespace, "name": c.Metadata.Name, "uid": c.Metadata.UID,
			},
			// The name in spec.local is the node's.
			"local": map[string]string{"path": folder},
			"nodeAffinity": map[string]any{"required": map[string]any{"nodeSelectorTerms": []any{
				map[string]any{"matchExpressions": []any{onNode}},
			}}},
		},
	}
}
