// Drives go-git, which shares no code with git, against a server: the test beside it says what has to come out.
//
//	go-git clone URL DIRECTORY [DEPTH]    prints the commit that HEAD leads to and how many commits there are
//	go-git fetch DIRECTORY                prints the remote branches
//	go-git commit DIRECTORY NAME TEXT     writes a file and commits it, prints the commit
//	go-git push DIRECTORY REFSPEC         pushes
//
// For HTTP the credentials stand in GOGIT_USER and GOGIT_TOKEN, for SSH the path of the key in GOGIT_KEY.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/plumbing/transport/ssh"
	gossh "golang.org/x/crypto/ssh"
)

func credentials(url string) (transport.AuthMethod, error) {
	if !strings.HasPrefix(url, "ssh://") {
		return &http.BasicAuth{Username: os.Getenv("GOGIT_USER"), Password: os.Getenv("GOGIT_TOKEN")}, nil
	}
	keys, err := ssh.NewPublicKeysFromFile("git", os.Getenv("GOGIT_KEY"), "")
	if err == nil {
		keys.HostKeyCallback = gossh.InsecureIgnoreHostKey()
	}
	return keys, err
}

func open(directory string) (*git.Repository, transport.AuthMethod, error) {
	repository, err := git.PlainOpen(directory)
	if err != nil {
		return nil, nil, err
	}
	remote, err := repository.Remote("origin")
	if err != nil {
		return nil, nil, err
	}
	auth, err := credentials(remote.Config().URLs[0])
	return repository, auth, err
}

func clone(url, directory, depth string) error {
	auth, err := credentials(url)
	if err != nil {
		return err
	}
	commits, err := strconv.Atoi(depth)
	if err != nil {
		return err
	}
	repository, err := git.PlainClone(directory, false, &git.CloneOptions{URL: url, Auth: auth, Depth: commits})
	if err != nil {
		return err
	}
	head, err := repository.Head()
	if err != nil {
		return err
	}
	log, err := repository.Log(&git.LogOptions{From: head.Hash()})
	if err != nil {
		return err
	}
	count := 0
	err = log.ForEach(func(*object.Commit) error { count++; return nil })
	fmt.Println(head.Hash(), count)
	// A shallow history ends where a parent is not there.
	if err == plumbing.ErrObjectNotFound && commits > 0 {
		return nil
	}
	return err
}

func fetch(directory string) error {
	repository, auth, err := open(directory)
	if err != nil {
		return err
	}
	err = repository.Fetch(&git.FetchOptions{Auth: auth, Prune: true})
	if err != nil && err != git.NoErrAlreadyUpToDate {
		return err
	}
	refs, err := repository.References()
	if err != nil {
		return err
	}
	return refs.ForEach(func(ref *plumbing.Reference) error {
		if ref.Name().IsRemote() {
			fmt.Println(ref.Hash(), ref.Name())
		}
		return nil
	})
}

func commit(directory, name, text string) error {
	repository, err := git.PlainOpen(directory)
	if err != nil {
		return err
	}
	tree, err := repository.Worktree()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o644); err != nil {
		return err
	}
	if _, err := tree.Add(name); err != nil {
		return err
	}
	author := &object.Signature{Name: "Ada", Email: "ada@example.org", When: time.Unix(1700000000, 0).UTC()}
	hash, err := tree.Commit("Add "+name, &git.CommitOptions{Author: author})
	fmt.Println(hash)
	return err
}

func push(directory, refspec string) error {
	repository, auth, err := open(directory)
	if err != nil {
		return err
	}
	return repository.Push(&git.PushOptions{Auth: auth, RefSpecs: []config.RefSpec{config.RefSpec(refspec)}})
}

func main() {
	args := append(os.Args[1:], "", "", "", "")
	var err error
	switch args[0] {
	case "clone":
		if args[3] == "" {
			args[3] = "0"
		}
		err = clone(args[1], args[2], args[3])
	case "fetch":
		err = fetch(args[1])
	case "commit":
		err = commit(args[1], args[2], args[3])
	case "push":
		err = push(args[1], args[2])
	default:
		err = fmt.Errorf("there is no command %q", args[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
