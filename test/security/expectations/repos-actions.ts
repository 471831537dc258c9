import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /repos/{owner}/{repo}/actions/runs": "read code",
  "GET /repos/{owner}/{repo}/actions/runs/{run_id}": "read code",
  "GET /repos/{owner}/{repo}/actions/tasks": "read code",
  "GET /repos/{owner}/{repo}/actions/runners/jobs": "owner",
  "GET /repos/{owner}/{repo}/actions/runners/registration-token": { may: "owner", answers: "forbidden" },
  "POST /repos/{owner}/{repo}/actions/workflows/{workflowname}/dispatches": "write code",
  "GET /repos/{owner}/{repo}/actions/secrets": "owner",
  "PUT /repos/{owner}/{repo}/actions/secrets/{secretname}": "owner",
  "DELETE /repos/{owner}/{repo}/actions/secrets/{secretname}": "owner",
  "GET /repos/{owner}/{repo}/actions/variables": "owner",
  "GET /repos/{owner}/{repo}/actions/variables/{variablename}": "owner",
  "POST /repos/{owner}/{repo}/actions/variables/{variablename}": "owner",
  "PUT /repos/{owner}/{repo}/actions/variables/{variablename}": "owner",
  "DELETE /repos/{owner}/{repo}/actions/variables/{variablename}": "owner",
  "GET /repos/{owner}/{repo}/actions/artifacts": "read code",
  "GET /repos/{owner}/{repo}/actions/artifacts/{id}": "read code",
  "GET /repos/{owner}/{repo}/actions/artifacts/{id}/content": "read code",
  "DELETE /repos/{owner}/{repo}/actions/artifacts/{id}": "write code",
  "GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts": "read code",
  "POST /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts": "write code",
};
