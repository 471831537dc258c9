package main

import (
	"fmt"
	"strings"

	"code.gitea.io/sdk/gitea"
)

func init() {
	parts["pulls"] = (*program).pulls
}

// file writes a file on a branch, which is made from another one where that is named.
func file(client *gitea.Client, owner, repository, path, text, branch, newBranch string) {
	must(client.CreateFile(owner, repository, path, gitea.CreateFileOptions{
		FileOptions: gitea.FileOptions{BranchName: branch, NewBranchName: newBranch, Message: "Write " + path},
		Content:     encoded(text),
	}))
}

// pulls walks through pull requests: opened from a fork, changed, read, and found by the commit of their merge.
func (p *program) pulls() {
	for _, name := range []string{"pia", "quin"} {
		must(p.admin.AdminCreateUser(gitea.CreateUserOption{
			Username: name, Email: name + "@example.com", Password: password, MustChangePassword: pointer(false),
		}))
	}
	pia, quin := p.as("pia", password), p.as("quin", password)
	must(pia.CreateRepo(gitea.CreateRepoOption{Name: "anvil", AutoInit: true, DefaultBranch: "main"}))
	must(quin.CreateFork("pia", "anvil", gitea.CreateForkOption{}))

	file(quin, "quin", "anvil", "horn.txt", "a horn\nof iron\n", "main", "horn")
	file(quin, "quin", "anvil", "face.txt", "a face\n", "horn", "")
	pull := must(quin.CreatePullRequest("pia", "anvil", gitea.CreatePullRequestOption{
		Title: "WIP: Add a horn", Body: "It was missing.", Head: "quin:horn", Base: "main",
	}))
	expect("number", pull.Index, int64(1))
	expect("draft", pull.Draft, true)
	expect("head", pull.Head.Ref, "horn")
	expect("repository of the head", pull.Head.Repository.FullName, "quin/anvil")
	expect("base", pull.Base.Repository.FullName, "pia/anvil")
	_, response, err := quin.CreatePullRequest("pia", "anvil", gitea.CreatePullRequestOption{Title: "Again", Head: "quin:horn", Base: "main"})
	refused("a second one of the same branches", response, err, 409)
	_, response, err = quin.CreatePullRequest("pia", "anvil", gitea.CreatePullRequestOption{Title: "Nothing", Head: "quin:nothing", Base: "main"})
	refused("one from a branch that is not there", response, err, 404)
	edited := must(quin.EditPullRequest("pia", "anvil", 1, gitea.EditPullRequestOption{Title: "Add a horn", AllowMaintainerEdit: pointer(true)}))
	expect("title", edited.Title, "Add a horn")
	expect("draft no more", edited.Draft, false)
	expect("edits by maintainers", edited.AllowMaintainerEdit, true)
	closed := gitea.StateClosed
	expect("closed", must(quin.EditPullRequest("pia", "anvil", 1, gitea.EditPullRequestOption{State: &closed})).State, gitea.StateClosed)
	open := gitea.StateOpen
	expect("open again", must(quin.EditPullRequest("pia", "anvil", 1, gitea.EditPullRequestOption{State: &open})).State, gitea.StateOpen)
	done("pull requests are opened and edited")

	got := must(pia.GetPullRequest("pia", "anvil", 1))
	expect("can be merged", got.Mergeable, true)
	expect("files", *got.ChangedFiles, 2)
	expect("lines", *got.Additions, 3)
	expect("by its branches", must(pia.GetPullRequestByBaseHead("pia", "anvil", "main", "quin:horn")).Index, int64(1))
	listed := must(pia.ListRepoPullRequests("pia", "anvil", gitea.ListPullRequestsOptions{State: gitea.StateOpen, Sort: "oldest"}))
	expect("listed", len(listed), 1)
	expect("listed as closed", len(must(pia.ListRepoPullRequests("pia", "anvil", gitea.ListPullRequestsOptions{State: gitea.StateClosed}))), 0)
	files := must(pia.ListPullRequestFiles("pia", "anvil", 1, gitea.ListPullRequestFilesOptions{}))
	expect("changed files", len(files), 2)
	expect("a changed file", fmt.Sprintf("%s %s %d", files[1].Filename, files[1].Status, files[1].Additions), "horn.txt added 2")
	commits := must(pia.ListPullRequestCommits("pia", "anvil", 1, gitea.ListPullRequestCommitsOptions{}))
	expect("commits", len(commits), 2)
	expect("the latest commit", commits[0].SHA, got.Head.Sha)
	expect("its files", commits[0].Files[0].Filename, "face.txt")
	diff := string(must(pia.GetPullRequestDiff("pia", "anvil", 1, gitea.PullRequestDiffOptions{})))
	expect("files in the diff", strings.Count(diff, "diff --git "), 2)
	patch := string(must(pia.GetPullRequestPatch("pia", "anvil", 1)))
	expect("mails", strings.Contains(patch, "Subject: [PATCH 2/2] Write face.txt\n"), true)
	done("pull requests are read, with files, commits and patches")

	merged, _, err := pia.MergePullRequest("pia", "anvil", 1, gitea.MergePullRequestOption{Style: gitea.MergeStyleRebase})
	demand(err)
	expect("merged", merged, true)
	after := must(pia.GetPullRequest("pia", "anvil", 1))
	expect("of the commit", must(pia.GetCommitPullRequest("pia", "anvil", *after.MergedCommitID)).Index, int64(1))
	_, response, err = pia.GetCommitPullRequest("pia", "anvil", got.Base.Sha)
	refused("of another commit", response, err, 404)
	expect("files of a merged one", len(must(pia.ListPullRequestFiles("pia", "anvil", 1, gitea.ListPullRequestFilesOptions{}))), 2)
	expect("listed as closed", len(must(pia.ListRepoPullRequests("pia", "anvil", gitea.ListPullRequestsOptions{State: gitea.StateClosed}))), 1)
	expect("pinned ones", len(must(pia.ListRepoPinnedPullRequests("pia", "anvil"))), 0)
	done("merged ones are found by their commit")
}
