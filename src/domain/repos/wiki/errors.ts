import { StithyError } from "../../../lib/errors.ts";

/** A page cannot be called or written so. */
export class InvalidWikiPage extends StithyError {
  constructor(message: string) {
    super("invalid", "invalid-wiki-page", message);
  }
}

/** The name of a page is taken, or another one differs from it in case only: some file systems cannot hold both. */
export class WikiPageExists extends StithyError {
  constructor(title: string, present: string) {
    const what =
      present === title
        ? "exists already"
        : `cannot be beside "${present.slice(0, 80)}": their names differ in case only`;
    super("invalid", "wiki-page-exists", `The wiki page "${title.slice(0, 80)}" ${what}`, { title, present });
  }
}

/** Somebody else changed the page while it was edited. */
export class WikiPageChanged extends StithyError {
  constructor(title: string) {
    super(
      "conflict",
      "wiki-page-changed",
      `The wiki page "${title.slice(0, 80)}" was changed by somebody else in this moment: read it again, and edit that`,
      { title },
    );
  }
}
