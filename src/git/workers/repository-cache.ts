import { EngineCaches } from "../odb/engine-caches.ts";
import { Memo } from "../operations/memo.ts";
import { OpenRepository } from "../operations/open-repository.ts";
import { repositoryOf, type RepositoryView } from "../job/repository-view.ts";

/** Repositories kept open beyond their use: each holds an object table and a lazily filled commit graph. */
const maxOpen = 64;
/** The open views together may have about this many positions: one costs some 40 bytes, most of it the pack's index. */
const maxPositions = 2_000_000;

interface Open {
  readonly repository: OpenRepository;
  users: number;
  /** to be closed as soon as nobody uses it */
  stale: boolean;
}

/** The repositories that a worker has open. A newer view of a repository replaces the older ones. */
export class RepositoryCache implements Disposable {
  readonly #caches: EngineCaches;
  readonly #memo: Memo;
  /** in the order of last use */
  readonly #open = new Map<string, Open>();
  /** those that somebody uses at the moment */
  readonly #used = new Set<OpenRepository>();

  /** cacheBytes: for packs, objects and results together */
  constructor(cacheBytes: number) {
    this.#caches = new EngineCaches(Math.floor(cacheBytes * 0.75));
    this.#memo = new Memo(Math.floor(cacheBytes * 0.25));
  }

  /** The repository of a view, which stays open until the lease is disposed of. Throws CorruptPack. */
  acquire(view: RepositoryView): RepositoryLease {
    let open = this.#open.get(view.key);
    if (open === undefined) {
      open = {
        repository: new OpenRepository(view, this.#caches, this.#memo, this.#findOther(view.key)),
        users: 0,
        stale: false,
      };
      this.#retireOthers(view.key);
    }
    this.#open.delete(view.key);
    this.#open.set(view.key, open);
    open.users++;
    this.#used.add(open.repository);
    this.#closeSurplus();
    const held = open;
    return new RepositoryLease(held.repository, () => {
      held.users--;
      if (held.users === 0) {
        this.#used.delete(held.repository);
      }
      this.#closeIfUnused(held);
    });
  }

  /** Forgets what is quickly read again. What took long to find out stays: graphs of commits and results. */
  clear(): void {
    const read = new Set([...this.#used].flatMap(({ odb }) => odb.packs));
    this.#caches.clear((pack) => read.has(pack));
    this.#memo.pack();
  }

  [Symbol.dispose](): void {
    for (const { repository } of this.#open.values()) {
      repository[Symbol.dispose]();
    }
    this.#open.clear();
    this.#caches[Symbol.dispose]();
  }

  /** An earlier (or later) view of the same repository. */
  #findOther(key: string): OpenRepository | null {
    const repository = repositoryOf(key);
    for (const [other, open] of this.#open) {
      if (repositoryOf(other) === repository) {
        return open.repository;
      }
    }
    return null;
  }

  #retireOthers(key: string): void {
    const repository = repositoryOf(key);
    for (const [other, open] of this.#open) {
      if (repositoryOf(other) === repository) {
        this.#retire(other, open);
      }
    }
  }

  #closeSurplus(): void {
    let positions = 0;
    for (const { repository } of this.#open.values()) {
      positions += repository.odb.size;
    }
    for (const [key, open] of this.#open) {
      if (this.#open.size <= 1 || (this.#open.size <= maxOpen && positions <= maxPositions)) {
        return;
      }
      positions -= open.repository.odb.size;
      this.#retire(key, open);
    }
  }

  #retire(key: string, open: Open): void {
    this.#open.delete(key);
    open.stale = true;
    this.#closeIfUnused(open);
  }

  #closeIfUnused(open: Open): void {
    if (open.stale && open.users === 0) {
      open.repository[Symbol.dispose]();
    }
  }
}

/** The use of an open repository, for the length of one request. */
export class RepositoryLease implements Disposable {
  #released = false;

  constructor(
    readonly repository: OpenRepository,
    private readonly release: () => void,
  ) {}

  [Symbol.dispose](): void {
    if (!this.#released) {
      this.#released = true;
      this.release();
    }
  }
}
