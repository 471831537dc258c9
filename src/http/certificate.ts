import { X509Certificate, createPrivateKey } from "node:crypto";
import { stat } from "node:fs/promises";
import { StithyError, messageOf } from "../lib/errors.ts";

/** The files of a certificate chain and its private key, in PEM. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** The contents of the files, as Bun takes them. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** The certificate cannot be used, or not with this key. */
class CertificateUnusable extends StithyError {
  constructor({ certificate, key }: CertificateFiles, reason: string) {
    super("fault", "tls-certificate", `The certificate ${certificate} with the key ${key} cannot be used: ${reason}`, {
      certificate,
      key,
    });
  }
}

/** Reads a certificate and its key. Throws CertificateUnusable, also when they do not belong together. */
export async function readCertificate(files: CertificateFiles): Promise<TlsPair> {
  try {
    const [cert, key] = await Promise.all([Bun.file(files.certificate).text(), Bun.file(files.key).text()]);
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
      throw new Error("the key belongs to another certificate");
    }
    return { cert, key };
  } catch (error) {
    throw new CertificateUnusable(files, messageOf(error));
  }
}

/** Changes when one of the files is written or replaced. */
export async function stampOf({ certificate, key }: CertificateFiles): Promise<string> {
  const stamps = [certificate, key].map(async (path) => {
    const found = await stat(path).catch(() => null);
    return found === null ? "absent" : `${found.ino} ${found.size} ${found.mtimeMs}`;
  });
  return (await Promise.all(stamps)).join(", ");
}
