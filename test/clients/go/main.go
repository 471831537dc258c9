// Command sdk walks through users, administration, organizations, teams, tokens, keys and addresses with the Go SDK of
// the family, as programs written with it do. It prints one line for each thing that went as it should, and stops at the first
// that did not.
//
//	sdk URL ADMINISTRATOR PASSWORD SSH-KEY...
//	sdk URL ADMINISTRATOR PASSWORD PART
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"code.gitea.io/sdk/gitea"
)

func demand(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func done(what string) {
	fmt.Println(what)
}

// expect stops unless got is what was wanted.
func expect[T comparable](what string, got, wanted T) {
	if got != wanted {
		demand(fmt.Errorf("%s: got %v, not %v", what, got, wanted))
	}
}

// refused stops unless the server answered with this status.
func refused(what string, response *gitea.Response, err error, status int) {
	if err == nil || response == nil || response.StatusCode != status {
		demand(fmt.Errorf("%s: got %v and %v, not the status %d", what, response, err, status))
	}
}

func must[T any](value T, _ *gitea.Response, err error) T {
	demand(err)
	return value
}

func mustDo(_ *gitea.Response, err error) {
	demand(err)
}

func names(users []*gitea.User) string {
	all := make([]string, 0, len(users))
	for _, user := range users {
		all = append(all, user.UserName)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func pointer[T any](value T) *T {
	return &value
}

type program struct {
	url   string
	admin *gitea.Client
	keys  []string
}

func (p *program) as(name, password string) *gitea.Client {
	client, err := gitea.NewClient(p.url, gitea.SetBasicAuth(name, password))
	demand(err)
	return client
}

func (p *program) withToken(token string) *gitea.Client {
	client, err := gitea.NewClient(p.url, gitea.SetToken(token))
	demand(err)
	return client
}

const password = "a long enough password"

func (p *program) users() {
	for _, name := range []string{"ann", "ben", "cleo"} {
		user := must(p.admin.AdminCreateUser(gitea.CreateUserOption{
			Username: name, Email: name + "@example.com", FullName: "The " + name, Password: password, MustChangePassword: pointer(false),
		}))
		expect("name of a new user", user.UserName, name)
	}
	_, response, err := p.admin.AdminCreateUser(gitea.CreateUserOption{Username: "ann", Email: "other@example.com", Password: password})
	refused("a name that is taken", response, err, 422)
	_, response, err = p.as("ann", password).AdminCreateUser(gitea.CreateUserOption{Username: "dan", Email: "dan@example.com", Password: password})
	refused("a user made by somebody who is no administrator", response, err, 403)
	done("users are created")

	ann := p.as("ann", password)
	me := must(ann.GetMyUserInfo())
	expect("full name", me.FullName, "The ann")
	expect("address", me.Email, "ann@example.com")
	settings := must(ann.UpdateUserSettings(gitea.UserSettingsOptions{Location: pointer("Here"), HideEmail: pointer(true)}))
	expect("location", settings.Location, "Here")
	expect("hidden address", must(p.as("ben", password).GetUserInfo("ann")).Email != "ann@example.com", true)
	expect("search", names(must(ann.SearchUsers(gitea.SearchUsersOption{KeyWord: "cle"}))), "cleo")
	mustDo(ann.Follow("ben"))
	followed, _ := ann.IsFollowing("ben")
	expect("following", followed, true)
	expect("followers", names(must(ann.ListFollowers("ben", gitea.ListFollowersOptions{}))), "ann")
	mustDo(ann.Unfollow("ben"))
	done("users look after themselves")

	cleo := p.as("cleo", password)
	mustDo(p.admin.AdminEditUser("cleo", gitea.EditUserOption{LoginName: "cleo", ProhibitLogin: pointer(true)}))
	_, response, err = cleo.GetMyUserInfo()
	refused("a suspended user", response, err, 401)
	mustDo(p.admin.AdminEditUser("cleo", gitea.EditUserOption{LoginName: "cleo", ProhibitLogin: pointer(false), Admin: pointer(true)}))
	expect("administrator", must(cleo.GetMyUserInfo()).IsAdmin, true)
	mustDo(p.admin.AdminRenameUser("cleo", gitea.RenameUserOption{NewUsername: "clara"}))
	expect("new name", must(p.admin.GetUserInfo("clara")).UserName, "clara")
	expect("users", len(must(p.admin.AdminListUsers(gitea.AdminListUsersOptions{}))), 4)
	mustDo(p.admin.AdminDeleteUser("clara"))
	_, response, err = p.admin.GetUserInfo("clara")
	refused("a deleted user", response, err, 404)
	done("administrators suspend, promote, rename and delete users")
}

func (p *program) credentials() {
	ann := p.as("ann", password)
	token := must(ann.CreateAccessToken(gitea.CreateAccessTokenOption{Name: "ci", Scopes: []gitea.AccessTokenScope{"read:user", "read:misc"}}))
	withToken := p.withToken(token.Token)
	expect("whose token", must(withToken.GetMyUserInfo()).UserName, "ann")
	_, response, err := withToken.CreateOrg(gitea.CreateOrgOption{Name: "no"})
	refused("what the token has no scope for", response, err, 403)
	_, response, err = ann.CreateAccessToken(gitea.CreateAccessTokenOption{Name: "ci", Scopes: []gitea.AccessTokenScope{"all"}})
	refused("a name of a token that is taken", response, err, 400)
	expect("tokens", len(must(ann.ListAccessTokens(gitea.ListAccessTokensOptions{}))), 1)
	mustDo(ann.DeleteAccessToken("ci"))
	_, response, err = withToken.GetMyUserInfo()
	refused("a deleted token", response, err, 401)
	done("tokens")

	key := must(ann.CreatePublicKey(gitea.CreateKeyOption{Title: "laptop", Key: p.keys[0]}))
	_, response, err = p.as("ben", password).CreatePublicKey(gitea.CreateKeyOption{Title: "mine", Key: p.keys[0]})
	refused("a key of somebody else", response, err, 422)
	expect("keys", len(must(ann.ListMyPublicKeys(gitea.ListPublicKeysOptions{}))), 1)
	expect("fingerprint", must(ann.GetPublicKey(key.ID)).Fingerprint, key.Fingerprint)
	mustDo(ann.DeletePublicKey(key.ID))
	other := must(p.admin.AdminCreateUserPublicKey("ann", gitea.CreateKeyOption{Title: "server", Key: p.keys[1]}))
	mustDo(p.admin.AdminDeleteUserPublicKey("ann", int(other.ID)))
	expect("keys that are left", len(must(ann.ListPublicKeys("ann", gitea.ListPublicKeysOptions{}))), 0)
	done("keys")

	added := must(ann.AddEmail(gitea.CreateEmailOption{Emails: []string{"ann@example.net", "ann@example.org"}}))
	expect("addresses", len(added) >= 2, true)
	_, response, err = ann.AddEmail(gitea.CreateEmailOption{Emails: []string{"no address"}})
	refused("what is no address", response, err, 422)
	mustDo(ann.DeleteEmail(gitea.DeleteEmailOption{Emails: []string{"ann@example.org"}}))
	expect("addresses that are left", len(must(ann.ListEmails(gitea.ListEmailsOptions{}))), 2)
	expect("addresses that administrators find", len(must(p.admin.SearchAdminEmails(gitea.SearchAdminEmailsOptions{Query: "example.net"}))), 1)
	done("addresses")

	application := must(ann.CreateOauth2(gitea.CreateOauth2Option{Name: "app", ConfidentialClient: true, RedirectURIs: []string{"https://app.example/callback"}}))
	expect("an application's secret", application.ClientSecret != "", true)
	expect("applications", len(must(ann.ListOauth2(gitea.ListOauth2Option{}))), 1)
	mustDo(ann.DeleteOauth2(application.ID))
	done("applications")
}

func (p *program) organizations() {
	ann, ben := p.as("ann", password), p.as("ben", password)
	org := must(ann.CreateOrg(gitea.CreateOrgOption{Name: "forge", FullName: "The forge", Visibility: gitea.VisibleTypePrivate}))
	expect("visibility", org.Visibility, "private")
	_, response, err := ben.GetOrg("forge")
	refused("a private organization", response, err, 404)
	mustDo(ann.EditOrg("forge", gitea.EditOrgOption{FullName: "A forge", Visibility: gitea.VisibleTypePublic}))
	expect("full name", must(ben.GetOrg("forge")).FullName, "A forge")
	_, response, err = ann.CreateOrg(gitea.CreateOrgOption{Name: "Forge"})
	refused("a name that is taken in another case", response, err, 422)
	made := must(p.admin.AdminCreateOrg("ben", gitea.CreateOrgOption{Name: "guild"}))
	expect("an organization made by an administrator", made.UserName, "guild")
	expect("one's own", len(must(ben.ListMyOrgs(gitea.ListOrgsOptions{}))), 1)
	expect("all", len(must(p.admin.AdminListOrgs(gitea.AdminListOrgsOptions{}))), 2)
	done("organizations are created, changed and listed")

	must(ann.CreateOrgRepo("forge", gitea.CreateRepoOption{Name: "secret", Private: true, AutoInit: true}))
	team := must(ann.CreateTeam("forge", gitea.CreateTeamOption{
		Name: "readers", Permission: gitea.AccessModeRead, Units: []gitea.RepoUnitType{gitea.RepoUnitCode, gitea.RepoUnitIssues},
	}))
	if team.Organization == nil {
		demand(fmt.Errorf("a new team tells no organization"))
	}
	expect("the team's organization", team.Organization.UserName, "forge")
	_, response, err = ben.GetRepo("forge", "secret")
	refused("a repository before one is in a team", response, err, 404)
	mustDo(ann.AddTeamMember(team.ID, "ben"))
	mustDo(ann.AddTeamRepository(team.ID, "forge", "secret"))
	repository := must(ben.GetRepo("forge", "secret"))
	expect("reading", repository.Permissions.Pull, true)
	expect("writing", repository.Permissions.Push, false)
	mustDo(ann.EditTeam(team.ID, gitea.EditTeamOption{Name: "writers", Permission: gitea.AccessModeWrite, Units: []gitea.RepoUnitType{gitea.RepoUnitCode}}))
	expect("writing later", must(ben.GetRepo("forge", "secret")).Permissions.Push, true)
	expect("the team's members", names(must(ann.ListTeamMembers(team.ID, gitea.ListTeamMembersOptions{}))), "ben")
	expect("the team's repositories", len(must(ann.ListTeamRepositories(team.ID, gitea.ListTeamRepositoriesOptions{}))), 1)
	expect("teams", len(must(ann.ListOrgTeams("forge", gitea.ListTeamsOptions{}))), 2)
	found := must(ann.SearchOrgTeams("forge", &gitea.SearchTeamsOptions{Query: "writ"}))
	expect("teams that are found", len(found), 1)
	mustDo(ann.RemoveTeamRepository(team.ID, "forge", "secret"))
	_, response, err = ben.GetRepo("forge", "secret")
	refused("a repository that the team has no more", response, err, 404)
	expect("it is still there", must(ann.GetRepo("forge", "secret")).Name, "secret")
	done("teams give access and take it away")

	expect("members", names(must(ann.ListOrgMembership("forge", gitea.ListOrgMembershipOption{}))), "ann ben")
	expect("members who say so", names(must(ann.ListPublicOrgMembership("forge", gitea.ListOrgMembershipOption{}))), "")
	mustDo(ben.SetPublicOrgMembership("forge", "ben", true))
	public, _, err := ann.CheckPublicOrgMembership("forge", "ben")
	demand(err)
	expect("a public member", public, true)
	permissions := must(ben.GetOrgPermissions("forge", "ben"))
	expect("an owner", permissions.IsOwner, false)
	mustDo(ann.DeleteOrgMembership("forge", "ben"))
	member, _, err := ann.CheckOrgMembership("forge", "ben")
	demand(err)
	expect("a member", member, false)
	response, err = ann.DeleteOrgMembership("forge", "ann")
	if err == nil {
		demand(fmt.Errorf("the last owner left: %d", response.StatusCode))
	}
	mustDo(ann.DeleteTeam(team.ID))
	done("members come and go, and the last owner stays")

	mustDo(ann.RenameOrg("forge", gitea.RenameOrgOption{NewName: "smithy"}))
	expect("new name", must(ann.GetOrg("smithy")).UserName, "smithy")
	_, err = ann.DeleteOrg("smithy")
	expect("an organization with repositories is kept", err != nil, true)
	mustDo(ann.DeleteRepo("smithy", "secret"))
	mustDo(ann.DeleteOrg("smithy"))
	_, response, err = ann.GetOrg("smithy")
	refused("a deleted organization", response, err, 404)
	done("organizations are renamed and deleted")
}

// parts are walks of their own, each in a file that adds itself.
var parts = map[string]func(*program){}

func main() {
	url, name, secret := os.Args[1], os.Args[2], os.Args[3]
	p := &program{url: url, keys: os.Args[4:]}
	p.admin = p.as(name, secret)
	if walk, is := parts[os.Args[4]]; is {
		walk(p)
		return
	}
	version, _, err := p.admin.ServerVersion()
	demand(err)
	done("version " + strings.Split(version, "+")[0])
	p.users()
	p.credentials()
	p.organizations()
}
