package main

import (
	"fmt"

	"code.gitea.io/sdk/gitea"
)

func init() {
	parts["reviews"] = (*program).reviews
}

func (p *program) reviews() {
	owner := must(p.admin.GetMyUserInfo()).UserName
	must(p.admin.CreateRepo(gitea.CreateRepoOption{Name: "reviewed", AutoInit: true}))
	must(p.admin.CreateFile(owner, "reviewed", "a.txt", gitea.CreateFileOptions{Content: encoded("one\ntwo\nthree\n")}))
	people := map[string]*gitea.Client{}
	for _, name := range []string{"author", "reviewer"} {
		must(p.admin.AdminCreateUser(gitea.CreateUserOption{Username: name, Email: name + "@example.com", Password: "correct horse battery", MustChangePassword: pointer(false)}))
		mustDo(p.admin.AddCollaborator(owner, "reviewed", name, gitea.AddCollaboratorOption{Permission: pointer(gitea.AccessModeWrite)}))
		people[name] = p.as(name, "correct horse battery")
	}
	author, reviewer := people["author"], people["reviewer"]
	contents, _, err := author.GetContents(owner, "reviewed", "main", "a.txt")
	demand(err)
	must(author.UpdateFile(owner, "reviewed", "a.txt", gitea.UpdateFileOptions{
		FileOptions: gitea.FileOptions{NewBranchName: "topic"}, SHA: contents.SHA, Content: encoded("one\n2\nthree\n"),
	}))
	pull := must(author.CreatePullRequest(owner, "reviewed", gitea.CreatePullRequestOption{Head: "topic", Base: "main", Title: "Write digits"}))

	asked := gitea.PullReviewRequestOptions{Reviewers: []string{"reviewer"}}
	mustDo(author.CreateReviewRequests(owner, "reviewed", pull.Index, asked))
	expect("asked", names(must(p.admin.GetPullRequest(owner, "reviewed", pull.Index)).RequestedReviewers), "reviewer")
	mustDo(author.DeleteReviewRequests(owner, "reviewed", pull.Index, asked))
	expect("asked no more", len(must(p.admin.GetPullRequest(owner, "reviewed", pull.Index)).RequestedReviewers), 0)
	response, err := author.CreateReviewRequests(owner, "reviewed", pull.Index, gitea.PullReviewRequestOptions{Reviewers: []string{"author"}})
	refused("to ask the author", response, err, 422)
	mustDo(author.CreateReviewRequests(owner, "reviewed", pull.Index, asked))
	done("reviews are asked for")

	begun := must(reviewer.CreatePullReview(owner, "reviewed", pull.Index, gitea.CreatePullReviewOptions{
		State: gitea.ReviewStatePending, Body: "Well",
		Comments: []gitea.CreatePullReviewComment{{Path: "a.txt", Body: "Digits?", NewLineNum: 2}, {Path: "a.txt", Body: "Was fine", OldLineNum: 2}},
	}))
	expect("begun", begun.State, gitea.ReviewStatePending)
	list := func(client *gitea.Client) int {
		return len(must(client.ListPullReviews(owner, "reviewed", pull.Index, gitea.ListPullReviewsOptions{})))
	}
	expect("known to others", list(author), 1)
	sent := must(reviewer.SubmitPullReview(owner, "reviewed", pull.Index, begun.ID, gitea.SubmitPullReviewOptions{State: gitea.ReviewStateRequestChanges, Body: "No digits"}))
	expect("sent", fmt.Sprint(sent.State, sent.Body, sent.Official, sent.CodeCommentsCount, sent.Reviewer.UserName), fmt.Sprint(gitea.ReviewStateRequestChanges, "No digits", true, 2, "reviewer"))
	expect("not asked any more", list(author), 1)
	expect("got", must(author.GetPullReview(owner, "reviewed", pull.Index, sent.ID)).CommitID, pull.Head.Sha)
	_, response, err = reviewer.SubmitPullReview(owner, "reviewed", pull.Index, sent.ID, gitea.SubmitPullReviewOptions{State: gitea.ReviewStateApproved})
	refused("to submit twice", response, err, 422)
	_, response, err = author.CreatePullReview(owner, "reviewed", pull.Index, gitea.CreatePullReviewOptions{State: gitea.ReviewStateApproved})
	refused("to approve one's own", response, err, 422)
	_, response, err = reviewer.CreatePullReview(owner, "reviewed", pull.Index, gitea.CreatePullReviewOptions{
		State: gitea.ReviewStateComment, Comments: []gitea.CreatePullReviewComment{{Path: "README.md", Body: "x", NewLineNum: 1}},
	})
	refused("a comment outside of the diff", response, err, 422)
	done("reviews are begun and submitted")

	comments := must(author.ListPullReviewComments(owner, "reviewed", pull.Index, sent.ID))
	expect("comments", len(comments), 2)
	for _, comment := range comments {
		expect("line", comment.LineNum+comment.OldLineNum, 2)
		expect("resolved", comment.Resolver == nil, true)
	}
	reply := must(author.CreatePullReviewCommentReply(owner, "reviewed", pull.Index, comments[0].ID, gitea.CreatePullReviewCommentReplyOptions{Body: "Yes"}))
	expect("reply", reply.ReviewID, sent.ID)
	mustDo(author.ResolvePullReviewComment(owner, "reviewed", comments[0].ID))
	for _, comment := range must(author.ListPullReviewComments(owner, "reviewed", pull.Index, sent.ID)) {
		if comment.ID == comments[0].ID || comment.ID == reply.ID {
			expect("resolver", comment.Resolver.UserName, "author")
		}
	}
	mustDo(author.UnresolvePullReviewComment(owner, "reviewed", comments[0].ID))
	done("comments are replied to, resolved and opened again")

	mustDo(p.admin.DismissPullReview(owner, "reviewed", pull.Index, sent.ID, gitea.DismissPullReviewOptions{Message: "Digits are fine"}))
	expect("dismissed", must(author.GetPullReview(owner, "reviewed", pull.Index, sent.ID)).Dismissed, true)
	mustDo(p.admin.UnDismissPullReview(owner, "reviewed", pull.Index, sent.ID))
	expect("not dismissed", must(author.GetPullReview(owner, "reviewed", pull.Index, sent.ID)).Dismissed, false)
	approved := must(reviewer.CreatePullReview(owner, "reviewed", pull.Index, gitea.CreatePullReviewOptions{State: gitea.ReviewStateApproved}))
	expect("approved", approved.State, gitea.ReviewStateApproved)
	expect("replaced", must(author.GetPullReview(owner, "reviewed", pull.Index, sent.ID)).Dismissed, true)
	response, err = author.DeletePullReview(owner, "reviewed", pull.Index, approved.ID)
	refused("to delete another's", response, err, 403)
	mustDo(reviewer.DeletePullReview(owner, "reviewed", pull.Index, approved.ID))
	expect("left", list(author), 1)
	done("reviews are dismissed and deleted")
}
