import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/releases": "read releases",
  "POST /repos/{owner}/{repo}/releases": "write releases",
  "GET /repos/{owner}/{repo}/releases/latest": "read releases",
  "GET /repos/{owner}/{repo}/releases/tags/{tag}": "read releases",
  "DELETE /repos/{owner}/{repo}/releases/tags/{tag}": "write releases",
  "GET /repos/{owner}/{repo}/releases/{id}": "read releases",
  "PATCH /repos/{owner}/{repo}/releases/{id}": "write releases",
  "DELETE /repos/{owner}/{repo}/releases/{id}": "write releases",
  "GET /repos/{owner}/{repo}/releases/{id}/assets": "read releases",
  "POST /repos/{owner}/{repo}/releases/{id}/assets": "write releases",
  "GET /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}": "read releases",
  "GET /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}/content": "read releases",
  "PATCH /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}": "write releases",
  "DELETE /repos/{owner}/{repo}/releases/{id}/assets/{attachment_id}": "write releases",
};
