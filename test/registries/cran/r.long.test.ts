import { afterAll, describe, expect, test } from "bun:test";
import { until } from "../../support/until.ts";
import { useTestApp, type TestUser } from "../../support/test-app.ts";
import { makeZip } from "../shared/make-archive.ts";
import { missingPrograms, ScratchDirectory } from "../shared/run-program.ts";
import { prepareR } from "./run-r.ts";

const app = await useTestApp();
const alice = await app.user("alice");

const as = ({ name, token }: Pick<TestUser, "name" | "token">) => ({
  authorization: `Basic ${btoa(`${name}:${token}`)}`,
});
const put = (path: string, body: Uint8Array) =>
  fetch(`${app.url}/api/packages/alice/cran/${path}`, {
    method: "PUT",
    body: new Uint8Array(body),
    headers: as(alice),
  });

describe.skipIf(missingPrograms("the registry of R packages with R", ["R", "Rscript"]))("R", () => {
  const scratch = new ScratchDirectory();
  afterAll(() => scratch[Symbol.dispose]());
  const { script, build, buildBinary } = prepareR(scratch.path);
  const upload = async (path: string, file: string) => (await put(path, await Bun.file(file).bytes())).status;
  const repos = `repos <- "${app.url}/api/packages/alice/cran"`;

  test("builds, publishes, installs with sums checked, updates, and no longer finds what is deleted", async () => {
    const old = await build("hammer", "1.0", "Depends: R (>= 3.5)\nImports: stats\n");
    expect(await upload("src", old)).toBe(201);
    // The dependency comes from the same repository.
    expect(await upload("src", await build("handle", "0.1", "Imports: hammer\n"))).toBe(201);
    const installed = await script(
      repos,
      'install.packages("handle", repos = repos)',
      "cat(hammer::strike(), handle::strike())",
    );
    expect(installed).toContain("1.0 0.1");

    // What is downloaded has the sum that the index names.
    const sums = await script(
      repos,
      'file <- download.packages("hammer", ".", repos = repos, type = "source")[, 2]',
      'listed <- available.packages(repos = repos, type = "source", fields = "MD5sum")["hammer", "MD5sum"]',
      "stopifnot(identical(unname(tools::md5sum(file)), unname(listed)))",
      "untar(file)",
      'cat("sums:", tools::checkMD5sums("hammer", file.path(getwd(), "hammer")))',
    );
    expect(sums).toContain("sums: TRUE");

    expect(await upload("src", await build("hammer", "1.1"))).toBe(201);
    const updated = await script(
      repos,
      "print(old.packages(repos = repos)[, c('Installed', 'ReposVer')])",
      "update.packages(repos = repos, ask = FALSE)",
      "cat(hammer::strike())",
    );
    expect(updated).toEndWith("1.1");
    expect(
      await script(
        repos,
        'old <- paste0(repos, "/src/contrib/Archive/hammer/hammer_1.0.tar.gz")',
        'install.packages(old, repos = NULL, type = "source")',
        "cat(hammer::strike())",
      ),
    ).toEndWith("1.0");

    expect((await alice.api.delete("/packages/alice/cran/hammer/1.1")).status).toBe(204);
    const listed = async () =>
      script(repos, "p <- available.packages(repos = repos, type = 'source')", "cat(p[, 'Package'], p[, 'Version'])");
    await until("1.0 is listed again", async () => /hammer.* 1\.0/.test(await listed()));
  });

  test("checks the sums within a package when it installs it", async () => {
    const file = await build("sealed", "1.0");
    expect(await upload("src", file)).toBe(201);
    const output = await script(
      repos,
      'out <- system2("R", c("CMD", "INSTALL", download.packages("sealed", ".", repos = repos, type = "source")[, 2]), stdout = TRUE, stderr = TRUE)',
      'cat(out, sep = "\\n")',
    );
    expect(output).toContain("successfully unpacked and MD5 sums checked");
  });

  test("installs what was built for its platform", async () => {
    const binary = await buildBinary(await build("forged", "3.0"));
    expect(await upload("bin?platform=linux&rversion=4.2", binary)).toBe(201);
    const output = await script(
      repos,
      'install.packages("forged", contriburl = paste0(repos, "/bin/linux/contrib/4.2"), type = "source")',
      "cat(forged::strike())",
    );
    expect(output).toEndWith("3.0");
    const windows = makeZip([{ path: "tongs/DESCRIPTION", content: "Package: tongs\nVersion: 1.0\nBuilt: R 4.2.2\n" }]);
    const release = await script('cat(sub("[.][0-9]+$", "", as.character(getRversion())))');
    expect((await put(`bin?platform=windows&rversion=${release}`, windows)).status).toBe(201);
    // As R on Windows and macOS lists what it may install.
    const listed = await script(
      repos,
      'cat(rownames(available.packages(contriburl = contrib.url(repos, "win.binary"), type = "win.binary", filters = list())))',
    );
    expect(listed).toBe("tongs");
  });

  test("reads an owner's packages with a token where strangers may not", async () => {
    const carol = await app.user("carol");
    await carol.api.post("/orgs", { username: "vault", visibility: "private" });
    const file = await build("secret", "1.0");
    const address = `${app.url}/api/packages/vault/cran`;
    const sent = await fetch(`${address}/src`, { method: "PUT", body: Bun.file(file), headers: as(carol) });
    expect(sent.status).toBe(201);
    const list = (root: string) =>
      script(`cat("found:", rownames(suppressWarnings(available.packages(repos = "${root}", type = "source"))))`);
    expect((await list(address)).trim()).toBe("found:");
    expect((await list(address.replace("://", `://carol:${carol.token}@`))).trim()).toBe("found: secret");
  });
});
