import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { largestInlineFile, type ContentEntry } from "../../domain/git/contents/content-reader.ts";
import { readDetails } from "../../domain/git/contents/describe-entries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { presentLate } from "../../lib/json/write-json.ts";
import { clip } from "../../lib/show-value.ts";
import type { Api } from "../common/api.ts";
import { bodyReader } from "../common/input.ts";
import { invalid, ok } from "../common/responses.ts";
import { nullable } from "../common/schema.ts";
import { placeOf } from "../commits/present.ts";
import { presentContents, presentExtended } from "./present.ts";
import { ContentsExtResponse, ContentsResponse, GetFilesOptions } from "./schema.ts";

const ref = t.Optional(t.String({ description: "A branch, tag or commit; the default branch otherwise" }));
const includable = ["file_content", "lfs_metadata", "commit_metadata", "commit_message"] as const;
type Included = ReadonlySet<(typeof includable)[number]>;

const extendedQuery = {
  ref,
  includes: t.Optional(
    t.String({
      description: `What is told beside names, sizes and oids: any of ${includable.join(", ")}, with commas`,
    }),
  ),
};

/** Throws InvalidInput. */
function readIncludes(text = ""): Included {
  const names = text.split(",").filter((name) => name !== "");
  return new Set(
    names.map((name) => {
      const known = includable.find((each) => each === name.trim());
      if (known === undefined) {
        throw new InvalidInput(`includes must name ${includable.join(", ")}, not "${clip(name, 80)}"`, "includes");
      }
      return known;
    }),
  );
}

const readOptions = bodyReader(GetFilesOptions);

/** The paths of a JSON text. Throws InvalidInput. */
function readFiles(text: string): readonly string[] {
  try {
    return readOptions(JSON.parse(text)).files;
  } catch (error) {
    throw error instanceof SyntaxError
      ? new InvalidInput(`body must be JSON such as {"files": ["README.md"]}, not "${clip(text, 80)}"`, "body")
      : error;
  }
}

interface Asked {
  repository: RepositoryAccess;
  query: { ref?: string; includes?: string };
  signal: AbortSignal;
}

/** Files and directories with as much about them as the caller wants, and several files at once. */
export function extendedContentRoutes({ forge, group }: Api) {
  async function describe({ repository: access, query, signal }: Asked, path: string) {
    const includes = readIncludes(query.includes);
    const wantsCommits = includes.has("commit_metadata") || includes.has("commit_message");
    if (path === "" && access.repository.empty && query.ref === undefined) {
      return { dir_contents: [] };
    }
    const revision = await forge.git.revisions.get(access.repository, query.ref);
    const { view, commit } = revision;
    const found = await forge.git.contents.find(view, commit, path, { signal, lastCommits: wantsCommits });
    if (found === null) {
      throw new NotFound("file or directory", path);
    }
    const entries = found.kind === "directory" ? found.entries : [found.entry];
    const wanted = { commits: wantsCommits, pointers: includes.has("lfs_metadata") };
    const { commits, pointers } = await readDetails(forge, view, commit, entries, wanted);
    const place = placeOf(forge.addresses, access);
    const present = (entry: ContentEntry, bytes: Uint8Array | null) =>
      presentExtended(place, revision, entry, bytes, {
        commit: wantsCommits ? commits.get(entry.lastCommit?.oid ?? "") : undefined,
        message: includes.has("commit_message"),
        pointer: pointers.get(entry.path) ?? null,
      });
    return found.kind === "directory"
      ? { dir_contents: presentLate(found.entries, (entry) => present(entry, null)) }
      : { file_contents: present(found.entry, includes.has("file_content") ? found.bytes : null) };
  }

  async function describeFiles({ repository: access, query, signal }: Asked, paths: readonly string[]) {
    const revision = await forge.git.revisions.get(access.repository, query.ref);
    const { view, commit } = revision;
    const place = placeOf(forge.addresses, access);
    const described = [];
    let room = largestInlineFile;
    for await (const found of forge.git.contents.findFiles(view, commit, paths, signal)) {
      if (found === null) {
        described.push(null);
        continue;
      }
      // The contents of many files share the limit of one large file.
      room -= found.bytes?.length ?? 0;
      described.push(presentContents(place, revision, found.entry, room < 0 ? null : found.bytes));
    }
    return described;
  }

  const filesResponses = {
    ...ok(
      t.Array(nullable(ContentsResponse)),
      "The files in the order of their paths; null for what is no file. Their content is told up to 10 MiB altogether",
    ),
    ...invalid,
  };

  return group("/repos/:owner/:repo", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  })
    .get(
      "/contents-ext",
      {
        operationId: "repoGetContentsExtList",
        summary: "List the files of the root directory, with as much about them as is asked for",
        query: extendedQuery,
        responses: { ...ok(ContentsExtResponse, "The entries"), ...invalid },
      },
      (asked) => describe(asked, ""),
    )
    .get(
      "/contents-ext/:filepath+",
      {
        operationId: "repoGetContentsExt",
        summary: "Get a file or list a directory, with as much about it as is asked for",
        params: { filepath: t.String({ description: "Path of a file, directory, link or submodule" }) },
        query: extendedQuery,
        responses: { ...ok(ContentsExtResponse, "The file, or the entries"), ...invalid },
      },
      (asked) => describe(asked, asked.params.filepath),
    )
    .get(
      "/file-contents",
      {
        operationId: "repoGetFileContents",
        summary: "Get several files with their content",
        query: { ref, body: t.String({ description: 'The paths as JSON: {"files": ["README.md"]}' }) },
        responses: filesResponses,
      },
      (asked) => describeFiles(asked, readFiles(asked.query.body)),
    )
    .post(
      "/file-contents",
      {
        operationId: "repoGetFileContentsPost",
        summary: "Get several files with their content",
        description: "This changes nothing; it is for more paths than fit into an address.",
        signedIn: false,
        // It only reads.
        onArchived: "allowed",
        query: { ref },
        body: GetFilesOptions,
        responses: filesResponses,
      },
      (asked) => describeFiles(asked, asked.body.files),
    );
}
