package main

import (
	"encoding/base64"

	"code.gitea.io/sdk/gitea"
)

func init() {
	parts["merges"] = (*program).merges
}

// merges walks through what the Go SDK does with a pull request that is to be merged.
func (p *program) merges() {
	must(p.admin.AdminCreateUser(gitea.CreateUserOption{
		Username: "mia", Email: "mia@example.com", Password: password, MustChangePassword: pointer(false),
	}))
	mia := p.as("mia", password)
	must(mia.CreateRepo(gitea.CreateRepoOption{Name: "weir", AutoInit: true, DefaultBranch: "main"}))
	open := func(branch string) *gitea.PullRequest {
		must(mia.CreateFile("mia", "weir", branch, gitea.CreateFileOptions{
			FileOptions: gitea.FileOptions{BranchName: "main", NewBranchName: branch},
			Content:     base64.StdEncoding.EncodeToString([]byte(branch)),
		}))
		return must(mia.CreatePullRequest("mia", "weir", gitea.CreatePullRequestOption{Head: branch, Base: "main", Title: branch}))
	}
	merge := func(pull *gitea.PullRequest, option gitea.MergePullRequestOption) bool {
		return must(mia.MergePullRequest("mia", "weir", pull.Index, option))
	}
	isMerged := func(pull *gitea.PullRequest) bool {
		return must(mia.IsPullRequestMerged("mia", "weir", pull.Index))
	}

	styles := []gitea.MergeStyle{gitea.MergeStyleMerge, gitea.MergeStyleRebase, gitea.MergeStyleRebaseMerge, gitea.MergeStyleSquash, gitea.MergeStyleFastForwardOnly}
	for _, style := range styles {
		pull := open(string(style))
		expect("a pull request before its merge", isMerged(pull), false)
		expect("a merge by "+string(style), merge(pull, gitea.MergePullRequestOption{
			Style: style, HeadCommitId: pull.Head.Sha, DeleteBranchAfterMerge: pointer(true),
		}), true)
		expect("a pull request after its merge", isMerged(pull), true)
		merged := must(mia.GetPullRequest("mia", "weir", pull.Index))
		expect("who merged it", merged.MergedBy.UserName, "mia")
		expect("its commit", *merged.MergedCommitID, must(mia.GetRepoBranch("mia", "weir", "main")).Commit.ID)
		expect("its second merge", merge(pull, gitea.MergePullRequestOption{Style: style}), false)
	}
	done("pull requests are merged in every style")

	pull := open("moved")
	expect("a stale head", merge(pull, gitea.MergePullRequestOption{
		Style: gitea.MergeStyleMerge, HeadCommitId: must(mia.GetRepoBranch("mia", "weir", "main")).Commit.ID,
	}), false)
	expect("a merge that waits", merge(pull, gitea.MergePullRequestOption{Style: gitea.MergeStyleMerge, MergeWhenChecksSucceed: true}), true)
	expect("a pull request that waits", isMerged(pull), false)
	mustDo(mia.CancelScheduledAutoMerge("mia", "weir", pull.Index))
	response, err := mia.CancelScheduledAutoMerge("mia", "weir", pull.Index)
	refused("a merge that does not wait", response, err, 404)
	must(mia.CreateStatus("mia", "weir", pull.Head.Sha, gitea.CreateStatusOption{State: gitea.StatusSuccess, Context: "build"}))
	expect("a merge whose checks have succeeded", merge(pull, gitea.MergePullRequestOption{Style: gitea.MergeStyleMerge, MergeWhenChecksSucceed: true}), true)
	expect("a pull request whose checks have succeeded", isMerged(pull), true)
	done("merges wait for checks, and are cancelled")

	behind, ahead := open("behind"), open("ahead")
	expect("a merge before an update", merge(ahead, gitea.MergePullRequestOption{Style: gitea.MergeStyleMerge}), true)
	mustDo(mia.UpdatePullRequest("mia", "weir", behind.Index))
	must(mia.GetContents("mia", "weir", "behind", "ahead"))
	done("a pull request is updated")
}
