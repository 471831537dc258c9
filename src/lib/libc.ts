import { CString, dlopen, ptr, read } from "bun:ffi";

/** The few calls of the C library that neither Bun nor Node offers. */
const { symbols } = dlopen(process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6", {
  flock: { args: ["i32", "i32"], returns: "i32" },
  getpwuid: { args: ["u32"], returns: "ptr" },
  getpwnam: { args: ["ptr"], returns: "ptr" },
  setpriority: { args: ["i32", "u32", "i32"], returns: "i32" },
});

/** Flags of flock(2); the same numbers on Linux and macOS. */
const lockShared = 1;
const lockExclusive = 2;
const lockNonBlocking = 4;

/** Takes the lock of an open file without waiting; false when another open file holds it, or for a shared one, holds it exclusively. */
export function tryFlock(descriptor: number, kind: "exclusive" | "shared" = "exclusive"): boolean {
  return symbols.flock(descriptor, (kind === "shared" ? lockShared : lockExclusive) | lockNonBlocking) === 0;
}

/** The name of a user in the system's user database, which `os.userInfo()` of Bun does not ask; null when it has none. */
export function findUserName(uid: number): string | null {
  const entry = symbols.getpwuid(uid);
  // struct passwd begins with the pointer to the name.
  return entry === null ? null : new CString(read.ptr(entry, 0) as NonNullable<typeof entry>).toString();
}

/** The numbers of a user by name; null when there is no such user. */
export function findUser(name: string): { uid: number; gid: number } | null {
  const text = Buffer.from(`${name}\0`);
  const entry = symbols.getpwnam(ptr(text));
  // struct passwd: name (pointer), password (pointer), uid (u32), gid (u32), on 64-bit Linux and macOS alike.
  return entry === null ? null : { uid: read.u32(entry, 16), gid: read.u32(entry, 20) };
}

/** Lets other threads come first on a busy machine. On Linux a thread has a priority of its own; elsewhere this does nothing. */
export function lowerPriority(): void {
  if (process.platform === "linux") {
    // PRIO_PROCESS with 0 is the calling thread there. That it fails would only cost others some time.
    symbols.setpriority(0, 0, 10);
  }
}
