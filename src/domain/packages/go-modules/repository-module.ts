import type { RepositoryRow } from "../../../auth/subject.ts";
import type { ArchiveRequest } from "../../../git/archive/archive-request.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { StithyError } from "../../../lib/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { isSince124, modulePathOf } from "./go-mod.ts";
import { largestGoMod } from "./limits.ts";
import { chooseModuleFiles } from "./module-files.ts";
import { matchesMajor, splitPathVersion } from "./module-path.ts";
import type { ModulePlace } from "./module-place.ts";
import { canonicalVersion, compareVersions, isIncompatible, isPseudoVersion, majorOf } from "./semver.ts";

/**
 * Modules whose versions are the tags of a repository, exactly as the go command makes them from git itself: the same versions, the same
 * go.mod, the same files, so that sums agree. Source: the Go modules reference, "Mapping versions to commits" and "Module directories
 * within a repository"; cmd/go/internal/modfetch, coderepo.go.
 */

/** A tag has the form of a version, and its tree is no version of the module. */
class NoVersionOfModule extends StithyError {
  constructor(version: string, reason: string) {
    super("absent", "no-version-of-module", `${version} is no version of the module: ${reason}`, { version });
  }
}

const mostEntries = 100_000;
/** So many major versions from before there were modules are looked into. */
const mostMajors = 64;
const incompatible = "+incompatible";

/** The tree of a version. */
export interface TaggedModule {
  readonly version: string;
  readonly commit: string;
  /** When it was committed. */
  readonly time: Date;
  /** The bytes of its go.mod; null where it has none. */
  readonly goMod: Uint8Array<ArrayBuffer> | null;
  readonly view: RepositoryView;
  /** Asks for the zip. Throws NoVersionOfModule for files that no module may have. */
  archive(module: string): Promise<ArchiveRequest>;
}

/** Where in a tree a module is. */
interface FoundDirectory {
  readonly directory: string;
  readonly goMod: Uint8Array<ArrayBuffer> | null;
}

export class RepositoryModule {
  constructor(
    private readonly git: Pick<Forge["git"], "engine" | "revisions" | "views">,
    private readonly repository: RepositoryRow,
    private readonly place: ModulePlace,
  ) {}

  /** The versions that tags name, in no order. */
  async list(): Promise<string[]> {
    const { directory, major } = this.place;
    const prefix = `refs/tags/${inDirectory(directory, "")}`;
    const refs = await this.git.revisions.listBelow(this.repository, `${prefix}v`);
    const tags = new Map(refs.map(({ name, oid, peeled }) => [name.slice(prefix.length), peeled ?? oid]));
    const versions = [...tags.keys()].filter(
      (name) => canonicalVersion(name) === name && !isIncompatible(name) && !isPseudoVersion(name),
    );
    const listed = versions.filter((version) => matchesMajor(version, major));
    const others = directory === "" && major === "" ? versions.filter((version) => !listed.includes(version)) : [];
    return others.length === 0 ? listed : [...listed, ...(await this.listIncompatible(tags, listed, others))];
  }

  /** Versions from 2 on of a repository that has not come to modules yet. */
  private async listIncompatible(
    tags: ReadonlyMap<string, string>,
    listed: readonly string[],
    others: readonly string[],
  ): Promise<string[]> {
    const view = await this.git.views.view(this.repository);
    const hasGoMod = async (version: string | undefined) =>
      version !== undefined && (await this.readFile(view, tags.get(version) ?? "", "go.mod")) !== null;
    if (await hasGoMod(listed.toSorted(compareVersions).at(-1))) {
      return [];
    }
    const majors = Map.groupBy(others.toSorted(compareVersions), majorOf);
    const found: string[] = [];
    for (const versions of [...majors.values()].slice(-mostMajors)) {
      if (!(await hasGoMod(versions.at(-1)))) {
        found.push(...versions.map((version) => `${version}${incompatible}`));
      }
    }
    return found;
  }

  /** A version whose tag there is; null for none. Throws NoVersionOfModule. */
  async find(version: string): Promise<TaggedModule | null> {
    const { directory, major } = this.place;
    const isOld = isIncompatible(version);
    if (canonicalVersion(version) !== version || isPseudoVersion(version) || !matchesMajor(version, major)) {
      return null;
    }
    const base = isOld ? version.slice(0, -incompatible.length) : version;
    const name = inDirectory(directory, base);
    const revision = await this.git.revisions.find(this.repository, `refs/tags/${name}`);
    if (revision === null || revision.kind !== "tag" || revision.name !== name) {
      return null;
    }
    const { view, commit } = revision;
    const [record] = await this.git.engine.call(view, "readCommits", { oids: [commit] });
    if (record === null || record === undefined) {
      return null;
    }
    const found = await this.findDirectory(view, commit, version);
    if (isOld && (found.goMod !== null || directory !== "" || matchesMajor(base, major))) {
      throw new NoVersionOfModule(version, "only a version from 2 on without a go.mod is incompatible");
    }
    return {
      version,
      commit,
      time: new Date(record.committer.seconds * 1000),
      goMod: found.goMod,
      view,
      archive: (module) => this.archive(view, commit, { ...found, name: `${module}@${version}` }),
    };
  }

  /** The directory may have the major version's own below it, such as "v2"; one of the two has a go.mod of that version. */
  private async findDirectory(view: RepositoryView, commit: string, version: string): Promise<FoundDirectory> {
    const { directory, major } = this.place;
    const goMod = await this.readFile(view, commit, inDirectory(directory, "go.mod"));
    const path = goMod === null ? "" : modulePathOf(goMod);
    const fits = goMod !== null && (isOfMajor(path, major) || (major === "" && path.startsWith("gopkg.in/")));
    if (major !== "") {
      const below = inDirectory(directory, major.slice(1));
      const other = await this.readFile(view, commit, inDirectory(below, "go.mod"));
      if (other !== null) {
        const otherFits = isOfMajor(modulePathOf(other), major);
        if (fits || !otherFits) {
          throw new NoVersionOfModule(version, `"${below}/go.mod" has to be the only go.mod of ${major.slice(1)}`);
        }
        return { directory: below, goMod: other };
      }
    }
    if (fits) {
      return { directory, goMod };
    }
    if (goMod !== null || directory !== "" || major !== "") {
      throw new NoVersionOfModule(
        version,
        goMod === null
          ? `there is no "${inDirectory(directory, "go.mod")}"`
          : `"${inDirectory(directory, "go.mod")}" says another major version`,
      );
    }
    return { directory, goMod: null };
  }

  /** A file's bytes, or those of where a link leads, as git shows them; null where there is none. */
  private async readFile(view: RepositoryView, commit: string, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const item = await this.git.engine.call(view, "readPath", { commit, path, maxBytes: largestGoMod });
    return item?.bytes ?? null;
  }

  private async archive(
    view: RepositoryView,
    commit: string,
    { directory, goMod, name }: FoundDirectory & { name: string },
  ): Promise<ArchiveRequest> {
    const tree = await this.git.engine.call(view, "listTree", {
      commit,
      path: directory,
      recursive: true,
      lastCommits: false,
      skip: 0,
      limit: mostEntries,
    });
    if (tree === null || tree.total > mostEntries) {
      throw new NoVersionOfModule(name, `a module has at most ${mostEntries} files and directories`);
    }
    const start = inDirectory(directory, "").length;
    const entries = tree.entries.map(({ path, type, size }) => ({
      path: path.slice(start),
      isFile: type === "blob",
      isLink: type === "symlink",
      size: size ?? 0,
    }));
    const chosen = chooseModuleFiles(entries, goMod !== null && isSince124(goMod));
    if ("fault" in chosen) {
      throw new NoVersionOfModule(name, chosen.fault);
    }
    const files = new Map(chosen.files.map((path) => [inDirectory(directory, path), path]));
    const paths = directory === "" ? [] : [directory];
    // A module in a directory without a license has that of the repository.
    if (directory !== "" && !entries.some(({ path, isFile, isLink }) => path === "LICENSE" && (isFile || isLink))) {
      const license = await this.git.engine.call(view, "readPath", { commit, path: "LICENSE", maxBytes: 0 });
      if (license !== null && license.size !== null) {
        files.set("LICENSE", "LICENSE");
        paths.push("LICENSE");
      }
    }
    return { format: "zip", treeish: commit, prefix: `${name}/`, paths, files, decorations: null };
  }
}

function inDirectory(directory: string, path: string): string {
  return directory === "" ? path : `${directory}/${path}`;
}

/** Whether the path in a go.mod goes with the major version of the path that was asked for. They need not be the same: it may be a fork. */
function isOfMajor(path: string, major: string): boolean {
  const own = path === "" ? null : splitPathVersion(path);
  if (own === null) {
    return false;
  }
  return major === "" ? ["", ".v0", ".v1"].includes(own.major) : own.major.slice(1) === major.slice(1);
}
