package main

import (
	"encoding/base64"

	"code.gitea.io/sdk/gitea"
)

func init() {
	parts["life"] = (*program).life
}

// life walks through what happens to a repository as a whole: templates, owners, names.
func (p *program) life() {
	for _, name := range []string{"ann", "ben"} {
		must(p.admin.AdminCreateUser(gitea.CreateUserOption{
			Username: name, Email: name + "@example.com", Password: password, MustChangePassword: pointer(false),
		}))
	}
	ann, ben := p.as("ann", password), p.as("ben", password)
	must(ann.CreateRepo(gitea.CreateRepoOption{Name: "bones", Template: true, AutoInit: true, DefaultBranch: "main"}))
	for path, text := range map[string]string{".gitea/template": "**.md\n", "docs/${REPO_NAME}.md": "By $REPO_OWNER"} {
		must(ann.CreateFile("ann", "bones", path, gitea.CreateFileOptions{Content: base64.StdEncoding.EncodeToString([]byte(text))}))
	}
	mustDo(ann.SetRepoTopics("ann", "bones", []string{"white"}))
	flesh := must(ben.CreateRepoFromTemplate("ann", "bones", gitea.CreateRepoFromTemplateOption{
		Owner: "ben", Name: "flesh", Description: "grown", GitContent: true, Topics: true,
	}))
	expect("name", flesh.FullName, "ben/flesh")
	content, _, err := ben.GetFile("ben", "flesh", "main", "docs/flesh.md")
	demand(err)
	expect("an expanded file", string(content), "By ben")
	topics := must(ben.ListRepoTopics("ben", "flesh", gitea.ListRepoTopicsOptions{}))
	expect("topics", len(topics) == 1 && topics[0] == "white", true)
	_, response, err := ben.CreateRepoFromTemplate("ann", "bones", gitea.CreateRepoFromTemplateOption{Owner: "ben", Name: "flesh", GitContent: true})
	refused("a name that is taken", response, err, 409)
	_, response, err = ben.CreateRepoFromTemplate("ann", "bones", gitea.CreateRepoFromTemplateOption{Owner: "ben", Name: "none"})
	refused("nothing of a template", response, err, 422)
	done("repositories are made from templates")

	offered, response, err := ben.TransferRepo("ben", "flesh", gitea.TransferRepoOption{NewOwner: "ann"})
	demand(err)
	expect("status of an offer", response.StatusCode, 201)
	expect("owner until it is accepted", offered.Owner.UserName, "ben")
	kept := must(ann.RejectRepoTransfer("ben", "flesh"))
	expect("owner of what was refused", kept.Owner.UserName, "ben")
	_, response, err = ann.AcceptRepoTransfer("ben", "flesh")
	refused("an offer that is gone", response, err, 404)
	must(ben.TransferRepo("ben", "flesh", gitea.TransferRepoOption{NewOwner: "ann"}))
	_, response, err = ben.AcceptRepoTransfer("ben", "flesh")
	refused("the offer of somebody else", response, err, 403)
	accepted, response, err := ann.AcceptRepoTransfer("ben", "flesh")
	demand(err)
	expect("status of a transfer", response.StatusCode, 202)
	expect("new owner", accepted.FullName, "ann/flesh")
	done("repositories are offered, refused and accepted")

	must(ann.CreateOrg(gitea.CreateOrgOption{Name: "guild"}))
	team := must(ann.CreateTeam("guild", gitea.CreateTeamOption{Name: "devs", Permission: gitea.AccessModeWrite, Units: []gitea.RepoUnitType{gitea.RepoUnitCode}}))
	moved := must(ann.TransferRepo("ann", "flesh", gitea.TransferRepoOption{NewOwner: "guild", TeamIDs: &[]int64{team.ID}}))
	expect("organization", moved.FullName, "guild/flesh")
	expect("team", must(ann.CheckRepoTeam("guild", "flesh", "devs")).ID, team.ID)
	done("repositories go to organizations with their teams")

	must(ann.EditRepo("guild", "flesh", gitea.EditRepoOption{Name: pointer("body")}))
	for _, former := range [][2]string{{"ben", "flesh"}, {"ann", "flesh"}, {"guild", "flesh"}} {
		expect("where an old address leads", must(ann.GetRepo(former[0], former[1])).FullName, "guild/body")
	}
	expect("by its id", must(ann.GetRepoByID(flesh.ID)).FullName, "guild/body")
	must(ann.EditRepo("guild", "body", gitea.EditRepoOption{HasReleases: pointer(false), HasWiki: pointer(false)}))
	_, response, err = ann.ListReleases("guild", "body", gitea.ListReleasesOptions{})
	refused("releases that are switched off", response, err, 404)
	must(ann.EditRepo("guild", "body", gitea.EditRepoOption{Archived: pointer(true)}))
	_, response, err = ann.CreateFile("guild", "body", "x", gitea.CreateFileOptions{Content: "eA=="})
	refused("a file in the archive", response, err, 423)
	mustDo(ann.DeleteRepo("guild", "body"))
	_, response, err = ann.GetRepo("ben", "flesh")
	refused("where the address of a deleted repository leads", response, err, 404)
	done("old addresses lead to repositories as long as they are there")
}
