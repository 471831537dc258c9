import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/actions/runners/jobs": "self",
  "GET /user/actions/runners/registration-token": { may: "self", answers: "forbidden" },
  "PUT /user/actions/secrets/{secretname}": "self",
  "DELETE /user/actions/secrets/{secretname}": "self",
  "GET /user/actions/variables": "self",
  "GET /user/actions/variables/{variablename}": "self",
  "POST /user/actions/variables/{variablename}": "self",
  "PUT /user/actions/variables/{variablename}": "self",
  "DELETE /user/actions/variables/{variablename}": "self",
};
