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

/** A sign-off joins the trailers at the end of a message; where there are none it begins a paragraph of its own. */
function signOff(message: string, { name, email }: Identity): string {
  const line = `Signed-off-by: ${name} <${email}>`;
  const [, ...paragraphs] = message.split("\n\n");
  const last = paragraphs.at(-1)?.split("\n") ?? [];
  if (last.includes(line)) {
    return message;
  }
  return last.length > 0 && last.every((text) => trailer.test(text)) ? `${message}\n${line}` : `${message}\n\n${line}`;
}

/** The message as it is stored, with one line feed at its end. `signer` asks for a sign-off. */
export function commitMessage(
  given: string | undefined,
  changes: readonly FileChange[],
  signer: Identity | null,
): string {
  const cleaned = (given ?? "").replaceAll("\r\n", "\n").replaceAll("\0", "").trim();
  const message = cleaned === "" ? defaultMessage(changes) : cleaned;
  return `${signer === null ? message : signOff(message, signer)}\n`;
}
