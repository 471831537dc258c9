/** The mode as git compares it: of a file only whether it is executable counts. */
export function fileMode(mode: number): number {
  switch (mode & 0o170000) {
    case 0o100000:
      return (mode & 0o100) === 0 ? 0o100644 : 0o100755;
    case 0o120000:
      return 0o120000;
    case 0o040000:
      return 0o040000;
    default:
      return 0o160000;
  }
}
