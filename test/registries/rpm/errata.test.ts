import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { useTestApp } from "../../support/test-app.ts";
import { makeRpm, type RpmToMake } from "./make-rpm.ts";

/** Advisories of versions, which clients find in updateinfo.xml. */

const app = await useTestApp();
const alice = await app.user("alice");
const bob = await app.user("bob");
const as = { authorization: `token ${alice.token}` };
const at = (path: string) => `${app.url}/api/packages/alice/rpm/${path}`;
const upload = async (group: string, rpm: RpmToMake) =>
  (await fetch(at(`${group}/upload`), { method: "PUT", headers: as, body: makeRpm(rpm) })).status;
const post = async (path: string, body: unknown, headers: Record<string, string> = as) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(at(`${path}/errata`), { method: "POST", headers, body: text });
  return [answer.status, await answer.text()] as const;
};
const list = async (path: string) => {
  const answer = await fetch(at(path));
  return [answer.status, answer.status === 200 ? await answer.json() : null] as const;
};
const updateinfo = async (group: string): Promise<string | null> => {
  const answer = await fetch(at(`${group}/repodata/updateinfo.xml.gz`));
  return answer.status === 404 ? null : gunzipSync(await answer.bytes()).toString();
};

const full = {
  id: "FEDORA-2026-1",
  type: "security",
  title: "anvil <1.1> & more",
  severity: "Important",
  description: 'Line one\nline "two"',
  summary: "A summary",
  solution: "Update",
  rights: "CC0",
  release: "9",
  from: "sec@example.test",
  status: "stable",
  version: "2",
  issued: "2026-01-02 03:04:05",
  updated: { date: "2026-01-03T03:04:05+02:00" },
  references: [{ href: "https://example.test/?a&b", id: "CVE-2026-1", type: "cve", title: 'It "broke"' }],
};

test("an advisory is about the files of its version, and stands in updateinfo.xml as createrepo_c writes it", async () => {
  expect(await upload("one", { arch: "x86_64", epoch: 1 })).toBe(201);
  expect(await upload("one", { arch: "aarch64", epoch: 1 })).toBe(201);
  expect(await updateinfo("one")).toBeNull();
  expect(await post("one/package/anvil/1-1.0-1", full)).toEqual([201, ""]);
  const arch = (
    name: string,
  ) => `        <package name="anvil" version="1.0" release="1" epoch="1" arch="${name}" src="anvil-1.0-1.src.rpm">
          <filename>anvil-1-1.0-1.${name}.rpm</filename>
        </package>
`;
  const expected = (packages: string) => `<?xml version="1.0" encoding="UTF-8"?>
<updates>
  <update from="sec@example.test" status="stable" type="security" version="2">
    <id>FEDORA-2026-1</id>
    <title>anvil &lt;1.1&gt; &amp; more</title>
    <issued date="2026-01-02 03:04:05"/>
    <updated date="2026-01-03 01:04:05"/>
    <rights>CC0</rights>
    <release>9</release>
    <severity>Important</severity>
    <summary>A summary</summary>
    <description>Line one
line "two"</description>
    <solution>Update</solution>
    <references>
      <reference href="https://example.test/?a&amp;b" id="CVE-2026-1" type="cve" title="It &quot;broke&quot;"/>
    </references>
    <pkglist>
      <collection short="">
        <name></name>
${packages}      </collection>
    </pkglist>
  </update>
</updates>
`;
  expect(await updateinfo("one")).toBe(expected(arch("aarch64") + arch("x86_64")));
  const repomd = await (await fetch(at("one/repodata/repomd.xml"))).text();
  const [, href = ""] = /href="(repodata\/[0-9a-f]{64}-updateinfo\.xml\.gz)"/.exec(repomd) ?? [];
  expect(gunzipSync(await (await fetch(at(`one/${href}`))).bytes()).toString()).toBe((await updateinfo("one"))!);
  expect((await fetch(at("one/package/anvil/1-1.0-1/aarch64"), { method: "DELETE", headers: as })).status).toBe(204);
  expect(await updateinfo("one")).toBe(expected(arch("x86_64")));
});

test("an advisory of several packages stands there once, as it was updated last", async () => {
  const of = (name: string, updated: string, title: string) =>
    post(`two/package/${name}/1.0-1`, { id: "A-1", type: "bugfix", title, issued: "2026-01-01 00:00:00", updated });
  for (const name of ["one", "two", "three"]) {
    expect(await upload("two", { name })).toBe(201);
  }
  expect(await of("one", "2026-01-02 00:00:00", "older")).toEqual([201, ""]);
  expect(await of("two", "2026-01-03 00:00:00", "newest")).toEqual([201, ""]);
  expect(await of("three", "2026-01-01 00:00:00", "oldest")).toEqual([201, ""]);
  const xml = (await updateinfo("two"))!;
  expect(xml.match(/<id>|<title>.*|package name="\w+"/g)).toEqual([
    "<id>",
    "<title>newest</title>",
    'package name="three"',
    'package name="one"',
    'package name="two"',
  ]);
});

test("advisories are listed, replaced and deleted", async () => {
  expect(await upload("three", {})).toBe(201);
  const path = "three/package/anvil/1.0-1";
  const packages = [{ name: "other", version: "1", release: "2", arch: "noarch" }];
  const own = { ...full, pkglist: [{ short: "el9", name: "EL 9", packages }] };
  expect(await post(path, [{ id: "B-1", type: "newpackage" }, own])).toEqual([201, ""]);
  expect(await post(path, { ...own, title: "replaced" })).toEqual([201, ""]);
  const [status, body] = await list(`${path}/errata`);
  expect([status, body]).toMatchObject([
    200,
    [{ id: "B-1" }, { id: "FEDORA-2026-1", title: "replaced", pkglist: own.pkglist }],
  ]);
  expect(await updateinfo("three")).toContain("<filename>other-1-2.noarch.rpm</filename>");
  expect((await list(`${path}/errata/B-1`))[1]).toMatchObject({ id: "B-1" });
  expect((await list(`${path}/errata/B-2`))[0]).toBe(404);
  const remove = async (id = "") => (await fetch(at(`${path}/errata${id}`), { method: "DELETE", headers: as })).status;
  expect([await remove("/B-1"), await remove("/B-1")]).toEqual([204, 404]);
  expect((await list(`${path}/errata`))[1]).toHaveLength(1);
  expect(await updateinfo("three")).not.toContain("B-1");
  expect(await remove()).toBe(204);
  expect([await list(`${path}/errata`), await updateinfo("three")]).toEqual([[200, []], null]);
});

test.each([
  ["no JSON", "nothing", 400],
  ["an empty list", [], 400],
  ["no object", [1], 400],
  ["without an id", { type: "security" }, 400],
  ["of another type", { id: "A", type: "funny" }, 400],
  ["an id with a slash", { id: "A/1", type: "security" }, 400],
  ["an id with a line feed", { id: "A\n", type: "security" }, 400],
  ["a day that is none", { id: "A", type: "security", issued: "2026-02-30T99:00:00Z" }, 400],
  [
    "two of an id",
    [
      { id: "A", type: "security" },
      { id: "A", type: "bugfix" },
    ],
    400,
  ],
  ["a long title", { id: "A", type: "security", title: "x".repeat(1001) }, 400],
  ["too many of them", Array.from({ length: 1001 }, (_, n) => ({ id: `A-${n}`, type: "bugfix" })), 400],
  [
    "too much text",
    Array.from({ length: 70 }, (_, n) => ({ id: `A-${n}`, type: "bugfix", description: "x".repeat(65_000) })),
    413,
  ],
  ["a NUL", '{"id":"A","type":"security","title":"\\u0000"}', 400],
])("%s is refused", async (_, body, expected) => {
  await upload("refused", {});
  const [status, message] = await post("refused/package/anvil/1.0-1", body);
  expect([status, message.length > 10]).toEqual([expected, true]);
  expect((await list("refused/package/anvil/1.0-1/errata"))[1]).toEqual([]);
});

test("who may not write gives no advisories, and what is not there has none", async () => {
  await upload("four", {});
  const path = "four/package/anvil/1.0-1";
  const advisory = { id: "A", type: "security" };
  expect((await post(path, advisory, { authorization: `token ${bob.token}` }))[0]).toBe(401);
  expect((await post(path, advisory, {}))[0]).toBe(401);
  expect((await post("four/package/anvil/2.0-1", advisory))[0]).toBe(404);
  expect((await post("other/package/anvil/1.0-1", advisory))[0]).toBe(404);
  expect((await list("other/package/anvil/1.0-1/errata"))[0]).toBe(404);
  expect((await list(`${path}/errata`))[1]).toEqual([]);
});
