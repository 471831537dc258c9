import { t } from "elysia";
import { dateTime, integer, nullable } from "../common/schema.ts";

export const TwoFactorState = t.Object(
  {
    enabled: t.Boolean(),
    enabled_at: nullable(dateTime()),
    recovery_codes_left: integer({ description: "How many recovery codes are not used yet" }),
  },
  { $id: "TwoFactorState" },
);

export const TwoFactorSecret = t.Object(
  {
    secret: t.String({ description: "For an authenticator program, in base32; shown only now" }),
    url: t.String({ description: "The same as otpauth://, for a QR code" }),
  },
  { $id: "TwoFactorSecret" },
);

export const TwoFactorCode = t.Object(
  { code: t.String({ minLength: 1, maxLength: 64, description: "What the authenticator program shows now" }) },
  { $id: "TwoFactorCode" },
);

export const RecoveryCodes = t.Object(
  { recovery_codes: t.Array(t.String(), { description: "Each stands in for a code once; shown only now" }) },
  { $id: "RecoveryCodes" },
);
