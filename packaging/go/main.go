// Command modules packs folders as Go modules, into a module proxy of files.
//
//	modules PROXY VERSION SECONDS FOLDER...
//
// Each folder has a module with all that belongs to it. A module that another one requires comes before it, so that the
// checksum can be written into the other's go.sum. SECONDS since 1970 is the time of the version.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

func main() {
	if len(os.Args) < 5 {
		fmt.Fprintln(os.Stderr, "usage: modules PROXY VERSION SECONDS FOLDER...")
		os.Exit(2)
	}
	if err := packAll(os.Args[1], os.Args[2], os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, "modules:", err)
		os.Exit(1)
	}
}

func packAll(proxy, version, seconds string, folders []string) error {
	epoch, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	sums := map[string][]string{} // the lines of go.sum, by module
	for _, folder := range folders {
		if err := pack(proxy, version, time.Unix(epoch, 0).UTC(), folder, sums); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	return nil
}

func pack(proxy, version string, at time.Time, folder string, sums map[string][]string) error {
	goMod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return err
	}
	parsed, err := modfile.Parse("go.mod", goMod, nil)
	if err != nil {
		return err
	}
	path := parsed.Module.Mod.Path
	escaped, err := module.EscapePath(path)
	if err != nil {
		return err
	}
	if err := addSums(filepath.Join(folder, "go.sum"), parsed, sums); err != nil {
		return err
	}
	to := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	archive := filepath.Join(to, version+".zip")
	if err := archiveOf(archive, module.Version{Path: path, Version: version}, folder); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, at})
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{version + ".mod": goMod, version + ".info": info, "list": []byte(version + "\n")} {
		if err := os.WriteFile(filepath.Join(to, name), content, 0o644); err != nil {
			return err
		}
	}
	ofZip, err := dirhash.HashZip(archive, dirhash.Hash1)
	if err != nil {
		return err
	}
	ofMod, err := dirhash.Hash1([]string{"go.mod"}, func(name string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(folder, name))
	})
	if err != nil {
		return err
	}
	sums[path] = []string{
		fmt.Sprintf("%s %s %s", path, version, ofZip),
		fmt.Sprintf("%s %s/go.mod %s", path, version, ofMod),
	}
	return nil
}

func archiveOf(name string, version module.Version, folder string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	// It writes no times, and refuses what the go command would refuse.
	if err := zip.CreateFromDir(file, version, folder); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}

// Adds the checksums of the modules that were packed before and that this one requires.
func addSums(name string, parsed *modfile.File, sums map[string][]string) error {
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines := strings.FieldsFunc(string(text), func(char rune) bool { return char == '\n' })
	for _, required := range parsed.Require {
		lines = append(lines, sums[required.Mod.Path]...)
	}
	if len(lines) == 0 {
		return nil
	}
	sort.Strings(lines)
	return os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}
