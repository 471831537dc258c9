package main

import (
	"time"

	"code.gitea.io/sdk/gitea"
)

func init() {
	parts["issues"] = (*program).issues
}

func (p *program) issues() {
	owner := must(p.admin.GetMyUserInfo()).UserName
	const repo = "orchard"
	must(p.admin.CreateRepo(gitea.CreateRepoOption{Name: repo, AutoInit: true, IssueLabels: "Default"}))

	label := must(p.admin.CreateLabel(owner, repo, gitea.CreateLabelOption{Name: "kind/tree", Color: "#00aabb", Exclusive: true}))
	other := must(p.admin.CreateLabel(owner, repo, gitea.CreateLabelOption{Name: "kind/bush", Color: "#00aabb", Exclusive: true}))
	expect("labels", len(must(p.admin.ListRepoLabels(owner, repo, gitea.ListLabelsOptions{}))), 9)
	label = must(p.admin.EditLabel(owner, repo, label.ID, gitea.EditLabelOption{Description: pointer("It has a trunk")}))
	expect("description", label.Description, "It has a trunk")
	milestone := must(p.admin.CreateMilestone(owner, repo, gitea.CreateMilestoneOption{Title: "spring"}))
	expect("milestone", must(p.admin.GetMilestoneByName(owner, repo, "spring")).ID, milestone.ID)
	due := time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC)
	milestone = must(p.admin.EditMilestone(owner, repo, milestone.ID, gitea.EditMilestoneOption{Deadline: &due}))
	expect("due", milestone.Deadline.Equal(due), true)
	done("labels and milestones are made and changed")

	issue := must(p.admin.CreateIssue(owner, repo, gitea.CreateIssueOption{
		Title: "A branch fell", Body: "in the wind", Labels: []int64{label.ID}, Milestone: milestone.ID, Assignees: []string{owner}, Deadline: &due,
	}))
	expect("number", issue.Index, int64(1))
	expect("assignee", names(issue.Assignees), owner)
	must(p.admin.CreateIssue(owner, repo, gitea.CreateIssueOption{Title: "A leaf fell"}))
	expect("one issue", must(p.admin.GetIssue(owner, repo, 1)).Title, "A branch fell")
	for what, list := range map[string][]*gitea.Issue{
		"label":     must(p.admin.ListRepoIssues(owner, repo, gitea.ListIssueOption{Labels: []string{"kind/tree"}})),
		"milestone": must(p.admin.ListRepoIssues(owner, repo, gitea.ListIssueOption{Milestones: []string{"spring"}})),
		"assignee":  must(p.admin.ListRepoIssues(owner, repo, gitea.ListIssueOption{AssignedBy: owner})),
		"word":      must(p.admin.ListIssues(gitea.ListIssueOption{KeyWord: "branch", Type: gitea.IssueTypeIssue})),
	} {
		expect("found by "+what, len(list), 1)
	}
	closed := gitea.StateClosed
	issue = must(p.admin.EditIssue(owner, repo, 1, gitea.EditIssueOption{Title: "Two branches fell", State: &closed}))
	expect("closed", issue.State, gitea.StateClosed)
	expect("open ones", len(must(p.admin.ListRepoIssues(owner, repo, gitea.ListIssueOption{State: gitea.StateOpen}))), 1)
	mustDo(p.admin.LockIssue(owner, repo, 1, gitea.LockIssueOption{LockReason: "off-topic"}))
	mustDo(p.admin.UnlockIssue(owner, repo, 1))
	must(p.admin.UpdateIssueDeadline(owner, repo, 2, gitea.EditDeadlineOption{Deadline: &due}))
	expect("deadline", must(p.admin.GetIssue(owner, repo, 2)).Deadline.Equal(due), true)
	expect("templates", len(must(p.admin.GetIssueTemplates(owner, repo))), 0)
	done("issues are opened, found, changed and locked")

	expect("added", len(must(p.admin.AddIssueLabels(owner, repo, 2, gitea.IssueLabelsOption{Labels: []int64{label.ID}}))), 1)
	_, response, err := p.admin.AddIssueLabels(owner, repo, 2, gitea.IssueLabelsOption{Labels: []int64{other.ID}})
	refused("a second label of a scope", response, err, 422)
	expect("replaced", must(p.admin.ReplaceIssueLabels(owner, repo, 2, gitea.IssueLabelsOption{Labels: []int64{other.ID}}))[0].ID, other.ID)
	mustDo(p.admin.DeleteIssueLabel(owner, repo, 2, other.ID))
	mustDo(p.admin.ClearIssueLabels(owner, repo, 1))
	expect("none", len(must(p.admin.GetIssueLabels(owner, repo, 1, gitea.ListLabelsOptions{}))), 0)
	done("labels are put on issues and taken away")

	comment := must(p.admin.CreateIssueComment(owner, repo, 1, gitea.CreateIssueCommentOption{Body: "Oh"}))
	expect("edited", must(p.admin.EditIssueComment(owner, repo, comment.ID, gitea.EditIssueCommentOption{Body: "Oh no"})).Body, "Oh no")
	expect("comment", must(p.admin.GetIssueComment(owner, repo, comment.ID)).Body, "Oh no")
	expect("of the issue", len(must(p.admin.ListIssueComments(owner, repo, 1, gitea.ListIssueCommentOptions{}))), 1)
	expect("of the repository", len(must(p.admin.ListRepoIssueComments(owner, repo, gitea.ListIssueCommentOptions{}))), 1)
	must(p.admin.PostIssueReaction(owner, repo, 1, "heart"))
	must(p.admin.PostIssueCommentReaction(owner, repo, comment.ID, "+1"))
	expect("reaction", must(p.admin.GetIssueReactions(owner, repo, 1))[0].Reaction, "heart")
	expect("reaction to the comment", must(p.admin.GetIssueCommentReactions(owner, repo, comment.ID))[0].Reaction, "+1")
	mustDo(p.admin.DeleteIssueReaction(owner, repo, 1, "heart"))
	mustDo(p.admin.DeleteIssueCommentReaction(owner, repo, comment.ID, "+1"))
	mustDo(p.admin.DeleteIssueComment(owner, repo, comment.ID))
	expect("comments", must(p.admin.GetIssue(owner, repo, 1)).Comments, 0)
	done("comments and reactions come and go")

	added := must(p.admin.AddTime(owner, repo, 1, gitea.AddTimeOption{Time: 90}))
	expect("whose", added.UserName, owner)
	expect("now", time.Since(added.Created) < 24*time.Hour, true)
	must(p.admin.AddTime(owner, repo, 2, gitea.AddTimeOption{Time: 60, Created: due.AddDate(-10, 0, 0), User: owner}))
	expect("of the issue", must(p.admin.ListIssueTrackedTimes(owner, repo, 1, gitea.ListTrackedTimesOptions{}))[0].Time, int64(90))
	expect("of the repository", len(must(p.admin.ListRepoTrackedTimes(owner, repo, gitea.ListTrackedTimesOptions{User: owner}))), 2)
	expect("lately", len(must(p.admin.ListMyTrackedTimes(gitea.ListTrackedTimesOptions{Since: time.Now().Add(-time.Hour)}))), 1)
	mustDo(p.admin.DeleteTime(owner, repo, 1, added.ID))
	mustDo(p.admin.ResetIssueTime(owner, repo, 2))
	expect("no time", len(must(p.admin.GetMyTrackedTimes())), 0)
	mustDo(p.admin.StartIssueStopWatch(owner, repo, 1))
	expect("it runs", must(p.admin.GetMyStopwatches())[0].IssueTitle, "Two branches fell")
	mustDo(p.admin.StopIssueStopWatch(owner, repo, 1))
	mustDo(p.admin.StartIssueStopWatch(owner, repo, 2))
	mustDo(p.admin.DeleteIssueStopwatch(owner, repo, 2))
	response, err = p.admin.StopIssueStopWatch(owner, repo, 2)
	refused("a stopwatch that does not run", response, err, 409)
	expect("measured", len(must(p.admin.GetMyTrackedTimes())), 1)
	done("time is tracked and measured")

	for _, index := range []int64{1, 2} {
		mustDo(p.admin.PinIssue(owner, repo, index))
	}
	mustDo(p.admin.MoveIssuePin(owner, repo, 2, 1))
	expect("the first", must(p.admin.ListRepoPinnedIssues(owner, repo))[0].Index, int64(2))
	mustDo(p.admin.UnpinIssue(owner, repo, 2))
	expect("pinned", len(must(p.admin.ListRepoPinnedIssues(owner, repo))), 1)
	mustDo(p.admin.IssueUnSubscribe(owner, repo, 1))
	expect("subscribed", must(p.admin.CheckIssueSubscription(owner, repo, 1)).Subscribed, false)
	mustDo(p.admin.IssueSubscribe(owner, repo, 1))
	expect("subscribers", names(must(p.admin.GetIssueSubscribers(owner, repo, 1))), owner)
	mustDo(p.admin.DeleteIssue(owner, repo, 2))
	mustDo(p.admin.DeleteMilestone(owner, repo, milestone.ID))
	mustDo(p.admin.DeleteLabel(owner, repo, label.ID))
	done("issues are pinned, subscribed to and deleted")
}
