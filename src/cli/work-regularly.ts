import type { Forge } from "../domain/forge.ts";
import { MaintainRepositories } from "../domain/maintenance/maintain-repositories.ts";

/** Keeps the repositories of a running server in few packs. Disposing ends it. */
export function maintainRepositories(forge: Forge): MaintainRepositories {
  const { config, git, blobs, packDirectory, temporaryDirectory, views, log } = forge;
  const maintenance = new MaintainRepositories({ db: forge.database.db, config, git, blobs, packDirectory, temporaryDirectory }, log);
  views.onSeveralPacks = (repositoryId) => maintenance.notice(repositoryId);
  return maintenance;
}

/** Does what a server does every hour, and has repositories of many packs looked at then, too. */
export function workRegularly({ tasks }: Forge, maintenance: MaintainRepositories): void {
  tasks.add({ name: "repack_repositories", run: () => maintenance.sweep() });
  tasks.start();
}
