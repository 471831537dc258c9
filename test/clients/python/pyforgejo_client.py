"""Drives pyforgejo: writes a line for each step that went well."""

import os

from pyforgejo import PyforgejoApi

forge = PyforgejoApi(
    base_url=os.environ["FORGE"] + "/api/v1",
    api_key=os.environ["TOKEN"],
    # By its own name, httpx, it gets what the specification says for a POST of statuses.
    headers={"User-Agent": "pyforgejo/2.0.7"},
)
me = forge.user.get_current()
print("user", me.login)
tour = forge.repository.create_current_user_repo(name="tour", auto_init=True)
print("repository", tour.full_name)
issue = forge.issue.create_issue(owner=me.login, repo="tour", title="First", body="It stops")
print("issue", issue.number, issue.state)
branch = forge.repository.repo_get_branch(owner=me.login, repo="tour", branch="main")
status = forge.repository.repo_create_status(
    owner=me.login, repo="tour", sha=branch.commit.id, context="ci", state="success"
)
print("status", status.status)
statuses = forge.repository.repo_list_statuses(owner=me.login, repo="tour", sha=branch.commit.id)
print("statuses", *(one.status for one in statuses))
labels = [
    forge.issue.create_label(owner=me.login, repo="tour", name=name, color="#00aabb") for name in ("bug", "docs")
]
both = forge.issue.create_issue(owner=me.login, repo="tour", title="Both", labels=[label.id for label in labels])
forge.issue.create_issue(owner=me.login, repo="tour", title="One", labels=[labels[0].id])
found = forge.issue.list_issues(owner=me.login, repo="tour", labels="bug,docs")
print("labels", both.number, len(found))
