import type { Random } from "./generated-history.ts";

const directories = ["", "src/", "src/lib/", "docs/", "old/", "b\u00e4r/"];
const names = ["index.ts", "Makefile", "readme.md", "a.c", "b c.c", "tool"];

/** A text of lines that others have too, so that the similarity of two texts is anything. */
function text(random: Random): string {
  const topic = random(6);
  const lines = Array.from({ length: 1 + random(random(4) === 0 ? 300 : 40) }, () => line(topic, random));
  return lines.join(random(8) === 0 ? "\r\n" : "\n") + (random(5) === 0 ? "" : "\n");
}

function line(topic: number, random: Random): string {
  const indent = random(3) === 0 ? "\t".repeat(random(3)) : " ".repeat(2 * random(4));
  switch (random(9)) {
    case 0:
      return random(3) === 0 ? indent : "";
    case 1:
      return `${indent}}`;
    case 2:
      return `function ${"n\u00e4me".repeat(random(30))}(${topic}) {${random(4) === 0 ? "\ufffe" : ""}`;
    default:
      return `${indent}line ${topic} ${random(30)} ${"x".repeat(random(5) === 0 ? 100 : random(20))}${random(20) === 0 ? "  " : ""}`;
  }
}

/** A file, which begins with its mode, with other content. */
function edit(file: string, random: Random): string {
  return file.startsWith("160000")
    ? `160000 ${String(1 + random(9)).repeat(40)}`
    : file.slice(0, 7) + editText(file.slice(7), random);
}

function editText(content: string, random: Random): string {
  const lines = content.split("\n");
  for (let count = random(1 + lines.length); count > 0; count--) {
    const at = random(lines.length);
    const action = random(6);
    if (action === 0) {
      lines.splice(at, random(4));
    } else if (action === 1) {
      lines.splice(at, 0, ...lines.slice(at, at + 1 + random(3)));
    } else if (action === 2) {
      lines.splice(at, 0, line(random(6), random));
    } else if (action === 3) {
      lines[at] = ` ${lines[at]!.replace(" ", "  ")} `;
    } else {
      lines[at] = `edited ${random(1000)}`;
    }
  }
  return lines.join("\n");
}

function nextTree(previous: ReadonlyMap<string, string>, random: Random): Map<string, string> {
  const files = new Map(previous);
  const path = (): string =>
    `${directories[random(directories.length)]!}${names[random(names.length)]!}${random(3) === 0 ? random(9) : ""}`;
  for (let count = 4 + random(8); count > 0; count--) {
    const present = [...files.keys()];
    const from = present.length === 0 ? undefined : present[random(present.length)]!;
    const content = from === undefined ? text(random) : files.get(from)!;
    const action = random(8);
    if (from === undefined || action === 0) {
      files.set(path(), `100644 ${text(random)}`);
    } else if (action < 5) {
      files.set(path(), random(3) === 0 ? content : edit(content, random));
      if (action < 4) {
        files.delete(from);
      }
    } else if (action === 5) {
      files.set(
        from,
        random(4) === 0
          ? content.replace(/^100(644|755)/, (mode) => (mode === "100644" ? "100755" : "100644"))
          : edit(content, random),
      );
    } else {
      files.set(
        path(),
        [
          "100644 ",
          "120000 target",
          "100755 #!\n",
          `100644 \0binary ${random(99)}`,
          `160000 ${String(1 + random(9)).repeat(40)}`,
        ][random(5)]!,
      );
    }
  }
  return files;
}

/** Trees that came of one another by moving, copying, mixing and editing files, for `packedTrees`. */
export function randomTrees(count: number, random: Random): Map<string, string>[] {
  const trees: Map<string, string>[] = [];
  let files = new Map<string, string>();
  for (let number = 0; number < count; number++) {
    files = nextTree(random(12) === 0 ? new Map() : files, random);
    trees.push(files);
  }
  return trees;
}
