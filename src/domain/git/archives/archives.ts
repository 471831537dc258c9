import type { RepositoryRow } from "../../../auth/subject.ts";
import type { GitEngine } from "../../../git/engine.ts";
import { objectFormat } from "../../../git/objects/object-format.ts";
import { packOids } from "../../../git/objects/oid-list.ts";
import type { ArchiveRequest } from "../../../git/archive/archive-request.ts";
import type { Decorations } from "../../../git/archive/format-commit.ts";
import { writeBundleHeader } from "../../../git/transport/bundle-header.ts";
import { packFetch } from "../../../git/transport/pack-fetch.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { Busy, FairShare } from "../../../lib/fair-share.ts";
import { actAs, currentPrincipal } from "../../../lib/request-context.ts";
import { version } from "../../../lib/version.ts";
import type { RefQueries } from "../refs/queries.ts";
import type { Revision, Revisions } from "../refs/revisions.ts";
import { parseArchiveName, type DownloadFormat } from "./archive-name.ts";

/** Archives that are made at the same time: each holds one file of its repository in memory. */
const limits = { what: "archives", places: 16, placesEach: 8, waiting: 256, waitingEach: 32 };
/** How long somebody waits for a place, ms: less than proxies and clients mostly do for the head of an answer. */
const patienceMs = 50_000;

/** An archive that can be made. */
export interface Archive {
  /** The tag by whose name it was asked for; null for branches and commits. */
  readonly tag: string | null;
  readonly fileName: string;
  readonly format: DownloadFormat;
  /** Names its bytes. */
  readonly etag: string;
  /**
   * Makes it, when there is a place; a reader that stops, or the signal, ends the work. Reading it throws Busy where there
   * is none, nor room to wait, or none in time.
   */
  open(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

interface BundledRef {
  oid: string;
  name: string;
}

/** Commits of repositories as files to download. */
export class Archives {
  private readonly share = new FairShare(limits);

  constructor(
    private readonly git: GitEngine,
    private readonly revisions: Revisions,
    private readonly refs: RefQueries,
  ) {}

  /** By a name like `v1.0.tar.gz`. Throws UnknownArchiveFormat; NotFound for no such revision; Busy when too many wait. */
  async get(repository: RepositoryRow, name: string): Promise<Archive> {
    const { ref, format } = parseArchiveName(name);
    return this.getAs(repository, ref, format);
  }

  /**
   * Returns the archive of a branch, tag or commit in a format. Throws NotFound for an unknown revision; Busy if too
   * many requests wait.
   */
  async getAs(repository: RepositoryRow, ref: string, format: DownloadFormat): Promise<Archive> {
    const revision = await this.revisions.get(repository, ref);
    const leading = (await this.refs.listRefs(repository.id)).filter(
      ({ oid, peeled }) => (peeled ?? oid) === revision.commit,
    );
    const principal = currentPrincipal();
    this.share.check(principal);
    const tag = revision.kind === "tag" ? revision.name : null;
    const fileName = `${repository.name}-${revision.name.replaceAll("/", "-")}.${format}`;
    if (format === "bundle") {
      const bundled = bundledRefs(revision, leading);
      const etag = etagOf([format, repository.objectFormat, bundled]);
      return { tag, fileName, format, etag, open: (signal) => this.bundle(revision.view, bundled, principal, signal) };
    }
    const head = `refs/heads/${repository.defaultBranch}`;
    const names = leading.map(({ name: full }) => full);
    const decorations: Decorations = { head: names.includes(head) ? head : null, refs: names };
    const args = { format, treeish: revision.commit, prefix: `${repository.name}/`, paths: [], decorations };
    return {
      tag,
      fileName,
      format,
      etag: etagOf(args),
      open: (signal) => this.make(revision.view, args, signal, principal),
    };
  }

  /** An archive as git's clients ask for it; see `Archive.open`. */
  make(
    view: RepositoryView,
    request: ArchiveRequest,
    signal: AbortSignal,
    principal = currentPrincipal(),
  ): AsyncIterable<Uint8Array> {
    return this.inTurn(principal, signal, () => this.git.stream(view, "archive", request, signal));
  }

  private async *inTurn(
    principal: string,
    signal: AbortSignal,
    open: () => AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void> {
    using _place = await this.takePlace(principal, signal);
    yield* actAs(principal, open);
  }

  private async takePlace(principal: string, signal: AbortSignal): Promise<Disposable> {
    const place = this.share.tryTake(principal);
    if (place !== null) {
      return place;
    }
    const patience = new AbortController();
    const late = () => patience.abort(new Busy("own", limits.what, this.share.held));
    const timer = setTimeout(late, patienceMs);
    try {
      return await this.share.take(principal, AbortSignal.any([signal, patience.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  /** All of the history as git's own file of it (gitformat-bundle(5)). */
  private async *bundle(
    view: RepositoryView,
    refs: BundledRef[],
    principal: string,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void> {
    const fetch = packFetch({
      wants: packOids(new Set(refs.map(({ oid }) => oid)), objectFormat(view.format)),
      haves: [],
      ending: "agreed",
      acknowledge: "single",
    });
    const pack = this.inTurn(principal, signal, () => this.git.stream(view, "fetchPack", fetch, signal));
    // The head of an answer must not leave before there is a place to make the rest.
    const first = await pack.next();
    try {
      yield writeBundleHeader(view.format, refs);
      if (first.done !== true) {
        yield first.value;
      }
      yield* pack;
    } finally {
      await pack.return();
    }
  }
}

/** The revision under its own name, where it has one, and as HEAD, so that a clone of the bundle checks it out. */
function bundledRefs(
  { kind, name, commit }: Revision,
  leading: readonly { name: string; oid: string }[],
): BundledRef[] {
  const full = kind === "branch" ? `refs/heads/${name}` : `refs/tags/${name}`;
  const named = kind === "commit" ? undefined : leading.find((ref) => ref.name === full);
  return [{ oid: commit, name: "HEAD" }, ...(named === undefined ? [] : [{ oid: named.oid, name: full }])];
}

/** The bytes follow from what is asked for and from the program that makes them. */
function etagOf(asked: unknown): string {
  return new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([version, Bun.version, asked]))
    .digest("hex")
    .slice(0, 32);
}
