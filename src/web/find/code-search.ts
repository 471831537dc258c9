import type { RepositoryAccess } from "../../auth/subject.ts";
import type { CodeFound } from "../../domain/git/code-search/code-search.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { FoundFile, FoundLine } from "../../git/grep/file-search.ts";
import { formMessage } from "../errors.ts";
import { markRanges } from "../code/mark-ranges.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink, sourceLink } from "../links.ts";
import { readsCode, type DeclarePage, type PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { counted, wholeNumber } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";

const filesOnPage = 20;
const contextLines = 2;
/** The most lines that are shown of a file, with those around what matches. */
const shownLines = 40;
const shownKinds = 8;
const longestQuery = 1000;
const longestPath = 500;

/** What the address asks for. */
interface Asked {
  readonly q: string;
  readonly path: string;
  readonly ref: string;
  readonly word: boolean;
  readonly exact: boolean;
  readonly regex: boolean;
}

function readAsked({ query }: Visit): Asked {
  return {
    q: (query.get("q") ?? "").slice(0, longestQuery),
    path: (query.get("path") ?? "").trim().slice(0, longestPath),
    ref: query.get("ref") ?? "",
    word: query.has("word"),
    exact: query.has("exact"),
    regex: query.has("regex"),
  };
}

/** Where a line matches, in UTF-16 code units; the engine counts code points. */
function rangesOf({ text, matches }: FoundLine): [number, number][] {
  const points = [...text];
  const unitsTo = (end: number) => points.slice(0, end).join("").length;
  return matches.map(({ start, end }) => [unitsTo(start), unitsTo(end)]);
}

function lines(file: FoundFile, address: string): Html {
  let last = 0;
  const rows = file.lines.slice(0, shownLines).map((line) => {
    const gap = last !== 0 && line.number > last + 1 ? html`<tr class="gap"><td colspan="2">⋯</td></tr>` : null;
    last = line.number;
    const text = markRanges(html`${line.text}`, line.isMatch ? rangesOf(line) : []);
    return html`${gap}<tr><td><a href="${address}#L${line.number}">${line.number}</a></td><td>${text}${line.isCut && "…"}</td></tr>`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Lines of ${file.path}"><table class="found code"><tbody>${rows}</tbody></table></div>`;
}

const countMatching = (lines: readonly FoundLine[]) => lines.filter(({ isMatch }) => isMatch).length;

function panel(visit: Visit, access: RepositoryAccess, revision: Revision, file: FoundFile): Html {
  const address = sourceLink(visit.root, access, revision, file.path);
  const matching = countMatching(file.lines);
  const hidden = countMatching(file.lines.slice(shownLines));
  return html`<li class="panel edge"><header>${icon(visit, "file", "faint")}<h2 class="cut grow"><a class="plain" href="${address}" dir="auto">${file.path}</a></h2><span class="soft num">${wholeNumber(matching)}${file.isCut && "+"} ${matching === 1 ? "line" : "lines"}</span></header>${lines(file, address)}
    ${hidden > 0 && html`<footer class="soft">and ${wholeNumber(hidden)}${file.isCut && "+"} more ${hidden === 1 ? "line" : "lines"} in <a href="${address}">the file</a></footer>`}</li>`;
}

/** The kinds of files among those that were found, as links that narrow the search to one. */
function kinds(visit: Visit, address: string, files: readonly FoundFile[]): Html | null {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const [, ending] = /[^/]\.([a-z0-9_+-]{1,20})$/i.exec(path) ?? [];
    if (ending !== undefined) {
      counts.set(ending, (counts.get(ending) ?? 0) + 1);
    }
  }
  const links = [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, shownKinds)
    .map(([ending, count]) => {
      const query = new URLSearchParams(visit.query);
      query.delete("page");
      query.set("path", `*.${ending}`);
      return html`<a class="tag" rel="nofollow" href="${address}?${query.toString()}">.${ending} <span class="count">${wholeNumber(count)}</span></a>`;
    });
  return links.length < 2 ? null : html`<nav class="line flow" aria-label="Kinds of files">${links}</nav>`;
}

function box(name: string, words: string, isOn: boolean): Html {
  return html`<label class="line"><input type="checkbox" name="${name}" value="1"${isOn ? html` checked` : null}>${words}</label>`;
}

function searchForm(visit: Visit, address: string, asked: Asked, isWrong: boolean): Html {
  return html`<form class="stack s" action="${address}" role="search" aria-label="Code"><div class="tools"><div class="seek grow">${icon(visit, "search")}<input type="search" name="q" value="${asked.q}" aria-label="Search in files" placeholder="Search in files" spellcheck="false"${isWrong && html` aria-invalid="true" aria-describedby="problem"`}></div>
    <input class="auto" type="search" name="path" value="${asked.path}" aria-label="Only these paths" placeholder="src, *.ts" spellcheck="false"><button class="button main">Search</button></div>
    <div class="line flow">${box("word", "Whole words", asked.word)}${box("exact", "Upper and lower case differ", asked.exact)}${box("regex", "Regular expression", asked.regex)}${asked.ref !== "" && html`<input type="hidden" name="ref" value="${asked.ref}"><span class="soft">in <span class="ref">${asked.ref}</span></span>`}</div></form>`;
}

function results(visit: Visit, access: RepositoryAccess, address: string, found: CodeFound): Html {
  const { revision, files, truncated, leftOut } = found;
  if (revision === null || files.length === 0) {
    return truncated
      ? empty(
          visit,
          "search",
          "Nothing was found in time",
          "The search stopped before it had read every file. Name a path to search less.",
        )
      : empty(visit, "search", "Nothing was found", "No line of these files matches.");
  }
  const at = sliceOf(visit.query, filesOnPage);
  const stopped = truncated && "The search stopped early: there may be more. Name a path, or search for a longer text.";
  const skipped = leftOut > 0 && `${wholeNumber(leftOut)} very large files were left out.`;
  const remarks = [stopped, skipped].filter((one) => one !== false).join(" ");
  return html`${note(visit, "warn", remarks === "" ? null : remarks)}
    <div class="split"><p class="soft" role="status">${counted(files.length, "file")}</p>${kinds(visit, address, files)}</div>
    <ul class="stack">${files.slice(at.offset, at.offset + at.size).map((file) => panel(visit, access, revision, file))}</ul>
    ${pager(visit, address, visit.query, at, files.length)}`;
}

/** Search in the files of a repository, as `git grep` finds them, with the lines around what matches. */
export function codeSearchPages(forge: Forge, page: DeclarePage): PageRoute[] {
  async function search(visit: Visit, access: RepositoryAccess): Promise<Page> {
    const asked = readAsked(visit);
    const address = `${repositoryLink(visit.root, access)}/search`;
    const title = `Search in files · ${access.owner.name}/${access.repository.name}`;
    const answer = (shown: Html, problem: { status: number; message: string } | null = null): Page => ({
      title,
      ...(problem === null ? {} : { status: problem.status }),
      place: { tab: "code" },
      body: html`<h1 class="sr">Search in files</h1><div class="stack">${searchForm(visit, address, asked, problem !== null)}
        ${problem !== null && html`<p class="problem" id="problem" role="alert">${problem.message}</p>`}${shown}</div>`,
    });
    if (asked.q === "") {
      return answer(
        empty(
          visit,
          "search",
          "Search in the files of this repository",
          "Type a text, or a regular expression. Paths narrow the search: src, *.ts, docs/*.md.",
        ),
      );
    }
    const query = {
      pattern: asked.q,
      ...(asked.ref === "" ? {} : { revision: asked.ref }),
      paths: asked.path.split(/[\s,]+/).filter((path) => path !== ""),
      regex: asked.regex,
      ignoreCase: !asked.exact,
      wholeWord: asked.word,
      context: contextLines,
    };
    try {
      const found = await forge.git.codeSearch.find(access.repository, query, visit.request.signal);
      return answer(results(visit, access, address, found));
    } catch (error) {
      const problem = formMessage(error);
      if (problem === null || problem.status === 404) {
        throw error;
      }
      return answer(html``, problem);
    }
  }

  return [
    page("GET", "/:owner/:repo/search", { ...readsCode, past: true }, ({ visit, repository }) =>
      search(visit, repository),
    ),
  ];
}
