import type { RepositoryRow } from "../../../auth/subject.ts";
import type { GitEngine } from "../../../git/engine.ts";
import type { Ref } from "../../../git/refs/ref.ts";
import { isWholeOid } from "../../../git/refs/ref-name.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { ResolveObjectResult } from "../../../git/operations/resolve-object.ts";
import { ByteCache } from "../../../lib/byte-cache.ts";
import { JoinedWork } from "../../../lib/joined-work.ts";
import { NotFound } from "../../spine/errors.ts";
import type { RepositoryViews } from "../packs/repository-views.ts";
import type { RefQueries } from "./queries.ts";

type ReadRepository = Pick<RepositoryRow, "id" | "generation" | "objectFormat" | "name" | "defaultBranch">;

/** A commit that the caller named. */
interface FoundRevision {
  /** By what it was named. */
  kind: "branch" | "tag" | "commit";
  /** Short name of the branch or tag; the whole oid of a commit. */
  name: string;
  /** Oid of the commit, hexadecimal. */
  commit: string;
}

/** A revision with the view that has it. */
export interface Revision extends FoundRevision {
  view: RepositoryView;
}

/** All refs of a repository, and the generation that they were read with. Not to be changed. */
interface RefList {
  refs: readonly Ref[];
  generation: number;
}

/** A page of refs with the view that has what they point at. */
export interface RefPage {
  rows: Ref[];
  total: number;
  view: RepositoryView;
}

const cacheBytes = 4 * 1024 * 1024;
/** The lists of refs of the repositories that are fetched from: some 70,000 refs, and up to 18,000 of one. */
const listBytes = 16 * 1024 * 1024;
const abbreviation = /^[0-9a-fA-F]{4,64}$/;
const branchPrefix = "refs/heads/";
const tagPrefix = "refs/tags/";

/**
 * From names to objects. What is remembered is remembered under the repository's generation, which every write to its
 * refs raises; so a name costs no query while nothing is pushed. Callers have decided before that the repository may be read.
 */
export class Revisions {
  private readonly named = new ByteCache<FoundRevision>(cacheBytes);
  private readonly reachable = new ByteCache<boolean>(cacheBytes);
  private readonly pages = new ByteCache<{ rows: Ref[]; total: number }>(cacheBytes);
  /** By repository: one that is pushed to often would fill it with lists that nobody asks for again. */
  private readonly lists = new ByteCache<RefList>(listBytes);
  /** Lists that are being read: of a repository with 100,000 refs, that takes a second of the database's time. */
  private readonly listsInMaking = new JoinedWork<RefList>();
  private readonly partsInMaking = new JoinedWork<readonly Ref[]>();

  constructor(
    private readonly git: GitEngine,
    private readonly views: RepositoryViews,
    private readonly refs: RefQueries,
  ) {}

  /**
   * The commit that a name leads to: a whole oid that the repository's refs reach, or a full ref name, whatever branches and tags are called; else
   * a branch, else a tag, else the first digits of an oid (the order of gitrevisions(7)). Without a name, the default branch. null when
   * there is none.
   */
  async find(repository: ReadRepository, name?: string): Promise<Revision | null> {
    if (name !== undefined && isWholeOid(name)) {
      return this.findCommit(repository, name);
    }
    const wanted =
      name === undefined || name === "" || name === "HEAD" ? branchPrefix + repository.defaultBranch : name;
    const known = this.named.get(`${repository.id}:${repository.generation}:${wanted}`);
    if (known !== undefined) {
      return { ...known, view: await this.views.view(repository) };
    }
    const ref = await this.refs.findNamed(repository.id, wanted);
    const generation = ref?.generation ?? repository.generation;
    const view = await this.views.view({ ...repository, generation });
    const found = ref === null ? await this.findByOid(repository, view, wanted) : await this.commitOf(view, ref);
    if (found === null) {
      return null;
    }
    this.named.set(`${repository.id}:${generation}:${wanted}`, found, 200 + 2 * found.name.length);
    return { ...found, view };
  }

  /** A commit by its oid or the first digits of it, if the repository's own refs reach it; null for any other, and for names of refs. */
  async findCommit(repository: ReadRepository, oid: string): Promise<Revision | null> {
    const key = `${repository.id}:${repository.generation}:oid:${oid}`;
    const view = await this.views.view(repository);
    const found = this.named.get(key) ?? (await this.findByOid(repository, view, oid));
    if (found === null) {
      return null;
    }
    this.named.set(key, found, 200 + 2 * found.name.length);
    return { ...found, view };
  }

  /** Like `find`. Throws NotFound. */
  async get(repository: ReadRepository, name?: string): Promise<Revision> {
    const found = await this.find(repository, name);
    if (found === null) {
      throw new NotFound("branch, tag or commit", name ?? repository.defaultBranch);
    }
    return found;
  }

  /** An object by its oid or the first digits of it, if the repository's own refs reach it; null for any other. */
  async findObject(
    repository: ReadRepository,
    name: string,
  ): Promise<{ object: ResolveObjectResult; view: RepositoryView } | null> {
    if (!abbreviation.test(name)) {
      return null;
    }
    const view = await this.views.view(repository);
    const object = await this.git.call(view, "resolveObject", { name });
    return object !== null && (await this.isReachable(repository, object.oid)) ? { object, view } : null;
  }

  /**
   * The commits among oids and first digits of oids, each by what it was asked for by: those that the repository's own
   * refs reach. The refs are read once for all.
   */
  async findCommits(repository: ReadRepository, names: readonly string[]): Promise<Map<string, string>> {
    const view = await this.views.view(repository);
    const found = new Map<string, string>();
    let tips: Promise<string[]> | null = null;
    const readTips = () => (tips ??= this.refs.listOids(repository.id));
    for (const name of names.filter((each) => abbreviation.test(each))) {
      const object = await this.git.call(view, "resolveObject", { name });
      if (object?.type === "commit" && (await this.isReachable(repository, object.oid, readTips))) {
        found.set(name, object.oid);
      }
    }
    return found;
  }

  /** A page of the refs below a prefix such as refs/heads/, by name. */
  async page(repository: ReadRepository, prefix: string, slice: { size: number; offset: number }): Promise<RefPage> {
    const key = `${repository.id}:${repository.generation}:${slice.offset}:${slice.size}:${prefix}`;
    const known = this.pages.get(key);
    if (known !== undefined) {
      return { ...known, view: await this.views.view(repository) };
    }
    const page = await this.refs.pageOfRefs(repository.id, prefix, slice);
    // The refs may be newer than the row that was read before them.
    const view = await this.views.current(repository);
    this.pages.set(
      key,
      page,
      page.rows.reduce((bytes, ref) => bytes + 300 + 2 * ref.name.length, 64),
    );
    return { ...page, view };
  }

  /** All refs, ordered by the bytes of their names: those of the repository's generation, or newer ones. */
  async list(repository: Pick<RepositoryRow, "id" | "generation">): Promise<RefList> {
    const known = this.lists.get(String(repository.id));
    if (known !== undefined && known.generation >= repository.generation) {
      return known;
    }
    return this.listsInMaking.do(`${repository.id}:${repository.generation}`, () => this.readList(repository));
  }

  private async readList(repository: Pick<RepositoryRow, "id" | "generation">): Promise<RefList> {
    const { refs, generation } = await this.refs.listRefsWithGeneration(repository.id);
    const list = { refs, generation: generation ?? repository.generation };
    this.lists.set(
      String(repository.id),
      list,
      refs.reduce((bytes, ref) => bytes + 200 + ref.name.length, 64),
    );
    return list;
  }

  /** Lists the refs whose names begin with the prefix, such as refs/heads/, ordered by name. */
  async listBelow(repository: Pick<RepositoryRow, "id" | "generation">, prefix: string): Promise<readonly Ref[]> {
    const key = `${repository.id}:${repository.generation}:${prefix}`;
    return this.partsInMaking.do(key, () => this.refs.listRefsBelow(repository.id, prefix));
  }

  /** All refs with a view that has what they point at. */
  async listWithView(repository: ReadRepository): Promise<RefList & { view: RepositoryView }> {
    const list = await this.list(repository);
    return { ...list, view: await this.views.view({ ...repository, generation: list.generation }) };
  }

  private async commitOf(view: RepositoryView, ref: Ref): Promise<FoundRevision | null> {
    const commit = ref.peeled ?? ref.oid;
    if (ref.name.startsWith(branchPrefix)) {
      return { kind: "branch", name: ref.name.slice(branchPrefix.length), commit };
    }
    const [record] = await this.git.call(view, "readCommits", { oids: [commit] });
    if (record === null || record === undefined) {
      return null;
    }
    return ref.name.startsWith(tagPrefix)
      ? { kind: "tag", name: ref.name.slice(tagPrefix.length), commit }
      : { kind: "commit", name: commit, commit };
  }

  private async findByOid(
    repository: ReadRepository,
    view: RepositoryView,
    name: string,
  ): Promise<FoundRevision | null> {
    if (!abbreviation.test(name)) {
      return null;
    }
    const object = await this.git.call(view, "resolveObject", { name });
    if (object === null || object.peeledType !== "commit" || !(await this.isReachable(repository, object.oid))) {
      return null;
    }
    return { kind: "commit", name: object.peeled, commit: object.peeled };
  }

  private async isReachable(
    repository: ReadRepository,
    oid: string,
    readTips = () => this.refs.listOids(repository.id),
  ): Promise<boolean> {
    const key = `${repository.id}:${repository.generation}:${oid}`;
    const known = this.reachable.get(key);
    if (known !== undefined) {
      return known;
    }
    const tips = await readTips();
    const view = await this.views.current(repository);
    const answer = await this.git.call(view, "isReachable", { oid, tips });
    this.reachable.set(key, answer, 8);
    return answer;
  }
}
