import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /notifications": "self",
  "PUT /notifications": "self",
};
