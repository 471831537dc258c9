"""Drives py-gitea as its README does: writes a line for each step that went well."""

import base64
import os

from gitea import Gitea, Organization, Repository, User

forge = Gitea(os.environ["FORGE"], token_text=os.environ["TOKEN"])
smith = forge.create_user("smith", "smith@example.com", "a long password", change_pw=False)
print("user", smith.username, User.request(forge, "smith").login)
me = forge.get_user()
guild = forge.create_org(me, "guild", "Smiths")
print("organization", Organization.request(forge, "guild").username)
guild.create_repo("site", autoInit=True)
site = Repository.request(forge, "guild", "site")
print("repository", site.get_full_name())
site.add_branch(site.get_branches()[0], "next")
print("branches", *sorted(branch.name for branch in site.get_branches()))
site.create_file("a.txt", base64.b64encode(b"text").decode())
content = [one for one in site.get_git_content() if one.name == "a.txt"][0]
print("file", base64.b64decode(site.get_file_content(content)).decode())
site.create_issue("First", assignees=[], description="It stops")
issue = site.get_issues()[0]
print("issue", issue.title, len(issue.created_at))
commits = site.get_commits()
print("commits", len(commits))
team = forge.create_team(guild, "smiths", "", permission="write", includes_all_repositories=True)
team.add_user(smith)
print("team", team.name, *(member.username for member in team.get_members()))
site.delete()
print("gone")
