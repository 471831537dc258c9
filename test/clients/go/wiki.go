package main

import (
	"encoding/base64"
	"strings"

	"code.gitea.io/sdk/gitea"
)

func init() {
	parts["wiki"] = (*program).wiki
}

func encoded(text string) string {
	return base64.StdEncoding.EncodeToString([]byte(text))
}

func titlesOf(pages []*gitea.WikiPageMetaData) string {
	all := make([]string, 0, len(pages))
	for _, page := range pages {
		all = append(all, page.Title)
	}
	return strings.Join(all, ", ")
}

func (p *program) wiki() {
	owner := must(p.admin.GetMyUserInfo()).UserName
	must(p.admin.CreateRepo(gitea.CreateRepoOption{Name: "documented"}))
	expect("no pages", len(must(p.admin.ListWikiPages(owner, "documented", gitea.ListWikiPagesOptions{}))), 0)

	for _, title := range []string{"Home", "100% Free", "2000-01-02 meeting", "_Sidebar", "_Footer"} {
		page := must(p.admin.CreateWikiPage(owner, "documented", gitea.CreateWikiPageOptions{Title: title, ContentBase64: encoded(title), Message: "Write " + title}))
		expect("title", page.Title, title)
		expect("message", page.LastCommit.Message, "Write "+title+"\n")
	}
	_, response, err := p.admin.CreateWikiPage(owner, "documented", gitea.CreateWikiPageOptions{Title: "Home", ContentBase64: encoded("again")})
	refused("a second page of a title", response, err, 400)
	_, response, err = p.admin.CreateWikiPage(owner, "documented", gitea.CreateWikiPageOptions{Title: "../Home", ContentBase64: encoded("out")})
	refused("a way out", response, err, 400)
	done("pages are created")

	pages := must(p.admin.ListWikiPages(owner, "documented", gitea.ListWikiPagesOptions{}))
	expect("pages", titlesOf(pages), "100% Free, 2000-01-02 meeting, Home, _Footer, _Sidebar")
	for _, listed := range pages {
		page := must(p.admin.GetWikiPage(owner, "documented", listed.SubURL))
		expect("page", page.Title, listed.Title)
		expect("content", page.ContentBase64, encoded(listed.Title))
		expect("sidebar", page.Sidebar, encoded("_Sidebar"))
		expect("footer", page.Footer, encoded("_Footer"))
		expect("commit", page.LastCommit.ID, listed.LastCommit.ID)
	}
	expect("a page of two", titlesOf(must(p.admin.ListWikiPages(owner, "documented", gitea.ListWikiPagesOptions{ListOptions: gitea.ListOptions{Page: 2, PageSize: 2}}))), "Home, _Footer")
	_, response, err = p.admin.GetWikiPage(owner, "documented", "Nothing")
	refused("a page that is not there", response, err, 404)
	done("pages are listed and read")

	edited := must(p.admin.EditWikiPage(owner, "documented", "Home", gitea.CreateWikiPageOptions{ContentBase64: encoded("changed")}))
	expect("edits", edited.CommitCount, int64(2))
	expect("author", edited.LastCommit.Author.Name, owner)
	revisions := must(p.admin.GetWikiPageRevisions(owner, "documented", "Home", gitea.ListWikiPageRevisionsOptions{}))
	expect("revisions", revisions.Count, int64(2))
	expect("the first", revisions.WikiCommits[1].Message, "Write Home\n")
	renamed := must(p.admin.EditWikiPage(owner, "documented", "Home", gitea.CreateWikiPageOptions{Title: "Start", ContentBase64: encoded("changed")}))
	expect("new name", renamed.SubURL, "Start")
	_, response, err = p.admin.GetWikiPage(owner, "documented", "Home")
	refused("its former name", response, err, 404)
	done("pages are edited and renamed")

	mustDo(p.admin.DeleteWikiPage(owner, "documented", "Start"))
	response, err = p.admin.DeleteWikiPage(owner, "documented", "Start")
	refused("a page that is gone", response, err, 404)
	done("pages are deleted")
}
