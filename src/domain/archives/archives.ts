import type { RepositoryRow } from "../../auth/subject.ts";
import type { GitEngine } from "../../git/engine.ts";
import { objectFormat } from "../../git/objects/object-format.ts";
import { packOids } from "../../git/objects/oid-list.ts";
import type { Decorations } from "../../git/archive/format-commit.ts";
import { writeBundleHeader } from "../../git/transport/bundle-header.ts";
import type { RepositoryView } from "../../git/workers/repository-view.ts";
import { EngineBusy } from "../../git/workers/errors.ts";
import { Slots } from "../../lib/slots.ts";
import { version } from "../../lib/version.ts";
import type { RefQueries } from "../refs/queries.ts";
import type { Revision, Revisions } from "../refs/revisions.ts";
import { parseArchiveName, type DownloadFormat } from "./archive-name.ts";

/** Archives that are made at the same time: each holds one file of its repository in memory. */
const running = 16;
const waiting = 256;

/** An archive that can be made. */
export interface Archive {
  readonly fileName: string;
  readonly format: DownloadFormat;
  /** Names its bytes. */
  readonly etag: string;
  /** Makes it, when there is a place; a reader that stops, or the signal, ends the work. */
  open(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

const nothing = new Uint8Array(0);

interface BundledRef {
  oid: string;
  name: string;
}

/** Commits of repositories as files to download. */
export class Archives {
  private readonly slots = new Slots(running, waiting);

  constructor(
    private readonly git: GitEngine,
    private readonly revisions: Revisions,
    private readonly refs: RefQueries,
  ) {}

  /** By a name like `v1.0.tar.gz`. Throws UnknownArchiveFormat; NotFound for no such revision; EngineBusy when too many wait. */
  async get(repository: RepositoryRow, name: string): Promise<Archive> {
    const { ref, format } = parseArchiveName(name);
    const revision = await this.revisions.get(repository, ref);
    const leading = (await this.refs.listRefs(repository.id)).filter(({ oid, peeled }) => (peeled ?? oid) === revision.commit);
    if (this.slots.full !== null) {
      throw new EngineBusy(this.slots.full);
    }
    const fileName = `${repository.name}-${revision.name.replaceAll("/", "-")}.${format}`;
    if (format === "bundle") {
      const bundled = bundledRefs(revision, leading);
      const etag = etagOf([format, repository.objectFormat, bundled]);
      return { fileName, format, etag, open: (signal) => this.bundle(revision.view, bundled, signal) };
    }
    const head = `refs/heads/${repository.defaultBranch}`;
    const names = leading.map(({ name: full }) => full);
    const decorations: Decorations = { head: names.includes(head) ? head : null, refs: names };
    const args = { format, treeish: revision.commit, prefix: `${repository.name}/`, paths: [], decorations };
    return { fileName, format, etag: etagOf(args), open: (signal) => this.inTurn(signal, () => this.git.stream(revision.view, "archive", args, signal)) };
  }

  private async *inTurn(signal: AbortSignal, open: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    using _place = await this.slots.take(signal);
    yield* open();
  }

  /** All of the history as git's own file of it (gitformat-bundle(5)). */
  private async *bundle(view: RepositoryView, refs: BundledRef[], signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const fetch = {
      version: 0, wants: packOids(new Set(refs.map(({ oid }) => oid)), objectFormat(view.format)), haves: [], ending: "agreed", shallow: [], deepen: null, filter: null, acknowledge: "single", noDone: false, waitForDone: false,
      sideband: 0, sidebandAll: false, thinPack: false, ofsDelta: true, noProgress: true, includeTag: false, unadvertised: nothing, tips: nothing, tags: [], wantedRefs: [],
    } as const;
    yield writeBundleHeader(view.format, refs);
    yield* this.inTurn(signal, () => this.git.stream(view, "fetchPack", fetch, signal));
  }
}

/** The revision under its own name, where it has one, and as HEAD, so that a clone of the bundle checks it out. */
function bundledRefs({ kind, name, commit }: Revision, leading: readonly { name: string; oid: string }[]): BundledRef[] {
  const full = kind === "branch" ? `refs/heads/${name}` : `refs/tags/${name}`;
  const named = kind === "commit" ? undefined : leading.find((ref) => ref.name === full);
  return [{ oid: commit, name: "HEAD" }, ...(named === undefined ? [] : [{ oid: named.oid, name: full }])];
}

/** The bytes follow from what is asked for and from the program that makes them. */
function etagOf(asked: unknown): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([version, Bun.version, asked])).digest("hex").slice(0, 32);
}
