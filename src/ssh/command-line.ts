import { StithyError } from "../lib/errors.ts";

/** A command that cannot be one of git's. */
export class NotAGitCommand extends StithyError {
  constructor(message: string) {
    super("invalid", "not-a-git-command", message);
  }
}

export type GitCommand =
  | {
      readonly program: "git-upload-pack" | "git-receive-pack" | "git-upload-archive";
      readonly owner: string;
      readonly repo: string;
    }
  | {
      readonly program: "git-lfs-authenticate";
      readonly owner: string;
      readonly repo: string;
      readonly operation: "upload" | "download";
    };

/** No path of a repository is longer, however much of it is quoting. */
const longest = 2048;
const shellName = /^(?:[\w@%+=:,./~-]|'[^']*'|\\['!])+/;
const piece = /'([^']*)'|\\(['!])|[\w@%+=:,./~-]+/g;

/**
 * Reads the command that git (or git-lfs) asks a server to run. What it quotes is quoted as git does it: in single
 * quotes, with `'` and `!` as `'\''` and `'\!'`; nothing else of a shell's language is understood, and nothing is run.
 * Throws NotAGitCommand.
 */
export function parseCommandLine(line: string): GitCommand {
  const words = splitWords(line);
  const [first, ...rest] = words[0] === "git" ? [`git-${words[1] ?? ""}`, ...words.slice(2)] : words;
  switch (first) {
    case "git-upload-pack":
    case "git-receive-pack":
    case "git-upload-archive":
      if (rest.length !== 1) {
        throw new NotAGitCommand(`${first} takes the path of one repository`);
      }
      return { program: first, ...parsePath(rest[0] ?? "") };
    case "git-lfs-authenticate": {
      // Old clients name the object, too; it makes no difference.
      const [path, operation] = rest;
      if (rest.length > 3 || (operation !== "upload" && operation !== "download")) {
        throw new NotAGitCommand("git-lfs-authenticate takes the path of a repository, and upload or download");
      }
      return { program: first, ...parsePath(path ?? ""), operation };
    }
    default:
      throw new NotAGitCommand("Only git's own commands can be run here");
  }
}

function splitWords(line: string): string[] {
  if (line.length > longest) {
    throw new NotAGitCommand(`A command of more than ${longest} characters cannot be run here`);
  }
  const words: string[] = [];
  for (let left = line.trim(); left !== "";) {
    const [raw] = shellName.exec(left) ?? [];
    const after = raw === undefined ? "" : left.slice(raw.length);
    if (raw === undefined || (after !== "" && !after.startsWith(" "))) {
      throw new NotAGitCommand("Only git's own commands can be run here");
    }
    words.push([...raw.matchAll(piece)].map(([text, quoted, escaped]) => quoted ?? escaped ?? text).join(""));
    left = after.trimStart();
  }
  return words;
}

/** `owner/repo`, with or without slashes before it, and with one or several between; what git's users write behind it (`.git`) stays. */
function parsePath(path: string): { owner: string; repo: string } {
  const [owner = "", repo = "", ...rest] = path
    .replaceAll(/\/+/g, "/")
    .replace(/^\//, "")
    .replace(/\/$/, "")
    .split("/");
  if (
    owner === "" ||
    repo === "" ||
    repo === ".git" ||
    rest.length > 0 ||
    path.startsWith("~") ||
    path.startsWith("/~") ||
    hasControls(path)
  ) {
    throw new NotAGitCommand(
      `"${hasControls(path) ? "?" : path}" is not the path of a repository; it looks like owner/repository.git`,
    );
  }
  return { owner, repo };
}

function hasControls(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\u007f");
}
