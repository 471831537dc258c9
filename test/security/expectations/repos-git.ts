import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/git/blobs/{sha}": "read code",
  "GET /repos/{owner}/{repo}/git/commits/{sha}": "read code",
  "GET /repos/{owner}/{repo}/git/commits/{sha}.{diffType}": "read code",
  "GET /repos/{owner}/{repo}/git/notes/{sha}": "read code",
  "POST /repos/{owner}/{repo}/git/notes/{sha}": "write code",
  "DELETE /repos/{owner}/{repo}/git/notes/{sha}": "write code",
  "GET /repos/{owner}/{repo}/git/refs": "read code",
  "GET /repos/{owner}/{repo}/git/refs/{ref}": "read code",
  "GET /repos/{owner}/{repo}/git/tags/{sha}": "read code",
  "GET /repos/{owner}/{repo}/git/trees/{sha}": "read code",
};
