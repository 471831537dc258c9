import { writeFileSync } from "node:fs";
import { StithyError } from "../../../../src/lib/errors.ts";
import { parseBundleHeader, type BundleHeader } from "../../../../src/git/transport/bundle-header.ts";
import { isRefName } from "../../../../src/git/refs/ref-name.ts";
import { GitFixture } from "../../git-fixture.ts";
import { expectSame, WrongAnswer, type FuzzTarget, type Verdict } from "../fuzz-target.ts";
import { mutate } from "../mutate.ts";

/** Names of refs, as `git check-ref-format` judges them; it is asked now and then only, since it takes one at a time. */
export function refName(askGitEvery: number): FuzzTarget {
  const fixture = new GitFixture();
  const seeds = [
    "refs/heads/main",
    "refs/tags/v1.0.0",
    "refs/heads/ünï/cödé",
    "refs/pull/1/head",
    "refs/heads/a.b/c-d_e",
  ].map((name) => Buffer.from(name));
  const words = [
    "/",
    "//",
    ".",
    "..",
    ".lock",
    "@",
    "@{",
    "~",
    "^",
    ":",
    "?",
    "*",
    "[",
    "\\",
    " ",
    "\t",
    "\x7f",
    "\x01",
    "-",
    "{",
    "}",
    "/.",
    "./",
    ".lock/",
    "\u2028",
    "\ud7ff",
    "\ufeff",
  ].map((word) => Buffer.from(word));
  let asked = 0;
  return {
    name: "ref-name",
    make: (random) => mutate(random, seeds[random.below(seeds.length)]!, words),
    run(input): Verdict {
      const name = Buffer.from(input).toString("utf8");
      const taken = isRefName(name);
      // An argument of a program cannot hold a NUL, nor what is not UTF-8; and what starts with a dash is an option.
      const askable =
        !name.startsWith("-") &&
        !name.includes("\0") &&
        !name.includes("\ufffd") &&
        Buffer.from(name).equals(input) &&
        name.length < 1000;
      if (askable && asked++ % askGitEvery === 0) {
        expectSame(
          `Whether ${JSON.stringify(name)} is a name`,
          taken,
          fixture.tryGit("/", ["check-ref-format", name]).exitCode === 0,
        );
      }
      return taken ? "taken" : "refused";
    },
    [Symbol.dispose]: () => fixture[Symbol.dispose](),
  };
}

/** Headers of bundles, where git ends a name at a NUL. What is read of a part must be nothing yet, or what is read of all. */
export function bundle(askGitEvery: number): FuzzTarget {
  const fixture = new GitFixture();
  const repository = fixture.repository();
  const path = fixture.path("in.bundle");
  const [a, b] = ["12".repeat(20), "ab".repeat(20)];
  const seeds = [
    `# v2 git bundle\n-${a} a subject\n-${b}\n${a} refs/heads/main\n${b} refs/tags/v1 x\n\nPACK`,
    `# v3 git bundle\n@object-format=sha1\n${a} refs/heads/main\n\nPACK`,
    `# v3 git bundle\n@object-format=sha256\n${a}${a.slice(0, 24)} HEAD\n\nPACK`,
  ].map((text) => Buffer.from(text));
  const words = [
    "# v2 git bundle\n",
    "# v3 git bundle\n",
    "@filter=blob:none\n",
    "@object-format=sha256\n",
    "@\n",
    "-",
    "\n\n",
    "\n",
    a,
    b,
    " ",
    `${a} refs/heads/x\n`,
    "\0",
    "\r",
  ].map((text) => Buffer.from(text));
  let asked = 0;
  const read = (bytes: Uint8Array): BundleHeader | null | "bad" => {
    try {
      return parseBundleHeader(bytes);
    } catch (error) {
      if (error instanceof StithyError) {
        return "bad";
      }
      throw error;
    }
  };
  return {
    name: "bundle",
    make: (random) => mutate(random, seeds[random.below(seeds.length)]!, words),
    run(input): Verdict {
      const header = read(input);
      for (let length = 16; length < input.length; length += 13) {
        const part = header === "bad" ? null : read(input.subarray(0, length));
        if (part !== null) {
          expectSame(`Read of ${length} bytes`, part, header);
        }
      }
      if (
        header !== null &&
        header !== "bad" &&
        header.refs.length > 0 &&
        !input.includes(0) &&
        asked++ % askGitEvery === 0
      ) {
        writeFileSync(path, input);
        const heads = fixture.tryGit(repository, ["bundle", "list-heads", path]);
        const ours = header.refs.map(({ oid, name }) => `${oid} ${name}\n`).join("");
        if (heads.exitCode !== 0 || heads.stdout.toString() !== ours) {
          throw new WrongAnswer(
            `git reads ${JSON.stringify(heads.stdout.toString() + heads.stderr.toString())} instead of ${JSON.stringify(ours)}`,
          );
        }
      }
      return header === null || header === "bad" ? "refused" : "taken";
    },
    [Symbol.dispose]: () => fixture[Symbol.dispose](),
  };
}
