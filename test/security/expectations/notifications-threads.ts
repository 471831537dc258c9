import type { Expectations } from "../expectations.ts";

export const expectations: Expectations = {
  "GET /notifications/threads/{id}": "self",
  "PATCH /notifications/threads/{id}": "self",
};
