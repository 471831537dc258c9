import type { Key } from "openpgp";

/** Larger RSA keys are made by nobody's program without being told to. */
const largestRsaBits = 8192;
/** 65537 is what programs choose. */
const largestExponentBits = 32;
/** Sizes that FIPS 186-4 knows for DSA: of the modulus, and of the group. */
const largestDsaBits = [3072, 256] as const;
/** Signatures of the key over itself, all of which may have to be checked to find the one that counts. */
const maxSelfSignatures = 150;
/** The weight of one of them if the library does the arithmetic itself, which takes ten times as long or more. */
const slowWeight = 10;

/** Curves whose arithmetic is the engine's own, at about a millisecond a signature. */
const fastCurves: ReadonlySet<string> = new Set(["nistP256", "nistP384", "ed25519Legacy", "curve25519Legacy"]);

function bitsOf(parameters: object, name: string): number {
  const bytes: unknown = Reflect.get(parameters, name);
  if (!(bytes instanceof Uint8Array)) {
    return 0;
  }
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? 0 : (bytes.length - start) * 8 - (Math.clz32(bytes[start] ?? 0) - 24);
}

/**
 * Why a key that was read, and nothing of it verified, would take too long to verify; null when it would not. Its numbers
 * are whatever its maker wrote into it: with a modulus and an exponent of 32,768 bits one signature takes a minute.
 */
export async function findCostlyPart(key: Key): Promise<string | null> {
  const { SignaturePacket } = await import("openpgp");
  let isSlow = false;
  for (const { keyPacket } of [key, ...key.subkeys]) {
    const { publicParams: parameters } = keyPacket;
    const { algorithm, curve } = keyPacket.getAlgorithmInfo();
    const [modulus, exponent, prime, group] = [
      bitsOf(parameters, "n"),
      bitsOf(parameters, "e"),
      bitsOf(parameters, "p"),
      bitsOf(parameters, "q"),
    ];
    if (modulus > largestRsaBits || exponent > largestExponentBits) {
      return `it has an RSA key of ${modulus} bits with an exponent of ${exponent}; ${largestRsaBits} and ${largestExponentBits} are the most`;
    }
    if (algorithm === "dsa" && (prime > largestDsaBits[0] || group > largestDsaBits[1])) {
      return `it has a DSA key of ${prime} and ${group} bits; ${largestDsaBits[0]} and ${largestDsaBits[1]} are the most`;
    }
    isSlow ||=
      modulus > largestRsaBits / 2 ||
      algorithm === "dsa" ||
      algorithm === "ed448" ||
      (curve !== undefined && !fastCurves.has(curve));
  }
  const own = key
    .toPacketList()
    .filter((packet) => packet instanceof SignaturePacket && packet.issuerKeyID.equals(key.getKeyID())).length;
  const most = isSlow ? maxSelfSignatures / slowWeight : maxSelfSignatures;
  return own > most ? `it has ${own} signatures over itself; of a key of this kind ${most} are the most` : null;
}
