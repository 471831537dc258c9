import type { RepositoryAccess } from "../../auth/subject.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Work } from "../../domain/spine/work.ts";
import type { NewAttachment } from "../../domain/repos/attachments/add-attachment.ts";
import { attachFiles } from "../../domain/work/comments/attachments.ts";
import { addReaction, removeReaction } from "../../domain/work/comments/react.ts";
import { createComment } from "../../domain/work/comments/write-comment.ts";
import { addDependency, endDependency } from "../../domain/work/issues/change-dependency.ts";
import { editIssue, lockConversation, unlockConversation } from "../../domain/work/issues/edit-issue.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import { pinIssue, unpinIssue } from "../../domain/work/issues/pins.ts";
import { subscribe } from "../../domain/work/issues/subscribe.ts";
import { replaceLabels } from "../../domain/work/labels/label-issue.ts";
import { cancelStopwatch, startStopwatch, stopStopwatch } from "../../domain/work/times/stopwatches.ts";
import { addTime, deleteTime } from "../../domain/work/times/track-time.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { Form } from "../form.ts";
import { issueLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { discussionPage, readNumber } from "./discussion.ts";
import { readDay } from "./read-day.ts";
import { changeWithFiles } from "./sent-files.ts";
import { tick } from "./tasks.ts";
import { renderComments } from "./texts.ts";
import { administersIssues, participatesInIssues } from "./specs.ts";
import { getRowId } from "../read-row-id.ts";

interface Asked {
  readonly visit: Visit;
  readonly access: RepositoryAccess;
  readonly number: number;
  readonly form: Form;
}

/** Reads hours and minutes. Throws InvalidInput. */
function readSeconds(form: Form): number {
  const [hours, minutes] = ["hours", "minutes"].map((name) => {
    const text = form.text(name).trim();
    if (!/^\d{0,5}$/.test(text)) {
      throw new InvalidInput(`"${clip(text, 80)}" is no number of ${name}`, name);
    }
    return Number(text);
  });
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * 60;
}

/** Reads the number of an issue as people write it: `#12` or `12`. Throws InvalidInput. */
function readIssueNumber(text: string, field: string): number {
  const [, digits] = /^#?([1-9]\d{0,8})$/.exec(text.trim()) ?? [];
  if (digits === undefined) {
    throw new InvalidInput(`"${clip(text, 80)}" is no number of an issue`, field);
  }
  return Number(digits);
}

async function comment(work: Work, { access, number, form }: Asked, added: readonly NewAttachment[]): Promise<string> {
  const body = form.lines("body");
  const state = form.text("state");
  const changesState = state === "closed" || state === "open";
  const isSaid = body.trim() !== "" || added.length > 0 || !changesState;
  const created = isSaid ? await createComment(work, access, number, { body, writtenAt: null }) : null;
  if (created !== null) {
    await attachFiles(work, access, { commentId: created.comment.id }, added);
  }
  if (changesState) {
    await editIssue(work, access, number, { closed: state === "closed" });
  }
  return created === null ? "" : `#issuecomment-${created.comment.id}`;
}

async function react(work: Work, { access, number, form }: Asked): Promise<string> {
  const commentId = form.text("comment");
  const target = commentId === "" ? { number } : { commentId: getRowId(commentId, "comment") };
  const given = form.text("give");
  if (given === "") {
    await removeReaction(work, access, target, form.text("take"));
  } else {
    await addReaction(work, access, target, given);
  }
  return commentId === "" ? "#issue" : `#issuecomment-${commentId}`;
}

async function depend(work: Work, { access, number, form }: Asked): Promise<void> {
  const removed = form.text("remove");
  const other = { access, number: readIssueNumber(removed === "" ? form.text("add") : removed, "add") };
  await (removed === "" ? addDependency : endDependency)(work, { access, number }, other);
  await work.demand({ on: "repository", do: "write", unit: "issues-or-pulls" });
}

/** The forms on the page of an issue or a pull request. Each leads back to it. */
export function issueActPages(forge: Forge, page: DeclarePage): PageRoute[] {
  /** Runs an act in a unit of work; a refusal shows the page again, with what was typed. `act` returns the place on the page. */
  async function run(
    doer: UserDoer,
    asked: Asked,
    act: (work: Work, asked: Asked, added: readonly NewAttachment[]) => Promise<string | void>,
  ): Promise<Page | Redirect> {
    const { visit, access, number, form } = asked;
    const row = await getIssueRow(forge, access, number);
    return tryForm(
      async () => {
        const place = await changeWithFiles(forge, doer, form.files, (work, added) => act(work, asked, added));
        return new Redirect(`${issueLink(visit.root, access, row)}${place ?? ""}`);
      },
      (refused) => discussionPage(forge, visit, access, row, { text: form.text("body"), refused, preview: null }),
    );
  }

  const acts = {
    react,
    labels: async (work, { access, number, form }) => {
      const ids = form.all("label").map((id) => getRowId(id, "label"));
      await replaceLabels(work, access, number, ids, undefined);
    },
    assignees: async (work, { access, number, form }) => {
      await editIssue(work, access, number, { assignees: form.all("assignee") });
    },
    milestone: async (work, { access, number, form }) => {
      const id = form.text("milestone");
      await editIssue(work, access, number, { milestone: id === "" ? null : getRowId(id, "milestone") });
    },
    due: async (work, { access, number, form }) => {
      await editIssue(work, access, number, { dueAt: readDay(form.text("due"), "due") });
    },
    dependencies: depend,
    ref: async (work, { access, number, form }) => {
      await editIssue(work, access, number, { ref: form.text("ref").trim() });
    },
    task: (work, { access, number, form }) => tick(work, access, number, form),
    times: async (work, { access, number, form }) => {
      const deleted = form.text("delete");
      await (deleted === ""
        ? addTime(work, access, number, { seconds: readSeconds(form), userName: null, createdAt: null })
        : deleteTime(work, access, number, getRowId(deleted, "delete")));
    },
    stopwatch: async (work, { access, number, form }) => {
      const act = { start: startStopwatch, stop: stopStopwatch, cancel: cancelStopwatch }[form.text("do")];
      if (act === undefined) {
        throw new InvalidInput("A stopwatch can be started, stopped and thrown away", "do");
      }
      await act(work, access, number);
    },
    lock: async (work, { access, number, form }) => {
      await (form.text("on") === "1"
        ? lockConversation(work, access, number, form.text("reason"))
        : unlockConversation(work, access, number));
    },
  } as const satisfies Record<string, (work: Work, asked: Asked) => Promise<string | void>>;

  const simple = Object.entries(acts).map(([path, act]) =>
    page("POST", `/:owner/:repo/issues/:index/${path}`, participatesInIssues, ({ visit, doer, repository: access }) =>
      run(doer, { visit, access, number: readNumber(visit), form: visit.form }, act),
    ),
  );
  return [
    ...simple,
    page(
      "POST",
      "/:owner/:repo/issues/:index/comments",
      { ...participatesInIssues, longForm: true },
      async ({ visit, doer, repository: access }) => {
        const { form } = visit;
        const asked = { visit, access, number: readNumber(visit), form };
        if (form.text("preview") === "") {
          return run(doer, asked, comment);
        }
        const text = form.text("body");
        const [preview = null] = await renderComments(forge, visit, access, [text]);
        const row = await getIssueRow(forge, access, asked.number);
        return discussionPage(forge, visit, access, row, { text, refused: null, preview });
      },
    ),
    page(
      "POST",
      "/:owner/:repo/issues/:index/subscription",
      participatesInIssues,
      ({ visit, doer, actor, repository: access }) =>
        run(doer, { visit, access, number: readNumber(visit), form: visit.form }, async (work, { number, form }) => {
          await subscribe(work, access, number, actor, actor, form.text("watching") === "1");
        }),
    ),
    page("POST", "/:owner/:repo/issues/:index/pin", administersIssues, ({ visit, doer, repository: access }) =>
      run(doer, { visit, access, number: readNumber(visit), form: visit.form }, (work, { number, form }) =>
        (form.text("on") === "1" ? pinIssue : unpinIssue)(work, access, number),
      ),
    ),
  ];
}
