// Command protections makes, reads, changes and deletes rules for branches and tags with the Go SDK of the family, and
// meets what they refuse. It prints one line for each thing that went as it should, and stops at the first that did not.
//
//	protections URL OWNER PASSWORD WRITER REPOSITORY
package main

import (
	"fmt"
	"os"
	"strings"

	"code.gitea.io/sdk/gitea"
)

func demand(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func expect[T comparable](what string, got, wanted T) {
	if got != wanted {
		demand(fmt.Errorf("%s: got %v, not %v", what, got, wanted))
	}
}

func refused(what string, response *gitea.Response, err error, status int) {
	if err == nil || response == nil || response.StatusCode != status {
		demand(fmt.Errorf("%s: got %v and %v, not the status %d", what, response, err, status))
	}
}

func must[T any](value T, _ *gitea.Response, err error) T {
	demand(err)
	return value
}

func pointer[T any](value T) *T {
	return &value
}

type program struct {
	client      *gitea.Client
	owner, repo string
	writer      string
}

func (p *program) branches() {
	c := p.client
	rule := must(c.CreateBranchProtection(p.owner, p.repo, gitea.CreateBranchProtectionOption{
		RuleName:                "release/**",
		EnablePush:              true,
		EnablePushWhitelist:     true,
		PushWhitelistUsernames:  []string{p.writer},
		RequiredApprovals:       2,
		EnableStatusCheck:       true,
		StatusCheckContexts:     []string{"ci/build"},
		ProtectedFilePatterns:   ".ci.yml",
		BlockAdminMergeOverride: true,
	}))
	expect("name", rule.RuleName, "release/**")
	expect("no branch", rule.BranchName, "")
	expect("writers", strings.Join(rule.PushWhitelistUsernames, " "), p.writer)
	expect("override", rule.BlockAdminMergeOverride, true)
	must(c.CreateBranchProtection(p.owner, p.repo, gitea.CreateBranchProtectionOption{BranchName: "main", EnablePush: true}))
	all := must(c.ListBranchProtections(p.owner, p.repo, gitea.ListBranchProtectionsOptions{}))
	expect("rules", len(all), 2)
	expect("the exact name first", all[0].RuleName, "main")
	same := must(c.GetBranchProtection(p.owner, p.repo, "release/**"))
	expect("approvals", same.RequiredApprovals, int64(2))
	edited := must(c.EditBranchProtection(p.owner, p.repo, "release/**", gitea.EditBranchProtectionOption{
		EnableStatusCheck: pointer(false),
		RequiredApprovals: pointer(int64(1)),
	}))
	expect("contexts stay", strings.Join(edited.StatusCheckContexts, " "), "ci/build")
	expect("writers stay", strings.Join(edited.PushWhitelistUsernames, " "), p.writer)
	edited = must(c.EditBranchProtection(p.owner, p.repo, "release/**", gitea.EditBranchProtectionOption{
		StatusCheckContexts: []string{"lint", "test"},
	}))
	expect("contexts", strings.Join(edited.StatusCheckContexts, " "), "lint test")
	_, response, err := c.CreateBranchProtection(p.owner, p.repo, gitea.CreateBranchProtectionOption{RuleName: "main"})
	refused("a rule twice", response, err, 422)
	fmt.Println("rules for branches")
}

func (p *program) decisions() {
	c := p.client
	branch := must(c.GetRepoBranch(p.owner, p.repo, "main"))
	expect("protected", branch.Protected, true)
	expect("by", branch.EffectiveBranchProtectionName, "main")
	expect("push", branch.UserCanPush, true)
	_, response, err := c.CreateBranch(p.owner, p.repo, gitea.CreateBranchOption{BranchName: "release/1", OldBranchName: "main"})
	refused("a protected branch is made", response, err, 403)
	_, response, err = c.CreateFile(p.owner, p.repo, "a.txt", gitea.CreateFileOptions{
		FileOptions: gitea.FileOptions{Message: "x", NewBranchName: "release/2"},
		Content:     "bmV3Cg==",
	})
	refused("a protected branch is committed to", response, err, 403)
	must(c.CreateBranch(p.owner, p.repo, gitea.CreateBranchOption{BranchName: "free", OldBranchName: "main"}))
	file, _, err := c.CreateFile(p.owner, p.repo, "a.txt", gitea.CreateFileOptions{
		FileOptions: gitea.FileOptions{Message: "x", BranchName: "free"},
		Content:     "bmV3Cg==",
	})
	demand(err)
	moved, _, err := c.UpdateRepoBranchRef(p.owner, p.repo, "main", gitea.UpdateRepoBranchRefOption{
		NewCommitID: file.Commit.SHA, OldCommitID: branch.Commit.ID,
	})
	demand(err)
	expect("moved", moved, true)
	back, response, _ := c.UpdateRepoBranchRef(p.owner, p.repo, "main", gitea.UpdateRepoBranchRefOption{
		NewCommitID: branch.Commit.ID, Force: true,
	})
	expect("forced", back, false)
	expect("forced", response.StatusCode, 403)
	renamed, _, err := c.RenameRepoBranch(p.owner, p.repo, "main", gitea.RenameRepoBranchOption{Name: "trunk"})
	demand(err)
	expect("renamed", renamed, true)
	rule := must(c.GetBranchProtection(p.owner, p.repo, "trunk"))
	expect("the rule goes along", rule.BranchName, "trunk")
	fmt.Println("what rules decide")
}

func (p *program) tags() {
	c := p.client
	rule := must(c.CreateTagProtection(p.owner, p.repo, gitea.CreateTagProtectionOption{
		NamePattern: "v*", WhitelistUsernames: []string{p.writer},
	}))
	expect("pattern", rule.NamePattern, "v*")
	_, response, err := c.CreateTag(p.owner, p.repo, gitea.CreateTagOption{TagName: "v1", Target: "trunk"})
	refused("a protected tag is made", response, err, 405)
	edited := must(c.EditTagProtection(p.owner, p.repo, rule.ID, gitea.EditTagProtectionOption{
		NamePattern: pointer("v[0-9]*"), WhitelistUsernames: []string{p.writer, p.owner},
	}))
	expect("writers", len(edited.WhitelistUsernames), 2)
	must(c.CreateTag(p.owner, p.repo, gitea.CreateTagOption{TagName: "v1", Target: "trunk"}))
	expect("rules", len(must(c.ListTagProtection(p.owner, p.repo, gitea.ListRepoTagProtectionsOptions{}))), 1)
	expect("pattern", must(c.GetTagProtection(p.owner, p.repo, rule.ID)).NamePattern, "v[0-9]*")
	_, err = c.DeleteTagProtection(p.owner, p.repo, rule.ID)
	demand(err)
	_, response, err = c.GetTagProtection(p.owner, p.repo, rule.ID)
	refused("a rule that was deleted", response, err, 404)
	for _, name := range []string{"trunk", "release/**"} {
		_, err = c.DeleteBranchProtection(p.owner, p.repo, name)
		demand(err)
	}
	expect("rules", len(must(c.ListBranchProtections(p.owner, p.repo, gitea.ListBranchProtectionsOptions{}))), 0)
	fmt.Println("rules for tags")
}

func main() {
	client, err := gitea.NewClient(os.Args[1], gitea.SetBasicAuth(os.Args[2], os.Args[3]))
	demand(err)
	p := &program{client: client, owner: os.Args[2], writer: os.Args[4], repo: os.Args[5]}
	p.branches()
	p.decisions()
	p.tags()
}
