import type { RepositoryRow } from "../../../auth/subject.ts";
import type { Forge } from "../../spine/forge.ts";
import { UnreadableFile } from "./fields.ts";
import { openDefaultBranch } from "./find-templates.ts";

const places = ["", ".forgejo/", ".gitea/", ".github/", "docs/"];
const names = ["PULL_REQUEST_TEMPLATE.md", "pull_request_template.md"];

/** The text that pull requests of a repository begin with: a file of its default branch without its front matter. Empty: there is none. */
export async function findPullTemplate(forge: Forge, repository: RepositoryRow, signal: AbortSignal): Promise<string> {
  const branch = await openDefaultBranch(forge, repository, signal);
  for (const path of branch === null ? [] : places.flatMap((place) => names.map((name) => place + name))) {
    try {
      const text = await branch?.read(path);
      if (text != null) {
        return text
          .replaceAll("\r\n", "\n")
          .replace(/^---\n[^]*?\n---\n/, "")
          .trim();
      }
    } catch (error) {
      if (!(error instanceof UnreadableFile)) {
        throw error;
      }
    }
  }
  return "";
}
