import { describe, expect, test } from "bun:test";
import { commitText, defaultMessage, rebasedMessage, templatePaths, type MergeSubject } from "./merge-message.ts";

const subject: MergeSubject = {
  number: 7,
  title: "Add the anvil",
  description: "It is heavy.",
  posterName: "alice",
  base: { ownerName: "smith", name: "forge", branch: "main" },
  head: { repository: { ownerName: "alice", name: "forge" }, isBase: false, branch: "anvil" },
  url: "https://forge.example/smith/forge/pulls/7",
  approvers: [{ name: "Bob B.", email: "bob@example.com" }],
  coAuthors: [{ name: "Eve", email: "eve@example.com" }],
  closes: [3, 4],
};

const reviewed = "Reviewed-on: https://forge.example/smith/forge/pulls/7\nReviewed-by: Bob B. <bob@example.com>";

describe("the default message", () => {
  test("of a merge names both branches", () => {
    const head = { ...subject.head, isBase: true };
    expect(defaultMessage("merge", { ...subject, head }, null)).toEqual({
      title: "Merge pull request 'Add the anvil' (#7) from anvil into main",
      body: reviewed,
    });
    expect(defaultMessage("rebase-merge", subject, null)?.title).toBe(
      "Merge pull request 'Add the anvil' (#7) from alice/forge:anvil into main",
    );
    const gone = { ...subject.head, repository: null };
    expect(defaultMessage("merge", { ...subject, head: gone }, null)?.title).toBe(
      "Merge pull request 'Add the anvil' (#7) from <deleted>:anvil into main",
    );
  });

  test("of a squash has the description and its authors; trailers that are there already are joined", () => {
    const trailers = `Co-authored-by: Eve <eve@example.com>\n${reviewed}`;
    expect(defaultMessage("squash", subject, null)).toEqual({
      title: "Add the anvil (#7)",
      body: `It is heavy.\n\n${trailers}`,
    });
    expect(defaultMessage("squash", { ...subject, description: "" }, null)?.body).toBe(trailers);
    const signed = "It is heavy.\r\n\r\nSigned-off-by: Alice <a@example.com>\nCo-authored-by: Eve <eve@example.com>";
    expect(defaultMessage("squash", { ...subject, description: signed }, null)?.body).toBe(
      `It is heavy.\n\nSigned-off-by: Alice <a@example.com>\nCo-authored-by: Eve <eve@example.com>\n${reviewed}`,
    );
  });

  test("of commits that are kept is their own", () => {
    for (const style of ["rebase", "fast-forward-only", "manually-merged"] as const) {
      expect(defaultMessage(style, subject, null)).toBeNull();
    }
  });
});

describe("a template", () => {
  test("is looked for in both directories, by the style", () => {
    expect(templatePaths("rebase-merge")).toEqual([
      ".forgejo/default_merge_message/REBASE-MERGE_TEMPLATE.md",
      ".gitea/default_merge_message/REBASE-MERGE_TEMPLATE.md",
    ]);
  });

  test("has its variables replaced, once, and what is unknown taken out", () => {
    const template =
      "${PullRequestTitle} $PullRequestReference${Unknown}\r\n\r\n$PullRequestDescription\n$ReviewedBy\n$ClosingIssues $BaseRepoOwnerName/$BaseRepoName:$BaseBranch $HeadRepoOwnerName $5\n";
    expect(defaultMessage("squash", { ...subject, title: "$ReviewedOn" }, template)).toEqual({
      title: "$ReviewedOn #7",
      body: "It is heavy.\nReviewed-by: Bob B. <bob@example.com>\nclose #3, close #4 smith/forge:main alice ",
    });
    expect(defaultMessage("merge", subject, "One line")).toEqual({ title: "One line", body: "" });
  });

  test("of a rebase knows the commit's own message", () => {
    expect(rebasedMessage(subject, "$CommitTitle (#$PullRequestIndex)\n\n$CommitBody", "fix: it\n\nWhy.\n")).toEqual({
      title: "fix: it (#7)",
      body: "Why.",
    });
  });
});

test("a message is cleaned up as git does", () => {
  expect(commitText({ title: "  Merge \t", body: "one  \r\n\n\n\ntwo\0\n\n" })).toBe("  Merge\n\none\n\ntwo\n");
  expect(commitText({ title: "Merge", body: "" })).toBe("Merge\n");
  expect(commitText({ title: "", body: "only\n" })).toBe("only\n");
});
