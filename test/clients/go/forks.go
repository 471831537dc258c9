package main

import (
	"encoding/base64"

	"code.gitea.io/sdk/gitea"
)

func init() {
	parts["forks"] = (*program).forks
}

// forks walks through forks: made, listed, brought up to date.
func (p *program) forks() {
	for _, name := range []string{"fay", "gus"} {
		must(p.admin.AdminCreateUser(gitea.CreateUserOption{
			Username: name, Email: name + "@example.com", Password: password, MustChangePassword: pointer(false),
		}))
	}
	fay, gus := p.as("fay", password), p.as("gus", password)
	write := func(client *gitea.Client, owner, repository, path, text string) {
		must(client.CreateFile(owner, repository, path, gitea.CreateFileOptions{Content: base64.StdEncoding.EncodeToString([]byte(text))}))
	}
	must(fay.CreateRepo(gitea.CreateRepoOption{Name: "river", AutoInit: true, DefaultBranch: "main"}))
	fork := must(gus.CreateFork("fay", "river", gitea.CreateForkOption{Name: pointer("stream")}))
	expect("a fork", fork.FullName, "gus/stream")
	expect("that it is one", fork.Fork, true)
	expect("its parent", fork.Parent.FullName, "fay/river")
	_, response, err := gus.CreateFork("fay", "river", gitea.CreateForkOption{Name: pointer("brook")})
	refused("a second fork", response, err, 409)
	must(gus.CreateOrg(gitea.CreateOrgOption{Name: "delta"}))
	must(gus.CreateFork("fay", "river", gitea.CreateForkOption{Organization: pointer("delta")}))
	_, response, err = fay.CreateFork("gus", "stream", gitea.CreateForkOption{Organization: pointer("delta")})
	refused("a fork into the organization of others", response, err, 403)
	forks, response, err := fay.ListForks("fay", "river", gitea.ListForksOptions{})
	demand(err)
	expect("number of forks", len(forks), 2)
	expect("number of forks in the header", response.Header.Get("X-Total-Count"), "2")
	expect("number of forks in the repository", must(fay.GetRepo("fay", "river")).Forks, 2)
	found := must(fay.SearchRepos(gitea.SearchRepoOptions{Type: gitea.RepoTypeFork}))
	expect("forks in a search", len(found), 2)
	done("repositories are forked, and forks are listed")

	write(fay, "fay", "river", "source", "spring")
	merged := must(gus.MergeUpstream("gus", "stream", gitea.MergeUpstreamRequest{Branch: "main"}))
	expect("how it was brought up to date", merged.MergeStyle, "fast-forward")
	write(gus, "gus", "stream", "mouth", "sea")
	write(fay, "fay", "river", "bank", "left")
	_, response, err = gus.MergeUpstream("gus", "stream", gitea.MergeUpstreamRequest{Branch: "main", FfOnly: true})
	refused("a merge that is no fast-forward", response, err, 409)
	expect("how both are merged", must(gus.MergeUpstream("gus", "stream", gitea.MergeUpstreamRequest{Branch: "main"})).MergeStyle, "merge")
	expect("nothing to do", must(gus.MergeUpstream("gus", "stream", gitea.MergeUpstreamRequest{Branch: "main"})).MergeStyle, "up-to-date")
	for path, text := range map[string]string{"source": "spring", "mouth": "sea", "bank": "left"} {
		content, _, err := gus.GetFile("gus", "stream", "main", path)
		demand(err)
		expect("a file of the merge", string(content), text)
	}
	_, response, err = fay.MergeUpstream("fay", "river", gitea.MergeUpstreamRequest{Branch: "main"})
	refused("a repository without a parent", response, err, 400)
	done("forks are brought up to date")

	must(fay.EditRepo("fay", "river", gitea.EditRepoOption{Private: pointer(true)}))
	expect("a fork of what became private", must(gus.GetRepo("gus", "stream")).Private, true)
	mustDo(fay.DeleteRepo("fay", "river"))
	expect("a fork without a parent", must(gus.GetRepo("gus", "stream")).Fork, false)
	done("forks follow their parent, and outlive it")
}
