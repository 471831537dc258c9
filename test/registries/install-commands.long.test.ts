import { afterAll, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { commandsIn } from "../support/commands-in.ts";
import { OpenDirectory } from "../support/stithy.ts";
import { useTestApp } from "../support/test-app.ts";
import { makeApk } from "./alpine/make-apk.ts";
import { prepareR } from "./cran/run-r.ts";
import { Apt } from "./debian/apt.ts";
import { makeDeb } from "./debian/deb.ts";
import { moduleZip } from "./go/make-zip.ts";
import { buildRpms, hasRpmTools, plainSpec } from "./rpm/rpm-tools.ts";
import { Dnf } from "./rpm/dnf.ts";
import { missingPrograms, runProgram, ScratchDirectory } from "./shared/run-program.ts";

/** The commands that the page of a version shows are given to the real clients, with a directory of the test in the place of the machine's /etc. */

const app = await useTestApp();
const alice = await app.user("alice");
const scratch = new ScratchDirectory();
afterAll(() => scratch[Symbol.dispose]());

async function publish(path: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
  const headers = { authorization: `Basic ${btoa(`alice:${alice.token}`)}` };
  const put = await fetch(`${app.url}/api/packages/alice/${path}`, { method: "PUT", body, headers });
  expect([put.status, await put.text()]).toEqual([201, ""]);
}

async function steps(path: string): Promise<[string, string]> {
  const page = await (await fetch(`${app.url}/alice/-/packages/${path}`)).text();
  return [commandsIn(page, "install-1"), commandsIn(page, "install-2")];
}

test.skipIf(missingPrograms("the commands of a Debian package", ["apt-get", "dpkg", "dpkg-deb", "curl"]))(
  "of a Debian package install it",
  async () => {
    await publish(
      "debian/pool/stable/main/upload",
      await makeDeb(scratch.path, { name: "greeter", version: "1:2.0+b1~rc1-1", architecture: "amd64" }),
    );
    using apt = await Apt.start("", "");
    for (const directory of ["keyrings", "sources.list.d"]) {
      mkdirSync(apt.at(join("etc/apt", directory)));
    }
    const lines = (await steps(`debian/greeter/${encodeURIComponent("1:2.0+b1~rc1-1")}`)).join("\n");
    await runProgram(["bash", "-euc", lines.replaceAll("/etc/apt/", `${apt.at("etc/apt")}/`)], {
      env: { APT_CONFIG: apt.at("apt.conf"), TMPDIR: apt.at("tmp") },
    });
    expect(await apt.installed()).toEqual(["greeter 1:2.0+b1~rc1-1"]);
  },
);

test.skipIf(!hasRpmTools("the commands of an rpm"))("of an rpm install it", async () => {
  using built = new OpenDirectory();
  const [file = ""] = await buildRpms(built, "anvil", plainSpec("anvil", "1.0", "2"));
  await publish("rpm/rocky/el9/upload?sign=true", await Bun.file(file).bytes());
  const [add, install] = await steps("rpm/anvil/1.0-2");
  const etc = join(scratch.path, "yum.repos.d");
  mkdirSync(etc);
  await runProgram(["bash", "-euc", add.replaceAll("/etc/yum.repos.d", etc)]);
  using dnf = await Dnf.start(await Bun.file(join(etc, "alice-rocky-el9.repo")).text());
  await dnf.must(...install.split(" ").slice(1));
  expect(await dnf.installed()).toEqual([expect.stringContaining("anvil 1.0-2 ") as never]);
});

test.skipIf(missingPrograms("the commands of an R package", ["R", "Rscript"]))(
  "of an R package install its newest and a former version",
  async () => {
    const { script, build } = prepareR(scratch.path);
    for (const version of ["1.0", "1.1"]) {
      await publish("cran/src", await Bun.file(await build("hammer", version)).bytes());
    }
    for (const version of ["1.0", "1.1"]) {
      const [install] = await steps(`cran/hammer/${version}`);
      const lines = ['options(repos = c(CRAN = "http://127.0.0.1:9"))', install, "cat(hammer::strike())"];
      expect(await script(...lines)).toEndWith(version);
    }
  },
);

test.skipIf(missingPrograms("the commands of a Go module", ["go"]))("of a Go module add it", async () => {
  await publish(
    "go/upload",
    moduleZip("example.org/tool@v1.2.0", { "go.mod": "module example.org/tool\n", "tool.go": "package tool\n" }),
  );
  const home = join(scratch.path, "go");
  mkdirSync(home);
  await Bun.write(join(home, "go.mod"), "module example.org/user\n");
  const [add] = await steps(`go/${encodeURIComponent("example.org/tool")}/v1.2.0`);
  await runProgram(["bash", "-euc", add.replace(",https://proxy.golang.org,direct", "")], {
    cwd: home,
    env: { HOME: home, GOPATH: join(home, "path"), GOFLAGS: "-modcacherw", GOTOOLCHAIN: "local" },
  });
  expect(await Bun.file(join(home, "go.mod")).text()).toContain("example.org/tool v1.2.0");
});

test("of an Alpine package add its key and its repository", async () => {
  await publish("alpine/v3.20/main", makeApk());
  const { body } = await alice.api.get<{ name: string; version: string }[]>("/packages/alice?type=alpine");
  const [{ name, version } = { name: "", version: "" }] = body;
  const [add, install] = await steps(`alpine/${name}/${version}`);
  expect(install).toBe(`apk add ${name}=${version}`);
  const etc = join(scratch.path, "apk");
  mkdirSync(join(etc, "keys"), { recursive: true });
  await runProgram(["bash", "-euc", add.replaceAll("/etc/apk", etc).replace("apk update", "")]);
  expect([...new Bun.Glob("*.pub").scanSync(join(etc, "keys"))]).toHaveLength(1);
  const repository = (await Bun.file(join(etc, "repositories")).text()).trim();
  expect((await fetch(`${repository}/x86_64/APKINDEX.tar.gz`)).status).toBe(200);
});
