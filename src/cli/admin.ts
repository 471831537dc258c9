import { Command } from "commander";
import { createTokenCommand } from "./admin-create-token.ts";
import { createUserCommand } from "./admin-create-user.ts";
import { resetPasswordCommand } from "./admin-reset-password.ts";
import { disableTwoFactorCommand, enrolTwoFactorCommand } from "./admin-two-factor.ts";

export function adminCommand(): Command {
  return new Command("admin")
    .description("Manage users; works while the server runs and while it does not")
    .addCommand(createUserCommand())
    .addCommand(resetPasswordCommand())
    .addCommand(createTokenCommand())
    .addCommand(enrolTwoFactorCommand())
    .addCommand(disableTwoFactorCommand());
}
