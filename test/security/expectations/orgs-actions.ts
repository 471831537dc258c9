import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /orgs/{org}/actions/runners/jobs": "own-organization",
  "GET /orgs/{org}/actions/runners/registration-token": { may: "own-organization", answers: "forbidden" },
  "GET /orgs/{org}/actions/secrets": "own-organization",
  "PUT /orgs/{org}/actions/secrets/{secretname}": "own-organization",
  "DELETE /orgs/{org}/actions/secrets/{secretname}": "own-organization",
  "GET /orgs/{org}/actions/variables": "own-organization",
  "GET /orgs/{org}/actions/variables/{variablename}": "own-organization",
  "POST /orgs/{org}/actions/variables/{variablename}": "own-organization",
  "PUT /orgs/{org}/actions/variables/{variablename}": "own-organization",
  "DELETE /orgs/{org}/actions/variables/{variablename}": "own-organization",
};
