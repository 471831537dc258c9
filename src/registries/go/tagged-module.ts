import { demandTo, isAllowed } from "../../domain/spine/guard.ts";
import type { Subject } from "../../auth/subject.ts";
import { hasScope } from "../../auth/scopes.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { placeOfModule } from "../../domain/packages/go-modules/module-place.ts";
import { RepositoryModule } from "../../domain/packages/go-modules/repository-module.ts";
import { contentDisposition } from "../../http/content-type.ts";
import { streamBody } from "../../http/file-response.ts";
import { identifyRequest } from "../../http/identify-request.ts";
import { notModified } from "../../http/not-modified.ts";
import { version as programVersion } from "../../lib/version.ts";
import { impliedGoMod, type ModuleSource } from "./module-source.ts";

/** A module whose versions are tags of one of the owner's repositories, for those who may read its code; null for any other. */
export async function findTaggedModule(
  forge: Forge,
  request: Request,
  ownerName: string,
  module: string,
): Promise<ModuleSource | null> {
  const place = placeOfModule(forge.addresses.base, module);
  if (place === null || place.owner.toLowerCase() !== ownerName.toLowerCase()) {
    return null;
  }
  const target = { ownerName: place.owner, repositoryName: place.repository };
  const subject = await identifyRequest(forge, request, target, false);
  const { repository } = subject;
  if (repository === null || !readsCode(subject)) {
    return null;
  }
  const found = new RepositoryModule(forge.git, repository.repository, place);
  return {
    list: () => found.list(),
    async find(version) {
      const tagged = await found.find(version);
      return tagged === null
        ? null
        : {
            version,
            time: tagged.time,
            goMod: async () => tagged.goMod ?? impliedGoMod(module),
            async sendZip(asked) {
              const archive = await tagged.archive(module);
              const headers: Record<string, string> = {
                "content-type": "application/zip",
                "content-disposition": contentDisposition("application/octet-stream", `${version}.zip`),
                "x-content-type-options": "nosniff",
              };
              // The bytes follow from these, and from the program that makes them.
              const sum = new Bun.CryptoHasher("sha256")
                .update(JSON.stringify([programVersion, Bun.version, tagged.commit, module, version]))
                .digest("hex");
              const unchanged = notModified(asked, `"${sum}"`, headers);
              const make = () => forge.git.archives.make(tagged.view, archive, asked.signal);
              return unchanged ?? new Response(await streamBody(asked, make), { headers });
            },
          };
    },
  };
}

/** A token that is not for repositories reads what everybody may read. */
function readsCode(subject: Subject): boolean {
  const { credential } = subject;
  const isForOthers = credential.kind === "token" && !hasScope(credential.scopes, "repository", "read");
  const seen: Subject = isForOthers
    ? { ...subject, credential: { ...credential, scopes: { ...credential.scopes, publicOnly: true } } }
    : subject;
  return isAllowed(seen, demandTo({ on: "repository", do: "read", unit: "code" }, "read", []));
}
