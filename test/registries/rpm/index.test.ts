import { expect, test } from "bun:test";
import { mkdirSync, statSync } from "node:fs";
import { basename } from "node:path";
import { gunzipSync } from "node:zlib";
import { Glob } from "bun";
import { readRpm } from "../../../src/registries/rpm/read-rpm.ts";
import { fileNameOf } from "../../../src/registries/rpm/package.ts";
import { filelistsStanza, otherStanza, primaryStanza } from "../../../src/registries/rpm/stanzas.ts";
import { Scratch } from "../../support/git.ts";
import { makeRpm } from "./make-rpm.ts";
import { buildRpms, hasRpmTools, plainSpec, richSpec, runTool } from "./rpm-tools.ts";

/** What packages add to the index, beside what createrepo_c writes for the same files. */

const there = hasRpmTools("what createrepo_c writes of rpm packages");
const limit = 16 * 1024 * 1024;

/** The stanzas of an index that createrepo_c made, by the SHA-256 of their packages. */
async function createrepoStanzas(directory: string, part: string): Promise<Map<string, string>> {
  const [path = ""] = new Glob(`*-${part}.xml.gz`).scanSync(`${directory}/repodata`);
  const xml = gunzipSync(await Bun.file(`${directory}/repodata/${path}`).bytes()).toString();
  const found = xml.match(/<package [\s\S]*?<\/package>\n/g) ?? [];
  return new Map(found.map((stanza) => [/[0-9a-f]{64}/.exec(stanza)![0], stanza]));
}

test.skipIf(!there)("packages by rpmbuild add the same bytes as with createrepo_c", async () => {
  using scratch = new Scratch();
  const directory = scratch.join("repository");
  mkdirSync(directory);
  const files = [
    ...(await buildRpms(scratch, "rich", richSpec)),
    ...(await buildRpms(scratch, "plain", plainSpec("plain", "2.0"))),
  ];
  // Latin-1 and control characters, flags of old weak dependencies, a package that was built by another program.
  const odd = makeRpm({
    name: "odd",
    tags: {
      1005: { translated: Buffer.from("caf\xe9 \x80\xfe", "latin1") },
      1049: ["a", "b", "/usr/bin/own", "c", "c"],
      1048: { numbers: [1 << 19, 64, 0, 10 | 512, 10] },
      1050: ["", "", "", "1:2-3", "1:2-3"],
      1156: ["old-suggestion", "old-recommendation"],
      1158: { numbers: [0, 1 << 27] },
      1157: ["", ""],
      1117: ["own", "text"],
      1118: ["/usr/bin/", "/usr/share/"],
      1116: { numbers: [0, 1] },
      1030: { numbers: [0o100755, 0o100644], bits: 16 },
      1037: { numbers: [0, 64] },
      1035: ["", ""],
    },
  });
  await Bun.write(`${directory}/odd.rpm`, odd);
  for (const file of files) {
    await Bun.write(`${directory}/${basename(file)}`, Bun.file(file));
  }
  await runTool(["createrepo_c", "--quiet", "--compress-type", "gz", "--no-database", directory]);
  const theirs = {
    primary: await createrepoStanzas(directory, "primary"),
    filelists: await createrepoStanzas(directory, "filelists"),
    other: await createrepoStanzas(directory, "other"),
  };
  const names = [...new Glob("*.rpm").scanSync(directory)];
  expect(names.length).toBe(6);
  expect(theirs.primary.size).toBe(6);
  for (const name of names) {
    const file = Bun.file(`${directory}/${name}`);
    const sha256 = new Bun.CryptoHasher("sha256").update(await file.bytes()).digest("hex");
    const { package: rpm } = await readRpm(file, limit);
    const time = Math.floor(statSync(`${directory}/${name}`).mtimeMs / 1000);
    const facts = { sha256, bytes: file.size, time };
    const primary = primaryStanza(rpm, facts).replace(/(?<=<location href=")[^"]*(?=")/, name);
    expect(primary).toBe(theirs.primary.get(sha256)!);
    expect(filelistsStanza(rpm, facts)).toBe(theirs.filelists.get(sha256)!);
    expect(otherStanza(rpm, facts)).toBe(theirs.other.get(sha256)!);
    expect(primaryStanza(rpm, facts)).toContain(`/${rpm.arch}/${fileNameOf(rpm)}"/>`);
  }
});
