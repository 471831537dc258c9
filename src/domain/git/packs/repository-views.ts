import type { RepositoryRow } from "../../../auth/subject.ts";
import type { Database } from "../../../db/client.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { NotFound } from "../../spine/errors.ts";
import { packPath } from "./pack-path.ts";
import { preparePackQueries, type FoundPacks } from "./queries.ts";

const rememberedViews = 2000;

type ViewedRepository = Pick<RepositoryRow, "id" | "generation" | "objectFormat" | "name">;

/**
 * The engine's views of repositories, remembered by the generation that every write to refs and packs increments. The
 * generation comes with the repository's row, so a remembered view costs no query.
 */
export class RepositoryViews {
  private readonly views = new Map<number, { generation: number; view: RepositoryView }>();
  private readonly queries: ReturnType<typeof preparePackQueries>;
  /** Told of repositories that are found to have more than one pack. */
  onSeveralPacks: (repositoryId: number) => void = () => {};

  constructor(
    db: Database,
    private readonly packDirectory: string,
  ) {
    this.queries = preparePackQueries(db);
  }

  /**
   * A view that holds every object of the refs as they were at `repository.generation`. Refs that were read after the
   * row may be newer: pass the generation that was read with them.
   */
  async view(repository: ViewedRepository): Promise<RepositoryView> {
    const remembered = this.views.get(repository.id);
    return remembered !== undefined && remembered.generation >= repository.generation
      ? remembered.view
      : this.current(repository);
  }

  /**
   * Returns the view with the generation that the database has now, for callers that have just read refs without a
   * generation.
   */
  async current(repository: Omit<ViewedRepository, "generation">): Promise<RepositoryView> {
    return this.viewOf(repository, await this.queries.findPacks(repository.id));
  }

  /** Returns the current view with the oids of its refs, each once, for callers that look up which objects are new. */
  async currentWithTips(
    repository: Omit<ViewedRepository, "generation">,
  ): Promise<{ view: RepositoryView; tips: string[] }> {
    const found = await this.queries.findPacksAndTips(repository.id);
    return { view: this.viewOf(repository, found), tips: found?.tips ?? [] };
  }

  /** Throws NotFound without packs that were found. */
  private viewOf(repository: Omit<ViewedRepository, "generation">, found: FoundPacks | null): RepositoryView {
    if (found === null) {
      throw new NotFound("repository", repository.name);
    }
    const remembered = this.views.get(repository.id);
    if (remembered !== undefined && remembered.generation === found.generation) {
      return remembered.view;
    }
    if (found.checksums.length > 1) {
      this.onSeveralPacks(repository.id);
    }
    const view: RepositoryView = {
      key: `${repository.id}:${found.generation}`,
      format: repository.objectFormat,
      packs: found.checksums.map((checksum) => packPath(this.packDirectory, checksum)),
    };
    this.views.delete(repository.id);
    this.views.set(repository.id, { generation: found.generation, view });
    if (this.views.size > rememberedViews) {
      this.views.delete(this.views.keys().next().value ?? 0);
    }
    return view;
  }
}
