import { MiB, count, flag, list, section, text } from "./setting-kinds.ts";

/** The section `git` of the settings: what the engine stores, takes and answers. */
export const gitSettings = section({
  push_limit_bytes: count(2048 * MiB, MiB, Number.MAX_SAFE_INTEGER, "bytes", "Largest pack in one push"),
  object_limit_bytes: count(512 * MiB, MiB, 2047 * MiB, "bytes", "Largest single object, inflated"),
  inflated_limit_bytes: count(
    65_536 * MiB,
    MiB,
    Number.MAX_SAFE_INTEGER,
    "bytes",
    "Largest sum of the inflated objects of one push",
  ),
  objects_per_push: count(10_000_000, 1, 4_000_000_000, "objects", "Most objects in one push"),
  path_limit_bytes: count(4096, 64, 1_000_000, "bytes", "Longest path in a tree that is pushed"),
  commit_header_limit_bytes: count(
    MiB,
    1024,
    64 * MiB,
    "bytes",
    "Most headers (parents, signatures, names) of a commit or tag that is pushed",
  ),
  message_limit_bytes: count(4 * MiB, 1024, 64 * MiB, "bytes", "Longest message of a commit or tag that is pushed"),
  refs_per_push: count(50_000, 1, 10_000_000, "refs", "Most refs in one push"),
  shown_message_bytes: count(
    MiB,
    1024,
    64 * MiB,
    "bytes",
    "How much of a commit's or tag's message the API and pages show; signatures of longer ones are not checked",
  ),
  hidden_refs: list(
    [],
    "Prefixes of refs that git clients cannot see, fetch or push, such as refs/internal/; ! before one shows it again",
  ),
  deny_deletes: flag(false, "Refuse to delete any branch, for every user"),
  deny_non_fast_forwards: flag(false, "Refuse forced pushes to branches, for every user"),
  push_timeout_seconds: count(3600, 1, 86_400, "seconds", "How long a push may take to arrive"),
  signing_key: text(
    "",
    "File with the private key (OpenSSH, PEM or armored OpenPGP) that signs the server's commits and annotated tags; empty: they are not signed",
  ),
  signing_passphrase: text("", "Passphrase of that key"),
  signing_name: text("", "Name of the signer in the API; empty: the one in an OpenPGP key, else Stithy"),
  signing_email: text("", "E-mail address of the signer; empty: the one in an OpenPGP key, else noreply@ the host"),
  workers: count(1, 1, 64, "workers", "Threads that read repositories; one more indexes pushes"),
  unreachable_days: count(
    90,
    0,
    3650,
    "days",
    "How long a full repack keeps commits that refs no longer reach, and deleted branches can be restored",
  ),
  cache_bytes: count(
    64 * MiB,
    8 * MiB,
    65_536 * MiB,
    "bytes",
    "Memory of all git workers together for packs and objects; the indexing thread has a quarter more",
  ),
});
