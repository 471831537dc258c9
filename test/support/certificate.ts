/** The path of openssl, or null. */
export const openssl = Bun.which("openssl");

/** Writes a self-signed certificate for a name and 127.0.0.1, and its key. */
export function makeCertificate(name: string, certificate: string, key: string): void {
  const made = Bun.spawnSync([
    openssl ?? "",
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "2",
    "-subj",
    `/CN=${name}`,
    "-addext",
    "subjectAltName=IP:127.0.0.1",
    "-keyout",
    key,
    "-out",
    certificate,
  ]);
  if (made.exitCode !== 0) {
    throw new Error(`openssl failed: ${made.stderr.toString()}`);
  }
}
