import activityIcon from "lucide-static/icons/activity.svg" with { type: "text" };
import archiveIcon from "lucide-static/icons/archive.svg" with { type: "text" };
import arrowLeftRightIcon from "lucide-static/icons/arrow-left-right.svg" with { type: "text" };
import atSignIcon from "lucide-static/icons/at-sign.svg" with { type: "text" };
import bellIcon from "lucide-static/icons/bell.svg" with { type: "text" };
import bellOffIcon from "lucide-static/icons/bell-off.svg" with { type: "text" };
import boldIcon from "lucide-static/icons/bold.svg" with { type: "text" };
import bookIcon from "lucide-static/icons/book.svg" with { type: "text" };
import bookOpenIcon from "lucide-static/icons/book-open.svg" with { type: "text" };
import boxIcon from "lucide-static/icons/box.svg" with { type: "text" };
import building2Icon from "lucide-static/icons/building-2.svg" with { type: "text" };
import calendarIcon from "lucide-static/icons/calendar.svg" with { type: "text" };
import checkIcon from "lucide-static/icons/check.svg" with { type: "text" };
import cherryIcon from "lucide-static/icons/cherry.svg" with { type: "text" };
import chevronDownIcon from "lucide-static/icons/chevron-down.svg" with { type: "text" };
import chevronLeftIcon from "lucide-static/icons/chevron-left.svg" with { type: "text" };
import chevronRightIcon from "lucide-static/icons/chevron-right.svg" with { type: "text" };
import chevronUpIcon from "lucide-static/icons/chevron-up.svg" with { type: "text" };
import circleAlertIcon from "lucide-static/icons/circle-alert.svg" with { type: "text" };
import circleCheckIcon from "lucide-static/icons/circle-check.svg" with { type: "text" };
import circleDotIcon from "lucide-static/icons/circle-dot.svg" with { type: "text" };
import circleUserIcon from "lucide-static/icons/circle-user.svg" with { type: "text" };
import clockIcon from "lucide-static/icons/clock.svg" with { type: "text" };
import codeIcon from "lucide-static/icons/code.svg" with { type: "text" };
import copyIcon from "lucide-static/icons/copy.svg" with { type: "text" };
import downloadIcon from "lucide-static/icons/download.svg" with { type: "text" };
import ellipsisIcon from "lucide-static/icons/ellipsis.svg" with { type: "text" };
import externalLinkIcon from "lucide-static/icons/external-link.svg" with { type: "text" };
import eyeIcon from "lucide-static/icons/eye.svg" with { type: "text" };
import fileIcon from "lucide-static/icons/file.svg" with { type: "text" };
import fileArchiveIcon from "lucide-static/icons/file-archive.svg" with { type: "text" };
import fileMinusIcon from "lucide-static/icons/file-minus.svg" with { type: "text" };
import filePlusIcon from "lucide-static/icons/file-plus.svg" with { type: "text" };
import fileSymlinkIcon from "lucide-static/icons/file-symlink.svg" with { type: "text" };
import folderIcon from "lucide-static/icons/folder.svg" with { type: "text" };
import folderGit2Icon from "lucide-static/icons/folder-git-2.svg" with { type: "text" };
import folderOpenIcon from "lucide-static/icons/folder-open.svg" with { type: "text" };
import gitBranchIcon from "lucide-static/icons/git-branch.svg" with { type: "text" };
import gitCommitHorizontalIcon from "lucide-static/icons/git-commit-horizontal.svg" with { type: "text" };
import gitCompareIcon from "lucide-static/icons/git-compare.svg" with { type: "text" };
import gitForkIcon from "lucide-static/icons/git-fork.svg" with { type: "text" };
import gitMergeIcon from "lucide-static/icons/git-merge.svg" with { type: "text" };
import gitPullRequestIcon from "lucide-static/icons/git-pull-request.svg" with { type: "text" };
import gitPullRequestClosedIcon from "lucide-static/icons/git-pull-request-closed.svg" with { type: "text" };
import gitPullRequestDraftIcon from "lucide-static/icons/git-pull-request-draft.svg" with { type: "text" };
import globeIcon from "lucide-static/icons/globe.svg" with { type: "text" };
import hardDriveIcon from "lucide-static/icons/hard-drive.svg" with { type: "text" };
import hashIcon from "lucide-static/icons/hash.svg" with { type: "text" };
import headingIcon from "lucide-static/icons/heading.svg" with { type: "text" };
import historyIcon from "lucide-static/icons/history.svg" with { type: "text" };
import inboxIcon from "lucide-static/icons/inbox.svg" with { type: "text" };
import infoIcon from "lucide-static/icons/info.svg" with { type: "text" };
import italicIcon from "lucide-static/icons/italic.svg" with { type: "text" };
import keyIcon from "lucide-static/icons/key.svg" with { type: "text" };
import keyboardIcon from "lucide-static/icons/keyboard.svg" with { type: "text" };
import linkIcon from "lucide-static/icons/link.svg" with { type: "text" };
import listIcon from "lucide-static/icons/list.svg" with { type: "text" };
import listChecksIcon from "lucide-static/icons/list-checks.svg" with { type: "text" };
import listOrderedIcon from "lucide-static/icons/list-ordered.svg" with { type: "text" };
import lockIcon from "lucide-static/icons/lock.svg" with { type: "text" };
import logOutIcon from "lucide-static/icons/log-out.svg" with { type: "text" };
import mailIcon from "lucide-static/icons/mail.svg" with { type: "text" };
import mapPinIcon from "lucide-static/icons/map-pin.svg" with { type: "text" };
import messageSquareIcon from "lucide-static/icons/message-square.svg" with { type: "text" };
import milestoneIcon from "lucide-static/icons/milestone.svg" with { type: "text" };
import paperclipIcon from "lucide-static/icons/paperclip.svg" with { type: "text" };
import pencilIcon from "lucide-static/icons/pencil.svg" with { type: "text" };
import pinIcon from "lucide-static/icons/pin.svg" with { type: "text" };
import plusIcon from "lucide-static/icons/plus.svg" with { type: "text" };
import quoteIcon from "lucide-static/icons/quote.svg" with { type: "text" };
import refreshCwIcon from "lucide-static/icons/refresh-cw.svg" with { type: "text" };
import scaleIcon from "lucide-static/icons/scale.svg" with { type: "text" };
import scrollTextIcon from "lucide-static/icons/scroll-text.svg" with { type: "text" };
import searchIcon from "lucide-static/icons/search.svg" with { type: "text" };
import settingsIcon from "lucide-static/icons/settings.svg" with { type: "text" };
import settings2Icon from "lucide-static/icons/settings-2.svg" with { type: "text" };
import shieldCheckIcon from "lucide-static/icons/shield-check.svg" with { type: "text" };
import smileIcon from "lucide-static/icons/smile.svg" with { type: "text" };
import starIcon from "lucide-static/icons/star.svg" with { type: "text" };
import sunIcon from "lucide-static/icons/sun.svg" with { type: "text" };
import tableIcon from "lucide-static/icons/table.svg" with { type: "text" };
import tagIcon from "lucide-static/icons/tag.svg" with { type: "text" };
import trash2Icon from "lucide-static/icons/trash-2.svg" with { type: "text" };
import triangleAlertIcon from "lucide-static/icons/triangle-alert.svg" with { type: "text" };
import undo2Icon from "lucide-static/icons/undo-2.svg" with { type: "text" };
import unfoldVerticalIcon from "lucide-static/icons/unfold-vertical.svg" with { type: "text" };
import uploadIcon from "lucide-static/icons/upload.svg" with { type: "text" };
import userIcon from "lucide-static/icons/user.svg" with { type: "text" };
import usersIcon from "lucide-static/icons/users.svg" with { type: "text" };
import webhookIcon from "lucide-static/icons/webhook.svg" with { type: "text" };
import wrapTextIcon from "lucide-static/icons/wrap-text.svg" with { type: "text" };
import xIcon from "lucide-static/icons/x.svg" with { type: "text" };

/** The icons of the pages, of the Lucide set (ISC licence): one file that a browser loads once. */
const drawings = {
  activity: activityIcon,
  archive: archiveIcon,
  "arrow-left-right": arrowLeftRightIcon,
  "at-sign": atSignIcon,
  bell: bellIcon,
  "bell-off": bellOffIcon,
  bold: boldIcon,
  book: bookIcon,
  "book-open": bookOpenIcon,
  box: boxIcon,
  "building-2": building2Icon,
  calendar: calendarIcon,
  check: checkIcon,
  cherry: cherryIcon,
  "chevron-down": chevronDownIcon,
  "chevron-left": chevronLeftIcon,
  "chevron-right": chevronRightIcon,
  "chevron-up": chevronUpIcon,
  "circle-alert": circleAlertIcon,
  "circle-check": circleCheckIcon,
  "circle-dot": circleDotIcon,
  "circle-user": circleUserIcon,
  clock: clockIcon,
  code: codeIcon,
  copy: copyIcon,
  download: downloadIcon,
  ellipsis: ellipsisIcon,
  "external-link": externalLinkIcon,
  eye: eyeIcon,
  file: fileIcon,
  "file-archive": fileArchiveIcon,
  "file-minus": fileMinusIcon,
  "file-plus": filePlusIcon,
  "file-symlink": fileSymlinkIcon,
  folder: folderIcon,
  "folder-git-2": folderGit2Icon,
  "folder-open": folderOpenIcon,
  "git-branch": gitBranchIcon,
  "git-commit-horizontal": gitCommitHorizontalIcon,
  "git-compare": gitCompareIcon,
  "git-fork": gitForkIcon,
  "git-merge": gitMergeIcon,
  "git-pull-request": gitPullRequestIcon,
  "git-pull-request-closed": gitPullRequestClosedIcon,
  "git-pull-request-draft": gitPullRequestDraftIcon,
  globe: globeIcon,
  "hard-drive": hardDriveIcon,
  hash: hashIcon,
  heading: headingIcon,
  history: historyIcon,
  inbox: inboxIcon,
  info: infoIcon,
  italic: italicIcon,
  key: keyIcon,
  keyboard: keyboardIcon,
  link: linkIcon,
  list: listIcon,
  "list-checks": listChecksIcon,
  "list-ordered": listOrderedIcon,
  lock: lockIcon,
  "log-out": logOutIcon,
  mail: mailIcon,
  "map-pin": mapPinIcon,
  "message-square": messageSquareIcon,
  milestone: milestoneIcon,
  paperclip: paperclipIcon,
  pencil: pencilIcon,
  pin: pinIcon,
  plus: plusIcon,
  quote: quoteIcon,
  "refresh-cw": refreshCwIcon,
  scale: scaleIcon,
  "scroll-text": scrollTextIcon,
  search: searchIcon,
  settings: settingsIcon,
  "settings-2": settings2Icon,
  "shield-check": shieldCheckIcon,
  smile: smileIcon,
  star: starIcon,
  sun: sunIcon,
  table: tableIcon,
  tag: tagIcon,
  "trash-2": trash2Icon,
  "triangle-alert": triangleAlertIcon,
  "undo-2": undo2Icon,
  "unfold-vertical": unfoldVerticalIcon,
  upload: uploadIcon,
  user: userIcon,
  users: usersIcon,
  webhook: webhookIcon,
  "wrap-text": wrapTextIcon,
  x: xIcon,
} as const;

export type IconName = keyof typeof drawings;

/** The strokes of a drawing: what is inside its svg element, on one line. */
function strokesOf(drawing: string): string {
  return drawing
    .replace(/<!--[^]*?-->/, "")
    .replace(/<svg[^>]*>|<\/svg>/g, "")
    .split("\n")
    .map((line) => line.trim())
    .join("")
    .replaceAll(" />", "/>");
}

const symbols = Object.entries(drawings).map(
  ([name, drawing]) => `<symbol id="${name}" viewBox="0 0 24 24">${strokesOf(drawing)}</symbol>`,
);

/** A drawing is shown with `<use href="ADDRESS#NAME">`. */
export const sprite = `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join("")}</svg>`;
