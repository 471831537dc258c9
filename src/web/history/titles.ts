import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { resolverFor } from "../../domain/work/markdown/resolve-references.ts";
import { ReferenceMarks, putLinks, withoutMarks } from "../../markdown/references.ts";
import { html, trusted, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";
import { commitTitle } from "../repos/commit-title.ts";

/** A title whose text leads to its commit, and whose references to issues, people and commits lead to those. */
function linked(title: string, href: string): Html {
  // A link cannot stand in another one: those of the references divide that of the commit.
  const parts = title.split(/(<a .*?<\/a>)/).filter((part) => part !== "");
  return html`${parts.map((part) =>
    part.startsWith("<a ") ? trusted(part) : html`<a class="plain" href="${href}">${trusted(part)}</a>`,
  )}`;
}

/** A text as it is, with links to what it refers to. */
export async function linkText(forge: Forge, visit: Visit, access: RepositoryAccess, text: string): Promise<Html> {
  const resolver = resolverFor(forge, visit, { access, isComment: true });
  const marks = new ReferenceMarks(resolver.wanted);
  const token = { type: "text", text: withoutMarks(text) };
  marks.mark([token]);
  const found = marks.found.length === 0 ? [] : await resolver.resolve(marks.found);
  return trusted(putLinks(Bun.escapeHTML(token.text), marks.found, found));
}

/** Writes the titles of commits, in their order. All that they refer to is looked up at once. */
export async function linkTitles(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  commits: readonly { message: string; href: string }[],
): Promise<Html[]> {
  const resolver = resolverFor(forge, visit, { access, isComment: true });
  const marks = new ReferenceMarks(resolver.wanted);
  const tokens = commits.map(({ message }) => ({ type: "text", text: withoutMarks(commitTitle(message)) }));
  marks.mark(tokens);
  const found = marks.found.length === 0 ? [] : await resolver.resolve(marks.found);
  return tokens.map(({ text }, index) =>
    linked(putLinks(Bun.escapeHTML(text), marks.found, found), commits[index]?.href ?? ""),
  );
}
