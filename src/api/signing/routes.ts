import type { InstanceKey } from "../../domain/git/signatures/instance-key.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Api } from "../common/api.ts";
import { bytes } from "../common/reply.ts";
import { notFound } from "../common/responses.ts";

const responses = { 200: { description: "The public key", contentType: "text/plain" }, ...notFound };
const gpg = "Get the OpenPGP public key that verifies commits which the server made";
const ssh = "Get the SSH public key that verifies commits which the server made";

/** The public key of this server. One key signs all commits, so each repository has the same. */
export function signingRoutes({ forge, group }: Api) {
  function answer(kind: InstanceKey["kind"]) {
    const { instanceKey } = forge.git;
    if (instanceKey?.kind !== kind) {
      throw new NotFound("public key of this server that is of the kind", kind === "gpg" ? "OpenPGP" : "SSH");
    }
    return bytes(`${instanceKey.publicKey.trimEnd()}\n`, "text/plain;charset=utf-8", {
      headers: { "x-content-type-options": "nosniff" },
    });
  }

  const ofRepository = {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "any" },
    responses,
  } as const;
  return group("", { tag: "miscellaneous", scopes: [], may: { on: "instance", do: "use" } })
    .get("/signing-key.gpg", { operationId: "getSigningKey", summary: gpg, responses }, () => answer("gpg"))
    .get("/signing-key.ssh", { operationId: "getSSHSigningKey", summary: ssh, responses }, () => answer("ssh"))
    .get("/signing-key.pub", { operationId: "getSigningKeySSH", summary: ssh, responses }, () => answer("ssh"))
    .get("/repos/:owner/:repo/signing-key.gpg", { operationId: "repoSigningKey", summary: gpg, ...ofRepository }, () =>
      answer("gpg"),
    )
    .get(
      "/repos/:owner/:repo/signing-key.pub",
      { operationId: "repoSigningKeySSH", summary: ssh, ...ofRepository },
      () => answer("ssh"),
    );
}
