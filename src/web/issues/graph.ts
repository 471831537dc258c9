import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { getIssueRow } from "../../domain/work/issues/get-issue.ts";
import { findDependencyGraph, type DependencyGraph } from "../../domain/work/issues/graph-queries.ts";
import { findHomes } from "../../domain/work/issues/list-queries.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import { clip } from "../../lib/show-value.ts";
import { html, type Html } from "../html.ts";
import { issueLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { note } from "../parts/note.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { readNumber } from "./discussion.ts";

const box = { width: 208, height: 40, gapX: 48, gapY: 16 };
const longestWords = 26;

/** The column of each issue: one further to the left than all that depend on it. The rules allow no circles; a bound ends them anyway. */
export function columnsOf(ids: readonly number[], edges: DependencyGraph["edges"]): Map<number, number> {
  const columns = new Map(ids.map((id) => [id, 0]));
  for (let round = 0; round < ids.length; round++) {
    let moved = false;
    for (const { issueId, dependsOnId } of edges) {
      const least = (columns.get(dependsOnId) ?? 0) + 1;
      if ((columns.get(issueId) ?? 0) < least) {
        columns.set(issueId, least);
        moved = true;
      }
    }
    if (!moved) {
      break;
    }
  }
  return columns;
}

interface Named {
  readonly row: IssueRow;
  readonly name: string;
  readonly href: string;
}

/** Draws what depends on what: an arrow leads from what has to be closed first. The list below says the same in words. */
function drawing(start: IssueRow, named: ReadonlyMap<number, Named>, { edges }: DependencyGraph): Html {
  const columns = columnsOf([...named.keys()], edges);
  const rows: number[] = [];
  const places = new Map<number, { x: number; y: number }>();
  for (const id of named.keys()) {
    const column = columns.get(id) ?? 0;
    const row = rows[column] ?? 0;
    rows[column] = row + 1;
    places.set(id, { x: column * (box.width + box.gapX) + 1, y: row * (box.height + box.gapY) + 1 });
  }
  const lines = edges.map(({ issueId, dependsOnId }) => {
    const [from, to] = [places.get(dependsOnId)!, places.get(issueId)!];
    const [x, y] = [from.x + box.width, from.y + box.height / 2];
    const [endX, endY] = [to.x - 5, to.y + box.height / 2];
    const half = (endX - x) / 2;
    return html`<path d="M${x} ${y}C${x + half} ${y} ${endX - half} ${endY} ${endX} ${endY}" marker-end="url(#arrow)"/>`;
  });
  const boxes = [...named].map(([id, { row, name, href }]) => {
    const { x, y } = places.get(id)!;
    const state = row.closedAt === null ? "open" : "closed";
    return html`<a href="${href}" tabindex="-1"><rect class="${state}${id === start.id ? " here" : ""}" x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="6"/><text x="${x + 10}" y="${y + 17}">${clip(row.title, longestWords)}</text><text class="faint" x="${x + 10}" y="${y + 32}">${name} · ${state}</text></a>`;
  });
  const width = Math.max(...columns.values()) * (box.width + box.gapX) + box.width + 2;
  const height = Math.max(...rows) * (box.height + box.gapY) - box.gapY + 2;
  return html`<div class="scroll"><svg class="depends" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" aria-hidden="true"><defs><marker id="arrow" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L6 3L0 6Z"/></marker></defs>${lines}${boxes}</svg></div>`;
}

/** The page with the graph of what an issue depends on, and what depends on it. */
export function graphPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function nameAll(
    visit: Visit,
    access: RepositoryAccess,
    rows: readonly IssueRow[],
  ): Promise<Map<number, Named>> {
    const homes = await findHomes(
      db,
      rows.map(({ repositoryId }) => repositoryId),
    );
    return new Map(
      rows.flatMap((row) => {
        const home = homes.get(row.repositoryId);
        const place =
          home === undefined || row.repositoryId === access.repository.id
            ? ""
            : `${home.owner.name}/${home.repository.name}`;
        return home === undefined
          ? []
          : [[row.id, { row, name: `${place}#${row.number}`, href: issueLink(visit.root, home, row) }] as const];
      }),
    );
  }

  const reads = { may: { on: "repository", do: "read", unit: "issues-or-pulls" } } as const;
  return [
    page(
      "GET",
      "/:owner/:repo/issues/:index/dependencies",
      reads,
      async ({ visit, repository: access }): Promise<Page> => {
        const row = await getIssueRow(forge, access, readNumber(visit));
        const graph = await findDependencyGraph(db, visit, row);
        const named = await nameAll(visit, access, graph.issues);
        const shown = {
          ...graph,
          edges: graph.edges.filter((edge) => named.has(edge.issueId) && named.has(edge.dependsOnId)),
        };
        const link = (id: number): Html => {
          const one = named.get(id)!;
          return html`<a href="${one.href}"><span dir="auto">${one.row.title}</span> ${one.name}</a>`;
        };
        const words = shown.edges.map(
          ({ issueId, dependsOnId }) => html`<li><span>${link(issueId)} depends on ${link(dependsOnId)}</span></li>`,
        );
        return {
          title: `Dependencies of #${row.number} · ${access.owner.name}/${access.repository.name}`,
          place: { tab: row.isPull ? "pulls" : "issues" },
          body: html`<div class="stack"><h1>Dependencies of #${row.number}</h1><p><a href="${issueLink(visit.root, access, row)}" dir="auto">${row.title}</a></p>${note(visit, "info", graph.hasMore ? "There are more. The nearest ones are shown." : null)}${words.length === 0 ? html`<p class="soft">It depends on nothing, and nothing depends on it.</p>` : html`${drawing(row, named, shown)}<h2>In words</h2><ul class="panel edge rows">${words}</ul>`}</div>`,
        };
      },
    ),
  ];
}
