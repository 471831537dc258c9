package main

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"code.gitea.io/sdk/gitea"
)

func init() {
	parts["releases"] = (*program).releases
}

func tagsOf(releases []*gitea.Release) string {
	all := make([]string, 0, len(releases))
	for _, release := range releases {
		all = append(all, release.TagName)
	}
	return strings.Join(all, " ")
}

func (p *program) releases() {
	owner := must(p.admin.GetMyUserInfo()).UserName
	must(p.admin.CreateRepo(gitea.CreateRepoOption{Name: "released", AutoInit: true}))

	first := must(p.admin.CreateRelease(owner, "released", gitea.CreateReleaseOption{TagName: "v1", Title: "First", Note: "It begins"}))
	expect("title", first.Title, "First")
	expect("publisher", first.Publisher.UserName, owner)
	expect("tag", must(p.admin.GetTag(owner, "released", "v1")).Name, "v1")
	_, response, err := p.admin.CreateRelease(owner, "released", gitea.CreateReleaseOption{TagName: "v1", Title: "Again"})
	refused("a second release of a tag", response, err, 409)
	draft := must(p.admin.CreateRelease(owner, "released", gitea.CreateReleaseOption{TagName: "dir/v2", Target: "main", Title: "Second", IsDraft: true, IsPrerelease: true}))
	_, response, err = p.admin.GetTag(owner, "released", "dir/v2")
	refused("the tag of a draft", response, err, 404)
	done("releases are created")

	expect("releases", tagsOf(must(p.admin.ListReleases(owner, "released", gitea.ListReleasesOptions{}))), "dir/v2 v1")
	expect("drafts", tagsOf(must(p.admin.ListReleases(owner, "released", gitea.ListReleasesOptions{IsDraft: pointer(true)}))), "dir/v2")
	expect("no prereleases", tagsOf(must(p.admin.ListReleases(owner, "released", gitea.ListReleasesOptions{IsPreRelease: pointer(false)}))), "v1")
	expect("the latest", must(p.admin.GetLatestRelease(owner, "released")).ID, first.ID)
	expect("one of them", must(p.admin.GetRelease(owner, "released", draft.ID)).IsDraft, true)
	expect("by tag", must(p.admin.GetReleaseByTag(owner, "released", "v1")).Note, "It begins")
	done("releases are listed and found")

	published := must(p.admin.EditRelease(owner, "released", draft.ID, gitea.EditReleaseOption{IsDraft: pointer(false), IsPrerelease: pointer(false)}))
	expect("published", published.IsDraft || published.IsPrerelease, false)
	expect("what was not said", published.Title, "Second")
	expect("the latest now", must(p.admin.GetLatestRelease(owner, "released")).TagName, "dir/v2")
	must(p.admin.GetTag(owner, "released", "dir/v2"))
	done("a draft is published")

	content := bytes.Repeat([]byte("content "), 100_000)
	asset := must(p.admin.CreateReleaseAttachment(owner, "released", first.ID, bytes.NewReader(content), "file.bin"))
	expect("name", asset.Name, "file.bin")
	expect("size", asset.Size, int64(len(content)))
	answer, err := http.Get(asset.DownloadURL)
	demand(err)
	received, err := io.ReadAll(answer.Body)
	demand(err)
	expect("the bytes", bytes.Equal(received, content), true)
	renamed := must(p.admin.EditReleaseAttachment(owner, "released", first.ID, asset.ID, gitea.EditAttachmentOptions{Name: "other.bin"}))
	expect("new name", renamed.Name, "other.bin")
	expect("downloads", must(p.admin.GetReleaseAttachment(owner, "released", first.ID, asset.ID)).DownloadCount, int64(1))
	expect("files", len(must(p.admin.ListReleaseAttachments(owner, "released", first.ID, gitea.ListReleaseAttachmentsOptions{}))), 1)
	expect("files of the release", must(p.admin.GetRelease(owner, "released", first.ID)).Attachments[0].UUID, asset.UUID)
	mustDo(p.admin.DeleteReleaseAttachment(owner, "released", first.ID, asset.ID))
	_, response, err = p.admin.GetReleaseAttachment(owner, "released", first.ID, asset.ID)
	refused("a deleted file", response, err, 404)
	settings := must(p.admin.GetGlobalAttachmentSettings())
	expect("files may be sent", settings.Enabled && settings.MaxSize > 2000, true)
	done("files are sent, fetched, renamed and deleted")

	mustDo(p.admin.DeleteRelease(owner, "released", first.ID))
	mustDo(p.admin.DeleteReleaseByTag(owner, "released", "dir/v2"))
	expect("no releases", len(must(p.admin.ListReleases(owner, "released", gitea.ListReleasesOptions{}))), 0)
	expect("tags stay", len(must(p.admin.ListRepoTags(owner, "released", gitea.ListRepoTagsOptions{}))), 2)
	done("releases are deleted, and their tags stay")
}
