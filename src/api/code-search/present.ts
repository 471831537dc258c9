import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { FoundFile, FoundLine } from "../../git/grep/file-search.ts";

/** A file that a search found. */
export function presentFoundFile(
  addresses: Addresses,
  { owner, repository }: RepositoryAccess,
  { kind, name: revision, commit }: Revision,
  { path, oid, lines, isCut }: FoundFile,
) {
  const [login, name] = [owner.name, repository.name];
  const first = lines.find(({ isMatch }) => isMatch);
  return {
    name: path.slice(path.lastIndexOf("/") + 1),
    path,
    sha: oid,
    url: addresses.contentsApi(login, name, path, commit),
    html_url: `${addresses.source(login, name, kind, revision, path)}${first === undefined ? "" : `#L${first.number}`}`,
    git_url: addresses.gitApi(login, name, "blobs", oid),
    truncated: isCut,
    lines: lines.map(presentLine),
  };
}

function presentLine({ number, text, isMatch, isCut, offset, matches }: FoundLine) {
  const characters = matches.length === 0 ? [] : [...text];
  return {
    number,
    text,
    is_match: isMatch,
    truncated: isCut,
    byte_offset: offset,
    matches: matches.map(({ start, end, startByte, endByte }) => ({
      text: characters.slice(start, end).join(""),
      indices: [start, end],
      byte_indices: [startByte, endByte],
    })),
  };
}
