import type { FileChange } from "../../../git/edit/apply-changes.ts";
import type { Identity } from "../commits/identity.ts";

const verbs: Readonly<Record<FileChange["operation"], string>> = {
  create: "Add",
  update: "Update",
  put: "Update",
  delete: "Delete",
};

/** Returns the default message: one line for one file, a list for several. */
function defaultMessage(changes: readonly FileChange[]): string {
  const lines = changes.map(({ operation, path }) => `${verbs[operation]} ${path.replaceAll("\n", " ")}`);
  return lines.length === 1 ? (lines[0] ?? "") : `Change ${lines.length} files\n\n${lines.join("\n")}`;
}

const trailer = /^[A-Za-z0-9-]+: \S/;

/** Adds lines such as `Signed-off-by: …`. They join the trailers at the end of a message; where there are none they begin a paragraph of their own. */
export function addTrailers(message: string, lines: readonly string[]): string {
  const [, ...paragraphs] = message.split("\n\n");
  const last = paragraphs.at(-1)?.split("\n") ?? [];
  const missing = [...new Set(lines)].filter((line) => !last.includes(line));
  if (missing.length === 0) {
    return message;
  }
  const hasTrailers = last.length > 0 && last.every((text) => trailer.test(text));
  return `${message}${hasTrailers ? "\n" : "\n\n"}${missing.join("\n")}`;
}

/** The message as it is stored, with one line feed at its end. `signer` asks for a sign-off. */
export function commitMessage(
  given: string | undefined,
  changes: readonly FileChange[],
  signer: Identity | null,
): string {
  const cleaned = (given ?? "").replaceAll("\r\n", "\n").replaceAll("\0", "").trim();
  const message = cleaned === "" ? defaultMessage(changes) : cleaned;
  const signed = signer === null ? [] : [`Signed-off-by: ${signer.name} <${signer.email}>`];
  return `${addTrailers(message, signed)}\n`;
}
