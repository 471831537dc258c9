package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"code.gitea.io/sdk/gitea"
)

func init() {
	parts["hooks"] = (*program).hooks
}

// hooks walks through what the Go SDK does with webhooks.
func (p *program) hooks() {
	owner := must(p.admin.GetMyUserInfo()).UserName
	must(p.admin.CreateRepo(gitea.CreateRepoOption{Name: "bellows", AutoInit: true, DefaultBranch: "main"}))
	option := gitea.CreateHookOption{
		Type:         gitea.HookTypeGitea,
		Config:       map[string]string{"url": "https://hooks.example.com/", "content_type": "json", "secret": "hush"},
		Events:       []string{"push", "release"},
		BranchFilter: "main",
		Active:       true,
	}

	made := must(p.admin.CreateRepoHook(owner, "bellows", option))
	expect("events", strings.Join(made.Events, " "), "push release")
	expect("address", made.Config["url"], "https://hooks.example.com/")
	expect("secret", made.Config["secret"], "")
	mustDo(p.admin.EditRepoHook(owner, "bellows", made.ID, gitea.EditHookOption{Active: pointer(false), BranchFilter: "main"}))
	edited := must(p.admin.GetRepoHook(owner, "bellows", made.ID))
	expect("active", edited.Active, false)
	expect("events that stay", strings.Join(edited.Events, " "), "push release")
	expect("hooks", len(must(p.admin.ListRepoHooks(owner, "bellows", gitea.ListHooksOptions{}))), 1)
	mustDo(p.admin.DeleteRepoHook(owner, "bellows", made.ID))
	_, response, err := p.admin.GetRepoHook(owner, "bellows", made.ID)
	refused("a hook that is gone", response, err, 404)
	private := option
	private.Config = map[string]string{"url": "http://10.0.0.1/", "content_type": "json"}
	_, response, err = p.admin.CreateRepoHook(owner, "bellows", private)
	refused("a private address", response, err, 422)
	done("webhooks of a repository are made, changed and deleted")

	must(p.admin.CreateOrg(gitea.CreateOrgOption{Name: "smithy"}))
	ofOrg := must(p.admin.CreateOrgHook("smithy", option))
	mustDo(p.admin.EditOrgHook("smithy", ofOrg.ID, gitea.EditHookOption{Active: pointer(false)}))
	expect("hook of the organization", must(p.admin.GetOrgHook("smithy", ofOrg.ID)).Active, false)
	expect("hooks of the organization", len(must(p.admin.ListOrgHooks("smithy", gitea.ListHooksOptions{}))), 1)
	mustDo(p.admin.DeleteOrgHook("smithy", ofOrg.ID))
	mine := must(p.admin.CreateMyHook(option))
	mustDo(p.admin.EditMyHook(mine.ID, gitea.EditHookOption{Events: []string{"wiki"}}))
	expect("hook of oneself", strings.Join(must(p.admin.GetMyHook(mine.ID)).Events, " "), "wiki")
	expect("hooks of oneself", len(must(p.admin.ListMyHooks(gitea.ListHooksOptions{}))), 1)
	mustDo(p.admin.DeleteMyHook(mine.ID))
	ofServer := must(p.admin.CreateAdminHook(option))
	expect("hook of the server", must(p.admin.EditAdminHook(ofServer.ID, gitea.EditHookOption{Active: pointer(false)})).Active, false)
	expect("hooks of the server", len(must(p.admin.ListAdminHooks(gitea.ListAdminHooksOptions{}))), 1)
	expect("one of them", must(p.admin.GetAdminHook(ofServer.ID)).ID, ofServer.ID)
	mustDo(p.admin.DeleteAdminHook(ofServer.ID))
	done("webhooks of an organization, of oneself and of the server")

	verified := make(chan bool, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		payload, _ := io.ReadAll(r.Body)
		is, err := gitea.VerifyWebhookSignature("hush", r.Header.Get("X-Gitea-Signature"), payload)
		verified <- is && err == nil && strings.Contains(string(payload), `"ref":"refs/heads/main"`)
	}))
	defer receiver.Close()
	option.Config = map[string]string{"url": receiver.URL, "content_type": "json", "secret": "hush"}
	must(p.admin.CreateRepoHook(owner, "bellows", option))
	must(p.admin.CreateFile(owner, "bellows", "main.go", gitea.CreateFileOptions{Content: encoded("package main\n")}))
	expect("verified", <-verified, true)
	done("a delivery has a signature that the SDK verifies")

	_, response, err = p.admin.ListRepoGitHooks(owner, "bellows", gitea.ListRepoGitHooksOptions{})
	refused("scripts", response, err, 403)
	done("there are no scripts")
}
