package main

import (
	"fmt"
	"strings"

	"code.gitea.io/sdk/gitea"
)

func init() {
	parts["statuses"] = (*program).statuses
}

func describe(statuses []*gitea.Status) string {
	all := make([]string, 0, len(statuses))
	for _, status := range statuses {
		all = append(all, fmt.Sprintf("%s %s", status.Context, status.State))
	}
	return strings.Join(all, ", ")
}

func (p *program) statuses() {
	owner := must(p.admin.GetMyUserInfo()).UserName
	must(p.admin.CreateRepo(gitea.CreateRepoOption{Name: "built", AutoInit: true, DefaultBranch: "main"}))
	must(p.admin.CreateBranch(owner, "built", gitea.CreateBranchOption{BranchName: "feature/slow"}))
	sha := must(p.admin.GetRepoBranch(owner, "built", "main")).Commit.ID

	none := must(p.admin.GetCombinedStatus(owner, "built", "main"))
	expect("state without statuses", none.State, gitea.StatusPending)
	expect("count without statuses", none.TotalCount, 0)

	created := must(p.admin.CreateStatus(owner, "built", sha, gitea.CreateStatusOption{State: gitea.StatusPending, Context: "ci/build", Description: "Building", TargetURL: "https://ci.example.org/1"}))
	expect("state", created.State, gitea.StatusPending)
	expect("context", created.Context, "ci/build")
	expect("description", created.Description, "Building")
	expect("target", created.TargetURL, "https://ci.example.org/1")
	expect("creator", created.Creator.UserName, owner)
	expect("is dated", created.Created.IsZero(), false)
	again := must(p.admin.CreateStatus(owner, "built", "feature/slow", gitea.CreateStatusOption{State: gitea.StatusSuccess, Context: "ci/build"}))
	expect("is another", again.ID != created.ID, true)
	expect("default context", must(p.admin.CreateStatus(owner, "built", sha[:10], gitea.CreateStatusOption{State: gitea.StatusWarning})).Context, "default")
	_, response, err := p.admin.CreateStatus(owner, "built", strings.Repeat("0", 40), gitea.CreateStatusOption{State: gitea.StatusSuccess})
	refused("a commit that is not there", response, err, 404)
	_, response, err = p.admin.CreateStatus(owner, "built", sha, gitea.CreateStatusOption{State: "green"})
	refused("a state that is none", response, err, 422)
	done("statuses are created")

	for _, ref := range []string{"main", "feature/slow", sha} {
		expect("list by "+ref, describe(must(p.admin.ListStatuses(owner, "built", ref, gitea.ListStatusesOption{}))), "default warning, ci/build success, ci/build pending")
		combined := must(p.admin.GetCombinedStatus(owner, "built", ref))
		expect("combined by "+ref, combined.State, gitea.StatusWarning)
		expect("contexts", combined.TotalCount, 2)
		expect("latest", describe(combined.Statuses), "default warning, ci/build success")
		expect("commit", combined.SHA, sha)
		expect("repository", combined.Repository.FullName, owner+"/built")
	}
	second, answer, err := p.admin.ListStatuses(owner, "built", "main", gitea.ListStatusesOption{ListOptions: gitea.ListOptions{Page: 2, PageSize: 2}})
	demand(err)
	expect("a page", describe(second), "ci/build pending")
	expect("total", answer.Header.Get("X-Total-Count"), "3")
	done("statuses are listed and combined")

	_, response, err = p.admin.GetSigningKeyGPG()
	refused("a key that this server does not have", response, err, 404)
	key := must(p.admin.GetSigningKeySSH())
	expect("key", strings.HasPrefix(key, "ssh-ed25519 "), true)
	expect("key of the repository", must(p.admin.GetRepoSigningKeySSH(owner, "built")), key)
	commit := must(p.admin.GetSingleCommit(owner, "built", sha))
	expect("verified", commit.RepoCommit.Verification.Verified, true)
	done("the server's key verifies its commits")
}
