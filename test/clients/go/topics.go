package main

import (
	"strings"
	"time"

	"code.gitea.io/sdk/gitea"
)

func init() {
	parts["topics"] = (*program).topics
}

func (p *program) topics() {
	owner := must(p.admin.GetMyUserInfo()).UserName
	must(p.admin.CreateRepo(gitea.CreateRepoOption{Name: "tools", AutoInit: true}))
	topics := func() string {
		return strings.Join(must(p.admin.ListRepoTopics(owner, "tools", gitea.ListRepoTopicsOptions{})), " ")
	}
	mustDo(p.admin.SetRepoTopics(owner, "tools", []string{"Forge", "git"}))
	mustDo(p.admin.AddRepoTopic(owner, "tools", "sdk"))
	mustDo(p.admin.DeleteRepoTopic(owner, "tools", "git"))
	expect("topics", topics(), "forge sdk")
	response, err := p.admin.AddRepoTopic(owner, "tools", "-x")
	refused("a topic of another form", response, err, 422)
	response, err = p.admin.DeleteRepoTopic(owner, "tools", "git")
	refused("a topic that is not there", response, err, 404)
	found := must(p.admin.SearchTopics(gitea.TopicSearchOptions{Query: "org"}))
	expect("topics found", len(found.Topics), 1)
	expect("topic found", found.Topics[0].Name, "forge")
	expect("repositories of the topic", found.Topics[0].RepoCount, 1)
	done("topics are given, taken and found")

	text := "package main\n"
	must(p.admin.CreateFile(owner, "tools", "main.go", gitea.CreateFileOptions{Content: encoded(text)}))
	languages := func() int64 { return must(p.admin.GetRepoLanguages(owner, "tools"))["Go"] }
	for end := time.Now().Add(20 * time.Second); languages() == 0 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	expect("bytes of Go", languages(), int64(len(text)))
	expect("language", must(p.admin.GetRepo(owner, "tools")).Language, "Go")
	done("languages are counted")

	picture := "R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs="
	mustDo(p.admin.UpdateRepoAvatar(owner, "tools", gitea.UpdateRepoAvatarOption{Image: picture}))
	expect("picture", strings.HasSuffix(must(p.admin.GetRepo(owner, "tools")).AvatarURL, "/repos/"+owner+"/tools/avatar"), true)
	mustDo(p.admin.DeleteRepoAvatar(owner, "tools"))
	expect("no picture", must(p.admin.GetRepo(owner, "tools")).AvatarURL, "")
	response, err = p.admin.UpdateRepoAvatar(owner, "tools", gitea.UpdateRepoAvatarOption{Image: "!"})
	if err == nil || response.StatusCode != 400 {
		refused("no picture", response, err, 400)
	}
	done("pictures are set and removed")

	expect("assignees", names(must(p.admin.GetAssignees(owner, "tools"))), owner)
	expect("reviewers", names(must(p.admin.GetReviewers(owner, "tools"))), owner)
	must(p.admin.CreateRepo(gitea.CreateRepoOption{Name: "my-tools"}))
	repos := must(p.admin.SearchRepos(gitea.SearchRepoOptions{Keyword: "tools"}))
	expect("repositories found", repos[0].Name+" "+repos[1].Name, "tools my-tools")
	done("people and repositories are found")
}
