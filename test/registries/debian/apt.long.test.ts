import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { useTestApp } from "../../support/test-app.ts";
import { missingPrograms, ScratchDirectory } from "../shared/run-program.ts";
import { Apt } from "./apt.ts";
import { makeDeb } from "./deb.ts";
import { DebianRegistry } from "./registry.ts";

const isMissing = missingPrograms("Debian's client", ["apt-get", "dpkg", "dpkg-deb"]);

const app = await useTestApp();
const alice = await app.user("alice");
const scratch = new ScratchDirectory();
afterAll(() => scratch[Symbol.dispose]());
const registry = new DebianRegistry(app, alice);
const line = (distribution: string) => `deb [signed-by=KEY] ${registry.url} ${distribution} main contrib`;
const key = () => registry.text("repository.key");
const deb = (name: string, version: string, architecture = "all", more = "") =>
  makeDeb(scratch.path, { name, version, architecture, more });

describe.skipIf(isMissing)("apt", () => {
  test("installs, upgrades and removes packages whose signatures it has checked", async () => {
    await registry.publish(await deb("greeter", "1:2.0+b1~rc1-1", "amd64", "Depends: words (>= 1.0)\n"));
    await registry.publish(await deb("words", "1.0"), "stable/contrib");
    await registry.publish(await deb("foreign", "1.0", "arm64"));
    using apt = await Apt.start(line("stable"), await key());
    await apt.update();
    await apt.must("install", "greeter");
    expect(await apt.installed()).toEqual(["greeter 1:2.0+b1~rc1-1", "words 1.0"]);
    expect(await Bun.file(apt.at("usr/share/greeter/text")).text()).toBe("1:2.0+b1~rc1-1");
    expect((await apt.get("install", "foreign")).status).not.toBe(0);

    await registry.publish(await deb("greeter", "1:2.1-1", "amd64", "Depends: words (>= 1.1)\n"));
    await registry.publish(await deb("words", "1.1"), "stable/contrib");
    await apt.update();
    await apt.must("upgrade");
    expect(await apt.installed()).toEqual(["greeter 1:2.1-1", "words 1.1"]);
    // Older versions stay there.
    await apt.must("install", "--allow-downgrades", "greeter=1:2.0+b1~rc1-1");
    expect(await apt.installed()).toEqual(["greeter 1:2.0+b1~rc1-1", "words 1.1"]);
    await apt.must("remove", "greeter", "words");
    expect(await apt.installed()).toEqual([]);
    expect(existsSync(apt.at("usr/share/greeter/text"))).toBe(false);
  });

  test("no longer finds what was deleted, by its registry and by the API", async () => {
    await registry.publish(await deb("kept", "1.0"), "gone/main");
    await registry.publish(await deb("first", "1.0"), "gone/main");
    await registry.publish(await deb("second", "1.0"), "gone/main");
    using apt = await Apt.start(`deb [signed-by=KEY] ${registry.url} gone main`, await key());
    await apt.update();
    await apt.must("install", "first");
    expect((await registry.delete("gone/main/first/1.0/all")).status).toBe(204);
    expect((await alice.api.delete("/packages/alice/debian/second/1.0")).status).toBe(204);
    await app.forge.packageIndexes.publish({ ownerId: alice.id, type: "debian", name: "gone" });
    await apt.update();
    expect((await apt.get("install", "second")).said).toContain("Unable to locate package second");
    expect((await apt.get("install", "--reinstall", "first")).said).toContain("cannot be downloaded");
    await apt.must("install", "kept");
  });

  test("reads a private organization's packages with credentials, and not without", async () => {
    await alice.api.post("/orgs", { username: "forge", visibility: "private" });
    const hidden = new DebianRegistry(app, alice, "forge");
    await hidden.publish(await deb("secret", "1.0"));
    const publicKey = await (await hidden.get("repository.key", hidden.headers)).text();
    const source = `deb [signed-by=KEY] ${hidden.url} stable main`;
    using stranger = await Apt.start(source, publicKey);
    expect((await stranger.get("update")).said).toContain("401");
    using member = await Apt.start(source, publicKey);
    await Bun.write(member.at("etc/apt/auth.conf"), `machine ${hidden.url} login alice password ${alice.token}\n`);
    await member.update();
    await member.must("install", "secret");
    expect(await member.installed()).toEqual(["secret 1.0"]);
  });

  test("refuses a distribution that another owner's key has signed", async () => {
    await registry.publish(await deb("signed", "1.0"), "signed/main");
    const bob = new DebianRegistry(app, await app.user("bob"));
    using apt = await Apt.start(`deb [signed-by=KEY] ${registry.url} signed main`, await bob.text("repository.key"));
    const { status, said } = await apt.get("update");
    expect(status).not.toBe(0);
    expect(said).toContain("NO_PUBKEY");
  });

  test("of an architecture that has no packages of its own installs those for all", async () => {
    await registry.publish(await deb("anywhere", "1.0"), "mixed/main");
    await registry.publish(await deb("intel", "1.0", "amd64"), "mixed/main");
    using apt = await Apt.start(`deb [signed-by=KEY] ${registry.url} mixed main`, await key(), "riscv64");
    await apt.must("update");
    await apt.must("install", "anywhere");
    expect(await apt.installed()).toEqual(["anywhere 1.0"]);
  });
});
