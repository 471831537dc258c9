import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { Scratch } from "../../support/git.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";
import { Dnf } from "./dnf.ts";
import { makeRpm } from "./make-rpm.ts";
import { buildRpms, hasRpmTools, plainSpec } from "./rpm-tools.ts";

/** dnf as the client, with `gpgcheck` and `repo_gpgcheck`, which installs into a system of its own. */

const isRoot = process.getuid?.() === 0;
if (!isRoot) {
  console.log("LEFT OUT: what dnf does with the RPM registry: only root may install with it");
}
const there = isRoot && hasRpmTools("what dnf does with the RPM registry");
setDefaultTimeout(300_000);

const app = await useTestApp();
const alice = await app.user("alice");
const at = (path: string) => `${app.url}/api/packages/${path}`;
const as = ({ name, token }: Pick<TestUser, "name" | "token">) => ({
  authorization: `Basic ${btoa(`${name}:${token}`)}`,
});
const repoOf = async (path: string) => (await fetch(at(path), { headers: as(alice) })).text();

async function upload(path: string, body: Blob | Uint8Array<ArrayBuffer>): Promise<void> {
  const answer = await fetch(at(path), { method: "PUT", headers: as(alice), body });
  expect([path, answer.status, await answer.text()]).toEqual([path, 201, ""]);
}

/** Builds a package with rpmbuild and uploads it with its source. */
async function publish(path: string, name: string, version: string, more = ""): Promise<void> {
  using scratch = new Scratch();
  for (const file of await buildRpms(scratch, name, plainSpec(name, version, "1", more))) {
    await upload(path, Bun.file(file));
  }
}

describe.skipIf(!there)("dnf", () => {
  test("installs, upgrades, downgrades and removes packages whose signatures it has checked", async () => {
    await publish("alice/rpm/el9/upload?sign=true", "anvil", "1.0", "Epoch: 2\nRequires: tongs >= 1.0");
    await publish("alice/rpm/el9/upload?sign=true", "tongs", "1.0~rc1");
    await publish("alice/rpm/el9/upload?sign=true", "tongs", "1.0");
    using dnf = await Dnf.start(await repoOf("alice/rpm/el9.repo"));
    await dnf.must("install", "anvil");
    expect(await dnf.installed()).toEqual(["anvil 2:1.0-1 noarch", "tongs 1.0-1 noarch"]);
    expect(await Bun.file(dnf.at("usr/bin/anvil")).text()).toBe("echo anvil 1.0\n");

    await publish("alice/rpm/el9/upload?sign=true", "anvil", "1.1", "Epoch: 2");
    const advisory = {
      id: "ANVIL-1",
      type: "security",
      severity: "Critical",
      references: [{ href: "https://example.test", id: "CVE-2026-1", type: "cve" }],
    };
    const told = await fetch(at("alice/rpm/el9/package/anvil/2-1.1-1/errata"), {
      method: "POST",
      headers: as(alice),
      body: JSON.stringify(advisory),
    });
    expect(told.status).toBe(201);
    expect(await dnf.must("updateinfo", "list", "--refresh")).toContain("ANVIL-1 Critical/Sec. anvil-2:1.1-1.noarch");
    await dnf.must("upgrade", "--security");
    expect(await dnf.installed()).toEqual(["anvil 2:1.1-1 noarch", "tongs 1.0-1 noarch"]);
    expect(await dnf.must("repoquery", "-l", "anvil-2:1.1")).toContain("/usr/bin/anvil");
    expect(await dnf.must("repoquery", "--whatprovides", "/usr/bin/tongs")).toContain("tongs-0:1.0-1.noarch");
    await dnf.must("downgrade", "anvil");
    await dnf.must("remove", "anvil", "tongs");
    expect([await dnf.installed(), existsSync(dnf.at("usr/bin/anvil"))]).toEqual([[], false]);
  });

  test("refuses packages that the registry's key has not signed, and no longer finds what was deleted", async () => {
    await publish("alice/rpm/mixed/upload", "unsigned", "1.0");
    await publish("alice/rpm/mixed/upload?sign=true", "signed", "1.0");
    using dnf = await Dnf.start(await repoOf("alice/rpm/mixed.repo"));
    const { status, text } = await dnf.run("install", "unsigned");
    expect([status !== 0, text]).toEqual([true, expect.stringContaining("is not signed")]);
    await dnf.must("install", "signed");
    const removed = await fetch(at("alice/rpm/mixed/package/signed/1.0-1/noarch"), {
      method: "DELETE",
      headers: as(alice),
    });
    expect(removed.status).toBe(204);
    expect((await dnf.run("reinstall", "--refresh", "signed")).status).not.toBe(0);
    expect(await dnf.must("repoquery", "--refresh", "signed")).not.toContain("signed-0:1.0-1.noarch");
  });

  test("reads a private owner's packages with credentials, and not without", async () => {
    await alice.api.post("/orgs", { username: "forge", visibility: "private" });
    await publish("forge/rpm/upload?sign=true", "hidden", "1.0");
    const repo = await repoOf("forge/rpm.repo");
    const key = await repoOf("forge/rpm/repository.key");
    using stranger = await Dnf.start(repo);
    expect((await stranger.run("makecache")).text).toContain("401");
    using scratch = new Scratch();
    await Bun.write(scratch.join("key"), key);
    const own = repo.replace(
      /gpgkey=.*/,
      `gpgkey=file://${scratch.join("key")}\nusername=alice\npassword=${alice.token}`,
    );
    using member = await Dnf.start(own);
    await member.must("install", "hidden");
    expect(await member.installed()).toEqual(["hidden 1.0-1 noarch"]);
  });

  test("never finds an index that is not whole while packages come, twenty at a time", async () => {
    await upload("alice/rpm/busy/upload?sign=true", makeRpm({ name: "first" }));
    using dnf = await Dnf.start(await repoOf("alice/rpm/busy.repo"));
    await dnf.must("makecache");
    const state = { isUploading: true };
    const uploads = (async () => {
      for (let round = 0; round < 10; round++) {
        await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            upload("alice/rpm/busy/upload?sign=true", makeRpm({ name: `package${n}`, version: `1.${round}` })),
          ),
        );
      }
    })().finally(() => {
      state.isUploading = false;
    });
    let rounds = 0;
    while (state.isUploading || rounds < 3) {
      await dnf.must("makecache", "--refresh");
      rounds++;
    }
    await uploads;
    expect(rounds).toBeGreaterThan(2);
    const found = await dnf.must("repoquery", "--refresh", "--qf", "%{name} %{version}");
    const expected = Array.from({ length: 20 }, (_, n) =>
      Array.from({ length: 10 }, (_, m) => `package${n} 1.${m}`),
    ).flat();
    expect(
      found
        .split("\n")
        .filter((line) => line.startsWith("package"))
        .toSorted(),
    ).toEqual(expected.toSorted());
    await dnf.must("install", "package19-1.9");
    expect(await dnf.installed()).toEqual(["package19 1.9-1 noarch"]);
  });
});
