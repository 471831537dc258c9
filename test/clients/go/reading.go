package main

import (
	"encoding/json"
	"strings"

	"code.gitea.io/sdk/gitea"
)

func init() {
	parts["reading"] = (*program).reading
}

func (p *program) reading() {
	owner := must(p.admin.GetMyUserInfo()).UserName
	must(p.admin.CreateRepo(gitea.CreateRepoOption{Name: "book", AutoInit: true, License: "MIT", Readme: "Default"}))
	write := func(path, text string) string {
		file := must(p.admin.CreateFile(owner, "book", path, gitea.CreateFileOptions{
			Content: encoded(text), FileOptions: gitea.FileOptions{Message: "Write " + path},
		}))
		return file.Commit.SHA
	}
	write("src/main.go", "package main\n")
	commit := write(".editorconfig", "root = true\n[*.go]\nindent_style = tab\n")

	all := "file_content,commit_metadata,commit_message,lfs_metadata"
	file := must(p.admin.GetContentsExt(owner, "book", "src/main.go", gitea.GetContentsExtOptions{Includes: all})).FileContents
	expect("content", *file.Content, encoded("package main\n"))
	expect("message", strings.TrimSpace(*file.LastCommitMessage), "Write src/main.go")
	expect("no pointer", file.LfsOid == nil, true)
	directory := must(p.admin.GetContentsExt(owner, "book", "src", gitea.GetContentsExtOptions{})).DirContents
	expect("entries", len(directory), 1)
	expect("nothing that was not asked for", directory[0].LastCommitSha == nil, true)
	paths := gitea.GetFilesOptions{Files: []string{"src/main.go", "nothing", ".editorconfig"}}
	for _, files := range [][]*gitea.ContentsResponse{
		must(p.admin.GetRepoFileContents(owner, "book", "main", paths)),
		must(p.admin.PostRepoFileContents(owner, "book", "", paths)),
	} {
		expect("files", len(files), 3)
		expect("no file", files[1] == nil, true)
		expect("last commit", *files[2].LastCommitSha, commit)
	}
	listed := must(p.admin.ListContents(owner, "book", "main", ""))
	expect("the root", len(listed), 4)
	archive, _, err := p.admin.GetArchive(owner, "book", "main", gitea.TarGZArchive)
	demand(err)
	expect("an archive", len(archive) > 100, true)
	done("files are described")

	var settings map[string]string
	demand(json.Unmarshal(must(p.admin.GetEditorConfig(owner, "book", "src/main.go", "main")), &settings))
	expect("indentation", settings["indent_style"], "tab")
	_, response, err := p.admin.GetEditorConfig(owner, "book", "src/main.go", "none")
	refused("a branch that is not there", response, err, 404)
	expect("licenses", strings.Join(must(p.admin.GetRepoLicenses(owner, "book")), " "), "MIT")
	done("editors and licenses are told")

	html := must(p.admin.RenderMarkdown(gitea.MarkdownOption{Text: "Hi @" + owner + "[^1]\n\n[^1]: there", Mode: "gfm"}))
	expect("a mention", strings.Contains(html, `class="mention"`), true)
	expect("a footnote", strings.Contains(html, `class="footnotes"`), true)
	expect("raw", must(p.admin.RenderMarkdownRaw("*a*")), "<p><em>a</em></p>\n")
	html = must(p.admin.RenderMarkup(gitea.MarkupOption{Text: "```go\nfunc a() {}\n```", Mode: "file", FilePath: "a.md"}))
	expect("code", strings.Contains(html, `<i class="k">func</i>`), true)
	_, response, err = p.admin.RenderMarkup(gitea.MarkupOption{Text: "a", Mode: "file", FilePath: "a.tex"})
	refused("a file that is no Markdown", response, err, 422)
	done("Markdown is rendered")

	info := must(p.admin.GetNodeInfo())
	expect("NodeInfo", info.Version+" "+info.Software.Name, "2.1 stithy")
	expect("users", info.Usage.Users.Total, int64(1))
	expect("sets of labels", strings.Join(must(p.admin.ListLabelTemplates()), " "), "Advanced Default")
	expect("labels", must(p.admin.GetLabelTemplate("Default"))[0].Name, "bug")
	done("the server tells what it is")

	must(p.admin.AdminCreateUser(gitea.CreateUserOption{Username: "ben", Email: "ben@example.com", Password: password, MustChangePassword: pointer(false)}))
	must(p.admin.CreateOrg(gitea.CreateOrgOption{Name: "forge"}))
	mustDo(p.admin.BlockUser("ben"))
	mustDo(p.admin.BlockOrgUser("forge", "ben"))
	expect("blocked", names(must(p.admin.ListMyBlocks(gitea.ListUserBlocksOptions{}))), "ben")
	expect("blocked by the organization", names(must(p.admin.ListOrgBlocks("forge", gitea.ListOrgBlocksOptions{}))), "ben")
	expect("is blocked", must(p.admin.CheckUserBlock("ben")), true)
	expect("is blocked by the organization", must(p.admin.CheckOrgBlock("forge", "ben")), true)
	mustDo(p.admin.UnblockUser("ben"))
	mustDo(p.admin.UnblockOrgUser("forge", "ben"))
	expect("is not blocked", must(p.admin.CheckUserBlock("ben")), false)
	expect("is not blocked by the organization", must(p.admin.CheckOrgBlock("forge", "ben")), false)
	done("users are blocked")
}
