const units = [
  { name: "hour", seconds: 3600 },
  { name: "minute", seconds: 60 },
  { name: "second", seconds: 1 },
];

/** Says how long that is: at most two units, such as "1 hour 2 minutes". */
export function durationInWords(seconds: number): string {
  const counts = units.map(({ name, seconds: length }, index) => {
    const rest = index === 0 ? seconds : seconds % (units[index - 1]?.seconds ?? 1);
    return { name, count: Math.floor(rest / length) };
  });
  const first = counts.findIndex(({ count }) => count > 0);
  const shown = first < 0 ? counts.slice(-1) : counts.slice(first, first + 2).filter(({ count }) => count > 0);
  return shown.map(({ name, count }) => `${count} ${name}${count === 1 ? "" : "s"}`).join(" ");
}
