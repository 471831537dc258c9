package main

import (
	"time"

	"code.gitea.io/sdk/gitea"
)

func init() {
	parts["notifications"] = (*program).notifications
}

func (p *program) notifications() {
	owner := must(p.admin.GetMyUserInfo()).UserName
	must(p.admin.AdminCreateUser(gitea.CreateUserOption{
		Username: "listener", Email: "listener@example.com", Password: "correct horse battery", MustChangePassword: pointer(false),
	}))
	listener := p.as("listener", "correct horse battery")
	for _, name := range []string{"leaves", "roots"} {
		must(p.admin.CreateRepo(gitea.CreateRepoOption{Name: name}))
		mustDo(listener.WatchRepo(owner, name))
		must(p.admin.CreateIssue(owner, name, gitea.CreateIssueOption{Title: "About " + name, Body: "@listener"}))
	}
	expect("new", must(listener.CheckNotifications()), int64(2))
	expect("new to the doer", must(p.admin.CheckNotifications()), int64(0))
	all := must(listener.ListNotifications(gitea.ListNotificationOptions{}))
	expect("listed", len(all), 2)
	expect("title", all[0].Subject.Title, "About roots")
	expect("type", all[0].Subject.Type, gitea.NotifySubjectIssue)
	expect("state", all[0].Subject.State, gitea.NotifySubjectOpen)
	expect("repository", all[0].Repository.Name, "roots")
	expect("unread", all[0].Unread, true)
	few := must(listener.ListRepoNotifications(owner, "leaves", gitea.ListNotificationOptions{
		Since:        time.Now().Add(-time.Hour),
		Before:       time.Now().Add(time.Hour),
		Status:       []gitea.NotifyStatus{gitea.NotifyStatusUnread},
		SubjectTypes: []gitea.NotifySubjectType{gitea.NotifySubjectIssue},
	}))
	expect("listed of the repository", len(few), 1)
	done("notifications are listed and counted")

	id := all[0].ID
	expect("thread", must(listener.GetNotification(id)).Subject.Title, "About roots")
	_, response, err := p.admin.GetNotification(id)
	refused("somebody else's thread", response, err, 404)
	expect("pinned", must(listener.ReadNotification(id, gitea.NotifyStatusPinned)).Pinned, true)
	expect("read", must(listener.ReadNotification(id)).Unread, false)
	expect("read of the repository", len(must(listener.ReadRepoNotifications(owner, "leaves", gitea.MarkNotificationOptions{}))), 1)
	expect("none new", must(listener.CheckNotifications()), int64(0))
	again := must(listener.ReadNotifications(gitea.MarkNotificationOptions{
		LastReadAt: time.Now().Add(time.Minute),
		Status:     []gitea.NotifyStatus{gitea.NotifyStatusRead},
		ToStatus:   gitea.NotifyStatusUnread,
	}))
	expect("unread again", len(again), 2)
	expect("new again", must(listener.CheckNotifications()), int64(2))
	done("notifications are marked")
}
