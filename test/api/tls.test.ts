import { expect, test } from "bun:test";
import { join } from "node:path";
import { makeCertificate, openssl } from "../support/certificate.ts";
import { Scratch, mustGit } from "../support/git.ts";
import { TestApp } from "../support/test-app.ts";

if (openssl === null) {
  console.log("LEFT OUT: HTTPS, because there is no openssl to make a certificate with");
}

test.if(openssl !== null)("with a certificate the server speaks HTTPS, for the API and for git", async () => {
  using scratch = new Scratch();
  const [key, certificate] = [scratch.join("key.pem"), scratch.join("certificate.pem")];
  makeCertificate("localhost", certificate, key);
  await using app = await TestApp.start({ server: { tls_certificate_file: certificate, tls_key_file: key } });
  expect(app.url).toStartWith("https://127.0.0.1:");
  const answer = await fetch(`${app.url}/api/v1/version`, { tls: { ca: Bun.file(certificate) } });
  expect(answer.status).toBe(200);
  const alice = await app.user("alice");
  const created = await fetch(`${app.url}/api/v1/user/repos`, {
    method: "POST",
    body: JSON.stringify({ name: "safe", auto_init: true }),
    headers: { authorization: `token ${alice.token}`, "content-type": "application/json" },
    tls: { ca: Bun.file(certificate) },
  });
  const { clone_url: cloneUrl } = (await created.json()) as { clone_url: string };
  expect(cloneUrl).toBe(`${app.url}/alice/safe.git`);
  await mustGit(scratch.path, ["-c", `http.sslCAInfo=${certificate}`, "clone", "-q", cloneUrl, "clone"]);
  expect(await Bun.file(join(scratch.path, "clone", "README.md")).text()).toContain("# safe");
});
