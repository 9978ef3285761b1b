package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

const (
	storageClass = "local"
	provisioner  = "chatserver.test/folder" // in addons.yaml too
	volumes      = "persistentvolumes"
)

// waits reports whether a claim waits for a volume of this provisioner: its pod has been assigned to the node.
func waits(c corev1.PersistentVolumeClaim) bool {
	return c.Spec.StorageClassName != nil && *c.Spec.StorageClassName == storageClass && c.Spec.VolumeName == "" &&
		c.Annotations["volume.kubernetes.io/selected-node"] == nodeName
}

// left reports whether a volume is of this provisioner and its claim is deleted.
func left(v corev1.PersistentVolume) bool {
	return v.Annotations["pv.kubernetes.io/provisioned-by"] == provisioner && v.Status.Phase == corev1.VolumeReleased
}

// keepVolumes makes a folder and a volume for each claim, and removes both when the claim is deleted.
func keepVolumes(ctx context.Context, log *slog.Logger, client *rest.RESTClient) error {
	folders := filepath.Join(inside, "volumes")
	for pause(ctx, 500*time.Millisecond) {
		if err := errors.Join(provideVolumes(ctx, client, folders), removeVolumes(ctx, client, folders)); err != nil {
			log.Warn("volumes", slog.Any("error", err))
		}
	}
	return ctx.Err()
}

func provideVolumes(ctx context.Context, client *rest.RESTClient, folders string) error {
	var claims corev1.PersistentVolumeClaimList
	if err := client.Get().Resource("persistentvolumeclaims").Do(ctx).Into(&claims); err != nil {
		return err
	}
	for _, c := range claims.Items {
		if !waits(c) {
			continue
		}
		v := volumeFor(c, folders)
		if err := os.MkdirAll(v.Spec.Local.Path, 0o755); err != nil {
			return fmt.Errorf("make a volume's folder: %w", err)
		}
		// Pods run as any user. The mode given to MkdirAll is subject to the umask, so Chmod sets it.
		if err := os.Chmod(v.Spec.Local.Path, 0o777); err != nil { //nolint:gosec // what is in it is a test's
			return fmt.Errorf("open a volume's folder: %w", err)
		}
		if err := client.Post().Resource(volumes).Body(v).Do(ctx).Error(); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

func removeVolumes(ctx context.Context, client *rest.RESTClient, folders string) error {
	var all corev1.PersistentVolumeList
	if err := client.Get().Resource(volumes).Do(ctx).Into(&all); err != nil {
		return err
	}
	for _, v := range all.Items {
		if !left(v) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(folders, v.Name)); err != nil {
			return fmt.Errorf("remove a volume's folder: %w", err)
		}
		if err := client.Delete().Resource(volumes).Name(v.Name).Do(ctx).Error(); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// volumeFor returns a volume that is already bound to the claim, so that no other claim gets it.
func volumeFor(c corev1.PersistentVolumeClaim, folders string) *corev1.PersistentVolume {
	name := "pvc-" + string(c.UID)
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"pv.kubernetes.io/provisioned-by": provisioner}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      c.Spec.Resources.Requests,
			AccessModes:                   c.Spec.AccessModes,
			StorageClassName:              storageClass,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: c.Namespace, Name: c.Name, UID: c.UID,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{Local: &corev1.LocalVolumeSource{Path: filepath.Join(folders, name)}}, // on the node
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{
					Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{nodeName},
				}},
			}}}},
		},
	}
}
