import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../shared/run-program.ts";

/** R as a user has it, with a library and a home of the test's own. */
export function prepareR(directory: string) {
  const library = join(directory, "library");
  mkdirSync(library, { recursive: true });
  const env = {
    HOME: directory,
    TMPDIR: directory,
    R_LIBS_USER: library,
    R_LIBS: library,
    R_AVAILABLE_PACKAGES_CACHE_CONTROL_MAX_AGE: "0",
  };

  /** Runs lines of R; returns what they print. */
  const script = (...lines: string[]) =>
    runProgram(["Rscript", "--no-init-file", "-e", lines.join("\n")], { env, cwd: directory });

  /** Writes the sources of a package whose function returns the version, and has R build them. Returns the path of the file. */
  async function build(name: string, version: string, fields = ""): Promise<string> {
    const folder = join(directory, `${name}-${version}`, name);
    mkdirSync(join(folder, "R"), { recursive: true });
    writeFileSync(
      join(folder, "DESCRIPTION"),
      `Package: ${name}\nVersion: ${version}\nTitle: An Anvil\nDescription: Made for a test.\nAuthor: Jane Doe [aut, cre]\nMaintainer: Jane Doe <jane@forge.example>\nLicense: MIT\n${fields}`,
    );
    writeFileSync(join(folder, "NAMESPACE"), "export(strike)\n");
    writeFileSync(join(folder, "R/strike.R"), `strike <- function() "${version}"\n`);
    await runProgram(["R", "CMD", "build", "--md5", name], { env, cwd: join(directory, `${name}-${version}`) });
    return join(directory, `${name}-${version}`, `${name}_${version}.tar.gz`);
  }

  /** Has R build a binary package of the sources. Returns the path of the file. */
  async function buildBinary(source: string): Promise<string> {
    const folder = join(source, "..", "binary");
    mkdirSync(join(folder, "library"), { recursive: true });
    await runProgram(["R", "CMD", "INSTALL", "--build", `--library=${folder}/library`, source], { env, cwd: folder });
    const [file = ""] = new Bun.Glob("*.tar.gz").scanSync(folder);
    return join(folder, file);
  }

  return { script, build, buildBinary };
}
