// Installs packages as apk does, with the library that builds images of Alpine and Wolfi.
//
// apk ROOT ARCHITECTURE REPOSITORY KEY PACKAGE...
//
// The repository's index has to be signed with the key. Writes a line for each installed package: its name and version.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/chainguard-dev/go-apk/pkg/apk"
	apkfs "github.com/chainguard-dev/go-apk/pkg/fs"
)

func install(root, architecture, repository, key string, packages []string) error {
	ctx := context.Background()
	client, err := apk.New(
		apk.WithFS(apkfs.DirFS(root)),
		apk.WithArch(architecture),
		apk.WithIgnoreMknodErrors(true),
	)
	if err != nil {
		return err
	}
	if err := client.InitDB(ctx); err != nil {
		return err
	}
	if err := client.InitKeyring(ctx, nil, []string{key}); err != nil {
		return err
	}
	if err := client.SetRepositories(ctx, []string{repository}); err != nil {
		return err
	}
	if err := client.SetWorld(ctx, packages); err != nil {
		return err
	}
	if err := client.FixateWorld(ctx, nil); err != nil {
		return err
	}
	installed, err := client.GetInstalled()
	if err != nil {
		return err
	}
	for _, one := range installed {
		fmt.Println(one.Name, one.Version)
	}
	return nil
}

func main() {
	if err := install(os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
