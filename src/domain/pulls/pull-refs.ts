/** The ref of the base repository that points at the head of a pull request. Only the server moves it. */
export function headRef(number: number): string {
  return `refs/pull/${number}/head`;
}

/** For the reflog. */
export const pullReason = "pull request";
