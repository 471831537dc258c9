/** Tells the server the reader's time zone, so that the next page writes times in it. */
export function keepZone(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const cookie = `zone=${encodeURIComponent(timeZone)}`;
  if (document.cookie.split("; ").includes(cookie)) {
    return;
  }
  document.cookie = `${cookie}; path=/; max-age=31536000; samesite=lax`;
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.getAttribute("datetime") ?? "");
    time.setAttribute(
      "title",
      `${at.toLocaleString("en", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" })} ${timeZone}`,
    );
  }
}
