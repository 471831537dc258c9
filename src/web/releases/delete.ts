import { deleteRelease } from "../../domain/repos/releases/delete-release.ts";
import { getRelease } from "../../domain/repos/releases/get-release.ts";
import { deleteTag } from "../../domain/repos/tags/delete-tag.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { alsoWritesCode } from "../also-on.ts";
import { formMessage } from "../errors.ts";
import { html } from "../html.ts";
import { releaseFormLink, releaseLink, releasesLink } from "../links.ts";
import { offers } from "../offers.ts";
import { writesCode, writesReleases, type DeclarePage, type PageRoute } from "../pages.ts";
import { Redirect } from "../respond.ts";

/** The page that asks before a release is deleted, and what it does. */
export function releaseDeletePages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page("GET", "/:owner/:repo/releases/delete/*", writesReleases, async ({ visit, repository: access }) => {
      const { release } = await getRelease(forge, visit, access, { tag: visit.params["*"] ?? "" });
      const { tagName, title } = release;
      const hasTag = (await forge.git.refs.findRef(access.repository.id, `refs/tags/${tagName}`)) !== null;
      const choice =
        hasTag && offers(visit, writesCode)
          ? html`<label class="choice"><input type="checkbox" name="tag" value="1"><span>Delete the tag, too</span><small>The commits stay as long as a branch or another tag has them.</small></label>`
          : null;
      return {
        title: `Delete ${tagName} · ${access.owner.name}/${access.repository.name}`,
        place: { tab: "releases", width: "narrow" },
        body: html`<h1 dir="auto">Delete the release ${title || tagName}?</h1><p>Its notes and its files are gone then. ${hasTag && html`The tag <b dir="auto">${tagName}</b> stays.`}</p>
          <form class="stack" method="post" action="${releaseFormLink(visit.root, access, "delete", tagName)}">${visit.formField()}${choice}<div class="line flow"><button class="button danger">Delete the release</button><a class="button" href="${releaseLink(visit.root, access, tagName)}">Cancel</a></div></form>`,
      };
    }),
    page("POST", "/:owner/:repo/releases/delete/*", writesReleases, async ({ visit, doer, repository: access }) => {
      const tag = visit.params["*"] ?? "";
      const withTag = visit.form.has("tag") ? await alsoWritesCode(visit, doer, access) : null;
      await forge.change(doer, (work) => deleteRelease(work, access, { tag }));
      const list = releasesLink(visit.root, access);
      if (withTag === null) {
        return new Redirect(list, `The release of ${tag} is deleted`);
      }
      try {
        await deleteTag(forge, withTag, access, tag);
        return new Redirect(list, `The release and the tag ${tag} are deleted`);
      } catch (error) {
        const refused = formMessage(error);
        if (refused === null) {
          throw error;
        }
        return new Redirect(list, `The release is deleted. Its tag stays: ${refused.message}`);
      }
    }),
  ];
}
