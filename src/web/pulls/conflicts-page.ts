import type { RepositoryAccess } from "../../auth/subject.ts";
import { withEndingsOf } from "../../domain/git/contents/line-endings.ts";
import type { UserDoer } from "../../domain/spine/doer.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { longestMergeText } from "../../domain/work/merges/merge-message.ts";
import { readPullConflicts, type PullConflicts } from "../../domain/work/merges/pull-conflicts.ts";
import { BranchMoved, updatePull } from "../../domain/work/merges/update-pull.ts";
import { checkLength } from "../../domain/work/issues/create-issue.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Refusal } from "../errors.ts";
import { html, type Html } from "../html.ts";
import { issueLink } from "../links.ts";
import { movesPulls, type DeclarePage, type PageRoute } from "../pages.ts";
import { field, problemAbove } from "../parts/field.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { Redirect, type Page } from "../respond.ts";
import { tryForm } from "../try-form.ts";
import type { Visit } from "../visit.ts";
import { conflictField, conflictPanel, hasMarkers, type ConflictField } from "./conflict-file.ts";
import { loadPull } from "./load-pull.ts";
import { pullHeader } from "./pull-head.ts";
import { getPullRow } from "./run-act.ts";

/** Files that a form may have. */
const mostFiles = 20;

/** A text of the form, by the path of its file. */
interface Typed {
  readonly text: string;
  readonly seen: string;
}

function typedTexts({ form }: Visit): Map<string, Typed> {
  const typed = new Map<string, Typed>();
  for (let at = 0; at < mostFiles && form.has(`path_${at}`); at++) {
    typed.set(form.text(`path_${at}`), { text: form.lines(`text_${at}`), seen: form.text(`seen_${at}`) });
  }
  return typed;
}

/** Throws InvalidInput that names the field of a text that still has markers, unless that is said to be meant. */
function checkMarkers({ form }: Visit): void {
  for (let at = 0; at < mostFiles && form.has(`path_${at}`); at++) {
    if (form.text("markers") === "" && hasMarkers(form.lines(`text_${at}`))) {
      throw new InvalidInput("The text still has markers of a conflict", `text_${at}`);
    }
  }
}

/** Says what the buttons that replace a text ask for: the place of a file, and the version. */
function taken({ form }: Visit): { at: number; what: string } | null {
  const [, at, what] = /^(\d{1,2}) (ours|theirs|merged)$/.exec(form.text("take")) ?? [];
  return at === undefined || what === undefined ? null : { at: Number(at), what };
}

function resolveForm(
  visit: Visit,
  address: string,
  {
    conflicts,
    shown,
    typed,
    sides,
    refused,
  }: {
    conflicts: PullConflicts;
    shown: readonly ConflictField[];
    typed: ReadonlyMap<string, Typed>;
    sides: { head: string; base: string };
    refused: Refusal | null;
  },
): Html {
  const { form } = visit;
  const take = taken(visit);
  const panels = shown.map((one, at) => {
    const own = typed.get(one.path);
    const asked = take?.at === at && form.text(`path_${at}`) === one.path ? take.what : null;
    const text = asked === "ours" || asked === "theirs" || asked === "merged" ? one[asked] : (own?.text ?? one.merged);
    const problem = refused?.field === `text_${at}` ? refused.message : null;
    return conflictPanel(visit, one, at, {
      text,
      sides,
      problem,
      isNewer: own !== undefined && own.seen !== one.seen,
    });
  });
  const message = form.has("message") ? form.text("message") : conflicts.message.trimEnd();
  const isMarked = refused !== null && refused.field?.startsWith("text_") === true;
  return html`<p class="soft">Where both branches changed the same lines, choose or write what stands there. Then the base is merged into <span class="ref">${sides.head}</span>, in your name.</p>
<form class="stack" method="post" action="${address}/conflicts">${visit.formField()}<input type="hidden" name="head" value="${conflicts.head}"><input type="hidden" name="base" value="${conflicts.base}">
${panels}${field(refused, { name: "message", label: "Message of the merge" }, (attributes) => html`<textarea ${attributes} dir="auto" rows="3" maxlength="${longestMergeText}" required>${message}</textarea>`)}
${isMarked && html`<label class="choice"><input type="checkbox" name="markers" value="1"> The lines that look like markers belong to the texts</label>`}
<div class="line flow"><button class="button main">${icon(visit, "git-merge")}Commit the merge</button><a class="button" href="${address}">Cancel</a></div></form>`;
}

/** Conflicts of a pull request with its base: the page that shows them, and the form that resolves them. */
export function conflictPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function conflictsPage(
    visit: Visit,
    doer: UserDoer,
    access: RepositoryAccess,
    issue: IssueRow,
    refused: Refusal | null,
  ): Promise<Page> {
    const { signal } = visit.request;
    const loaded = await loadPull(forge, visit, access, issue);
    if (loaded === null) {
      throw new NotFound("pull request", String(issue.number));
    }
    const conflicts = await readPullConflicts(forge, doer, access, issue.number, signal);
    const address = issueLink(visit.root, access, issue);
    const typed = typedTexts(visit);
    const fields = conflicts.files.map(conflictField);
    const shown = fields.filter((one) => one !== null);
    const paths = new Set(shown.map(({ path }) => path));
    const left = [...typed].filter(([path]) => !paths.has(path));
    const names = new Set(shown.map((_, at) => `text_${at}`));
    const about = problemAbove(refused, [...names, "message"]);
    const sides = { head: loaded.pull.headBranch, base: loaded.pull.baseBranch };
    const body =
      conflicts.files.length === 0
        ? empty(
            visit,
            "circle-check",
            "There are no conflicts",
            html`The branches go together as they are now. <a href="${address}">Back to the pull request</a>`,
          )
        : shown.length < conflicts.files.length
          ? notHere(visit, address, conflicts)
          : resolveForm(visit, address, { conflicts, shown, typed, sides, refused });
    return {
      status: refused?.status ?? 200,
      title: `Conflicts of #${issue.number} · ${access.owner.name}/${access.repository.name}`,
      place: { tab: "pulls", width: "wide" },
      scripts: ["editor"],
      body: html`${pullHeader(visit, access, issue, loaded, "conversation")}<h2 class="large">Resolve the conflicts with <code>${sides.base}</code></h2><div class="stack">${note(visit, "bad", about)}${kept(visit, left)}${body}</div>`,
    };
  }

  return [
    page(
      "GET",
      "/:owner/:repo/pulls/:index/conflicts",
      { ...movesPulls, past: true },
      async ({ visit, doer, repository: access }) =>
        conflictsPage(visit, doer, access, await getPullRow(forge, visit, access), null),
    ),
    page(
      "POST",
      "/:owner/:repo/pulls/:index/conflicts",
      { ...movesPulls, longForm: true },
      async ({ visit, doer, repository: access }) => {
        const { form } = visit;
        const issue = await getPullRow(forge, visit, access);
        if (form.text("take") !== "") {
          return conflictsPage(visit, doer, access, issue, null);
        }
        return tryForm(
          async () => {
            checkMarkers(visit);
            const message = form.lines("message").trim();
            checkLength(message, longestMergeText, "A message", "message");
            if (message === "") {
              throw new InvalidInput("The message must not be empty", "message");
            }
            const { files } = await readPullConflicts(forge, doer, access, issue.number, visit.request.signal);
            const before = new Map(files.map(({ path, texts }) => [path, texts?.ours ?? null]));
            await updatePull(forge, doer, access, issue.number, "merge", {
              head: form.text("head"),
              base: form.text("base"),
              message: `${message}\n`,
              files: [...typedTexts(visit)].map(([path, { text }]) => {
                return { path, bytes: withEndingsOf(before.get(path) ?? null, text) };
              }),
            });
            return new Redirect(issueLink(visit.root, access, issue), "The conflicts are resolved.");
          },
          (refused, error) =>
            conflictsPage(
              visit,
              doer,
              access,
              issue,
              error instanceof BranchMoved
                ? {
                    ...refused,
                    message: `${refused.message}. Nothing was committed. Your texts are kept below: look at them again beside the branches as they are now`,
                    field: null,
                  }
                : refused,
            ),
        );
      },
    ),
  ];
}

/** Texts whose files have no conflict any more: they are shown, so that nothing that was typed is lost. */
function kept(visit: Visit, left: readonly (readonly [string, Typed])[]): Html | null {
  return left.length === 0
    ? null
    : html`${note(visit, "info", "Some files that you changed have no conflict any more. What you typed is here.")}${left.map(([path, { text }]) => html`<details class="panel"><summary class="body" dir="auto">${path}</summary><pre tabindex="0">${text}</pre></details>`)}`;
}

const kindWords: Readonly<Record<string, string>> = {
  content: "both changed the same lines",
  "add/add": "both added it",
  binary: "it is no text",
  mode: "both changed its mode",
  submodule: "it is a submodule",
  "modify/delete": "one side changed it, the other one deleted it",
};

/** What is said where not all conflicts are of lines. */
function notHere(visit: Visit, address: string, { files }: PullConflicts): Html {
  const rows = files.map(
    ({ path, kinds }) =>
      html`<li><code class="grow" dir="auto">${path}</code><span class="soft">${kinds.map((kind) => kindWords[kind] ?? kind).join(", ")}</span></li>`,
  );
  return html`${note(visit, "warn", "Not all of these conflicts can be resolved here: some are not of lines of text, or too large. Resolve them on your machine.")}<ul class="panel edge rows">${rows}</ul><p><a href="${address}">How that goes is told in the merge box of the pull request.</a></p>`;
}
