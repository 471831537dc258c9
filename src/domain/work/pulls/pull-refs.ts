/** The ref of the base repository that points at the head of a pull request. Only the server moves it. */
export function headRef(number: number): string {
  return `refs/pull/${number}/head`;
}

/** The ref of the base repository that points at a merge of the head into the base. It is made when somebody fetches it. */
export function mergeRef(number: number): string {
  return `refs/pull/${number}/merge`;
}

/** For the reflog. */
export const pullReason = "pull request";
