import { parseConfig } from "./parse-config.ts";

/** Far more than any list of submodules: what is larger is not looked through. */
const largestBytes = 16 * 1024 * 1024;

/**
 * Checks the content of a `.gitmodules` file. Returns the fault, or null: a name that leads out of `.git/modules`, or
 * an address or path that a git client would take for an option or a command. A file that cannot be parsed is checked
 * up to that place, as in git.
 */
export function checkGitmodules(bytes: Uint8Array): string | null {
  if (bytes.length > largestBytes) {
    return `gitmodulesLarge: has ${bytes.length} bytes`;
  }
  const settings = parseConfig(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  for (const { section, subsection, name, value } of settings) {
    if (section !== "submodule" || subsection === null) {
      continue;
    }
    if (subsection === "" || subsection.split(/[\\/]/).includes("..")) {
      return `gitmodulesName: ${JSON.stringify(subsection)} is not allowed as the name of a submodule`;
    }
    if (name === "url" && value !== null && isBadUrl(value)) {
      return `gitmodulesUrl: ${JSON.stringify(value)} is not allowed as the address of a submodule`;
    }
    if (name === "path" && value?.startsWith("-") === true) {
      return `gitmodulesPath: ${JSON.stringify(value)} is not allowed as the path of a submodule`;
    }
    if (name === "update" && value?.startsWith("!") === true) {
      return `gitmodulesUpdate: ${JSON.stringify(value)} is a command`;
    }
  }
  return null;
}

function isBadUrl(url: string): boolean {
  if (url.startsWith("-")) {
    return true;
  }
  const relative = /^\.\.?[\\/]/.test(url);
  if (relative) {
    // Enough "../" lead out of the path of the parent's address and replace its host.
    const beyond = url.replace(/^(?:\.\.?[\\/])+/, "");
    return /^[:/\\]/.test(beyond) || holdsLineBreak(url);
  }
  // What follows `https::` goes to the same helper, which needs a whole address there.
  const helped = /^(?:https?|ftps?)::(.*)$/s.exec(url);
  if (helped !== null && !/^[a-z][a-z0-9+.-]*:\/\/[^/:?#]/i.test(helped[1]!)) {
    return true;
  }
  const web = /^(?:[a-z]+::)?((?:https?|ftps?):\/\/.*)$/is.exec(url);
  if (web !== null) {
    return !URL.canParse(web[1]!) || /^[a-z]+:\/\/\//i.test(web[1]!) || holdsLineBreak(web[1]!);
  }
  return url.startsWith("git://") && holdsLineBreak(url);
}

/** Written out or as an escape: a helper for credentials would take what follows for another line of its input. */
function holdsLineBreak(url: string): boolean {
  return /\n|%0a/i.test(url);
}
