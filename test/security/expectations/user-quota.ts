import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /user/quota": "self",
  "GET /user/quota/artifacts": "self",
  "GET /user/quota/attachments": "self",
  "GET /user/quota/check": "self",
  "GET /user/quota/history": "self",
  "GET /user/quota/packages": "self",
};
