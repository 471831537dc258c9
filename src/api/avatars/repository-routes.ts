import { removeRepositoryAvatar, setRepositoryAvatar } from "../../domain/repos/set-repository-avatar.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Api } from "../common/api.ts";
import { empty } from "../common/reply.ts";
import { badRequest, done } from "../common/responses.ts";
import { decodePicture } from "./decode-picture.ts";
import { pictureFile } from "./picture-file.ts";
import { UpdateRepoAvatarOption } from "./schema.ts";

/** A client that kept the picture asks whether it may still see it, and whether it changed. */
const askingAgain = "private, no-cache";

/** The pictures of repositories, each as private as its repository. */
export function repositoryAvatarRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo/avatar", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "admin", unit: "any" },
  })
    .get(
      "",
      {
        operationId: "repoGetAvatar",
        summary: "Get the picture of a repository",
        may: { on: "repository", do: "read", unit: "any" },
        responses: { 200: { description: "The picture", contentType: "image/*" } },
      },
      async ({ repository: { repository, owner } }) => {
        const sha256 = repository.avatarSha256 && Buffer.from(repository.avatarSha256).toString("hex");
        const answer = sha256 === null ? null : await pictureFile(forge.files.contents, sha256, askingAgain);
        if (answer === null) {
          throw new NotFound("picture of the repository", `${owner.name}/${repository.name}`);
        }
        return answer;
      },
    )
    .post(
      "",
      {
        operationId: "repoUpdateAvatar",
        summary: "Set the picture of a repository",
        body: UpdateRepoAvatarOption,
        responses: { ...done, ...badRequest },
      },
      async ({ doer, repository: access, body }) => {
        await setRepositoryAvatar(forge, doer, access, decodePicture(body.image));
        return empty();
      },
    )
    .delete(
      "",
      {
        operationId: "repoDeleteAvatar",
        summary: "Remove the picture of a repository",
        responses: done,
      },
      async ({ doer, repository: access }) => {
        await forge.change(doer, (work) => removeRepositoryAvatar(work, access));
        return empty();
      },
    );
}
