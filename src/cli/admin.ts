import { Command } from "commander";
import { addKeyCommand } from "./admin-add-key.ts";
import { adoptDirectoryCommand } from "./admin-adopt-directory.ts";
import { createTokenCommand } from "./admin-create-token.ts";
import { createUserCommand } from "./admin-create-user.ts";
import { deleteUserCommand } from "./admin-delete-user.ts";
import { forgetSealingKeyCommand } from "./admin-forget-sealing-key.ts";
import { listJobsCommand } from "./admin-jobs.ts";
import { listMirrorsCommand } from "./admin-list-mirrors.ts";
import { listUsersCommand } from "./admin-list-users.ts";
import { removeUnknownFilesCommand } from "./admin-remove-unknown-files.ts";
import { resetPasswordCommand } from "./admin-reset-password.ts";
import { seedCommand } from "./admin-seed.ts";
import { suspendUserCommand } from "./admin-suspend-user.ts";
import { disableTwoFactorCommand, enrolTwoFactorCommand } from "./admin-two-factor.ts";
import { verifyEmailCommand } from "./admin-verify-email.ts";

export function adminCommand(): Command {
  return new Command("admin")
    .description(
      "Manage users and the data directory, and fill the server from a file. Works with and without a running server",
    )
    .addCommand(createUserCommand())
    .addCommand(listUsersCommand())
    .addCommand(suspendUserCommand())
    .addCommand(deleteUserCommand())
    .addCommand(verifyEmailCommand())
    .addCommand(resetPasswordCommand())
    .addCommand(createTokenCommand())
    .addCommand(addKeyCommand())
    .addCommand(enrolTwoFactorCommand())
    .addCommand(disableTwoFactorCommand())
    .addCommand(seedCommand())
    .addCommand(listJobsCommand())
    .addCommand(listMirrorsCommand())
    .addCommand(adoptDirectoryCommand())
    .addCommand(forgetSealingKeyCommand())
    .addCommand(removeUnknownFilesCommand());
}
