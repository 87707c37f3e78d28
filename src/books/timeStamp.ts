import { existsSync } from 'node:fs';

/** Local time as `YYYYMMDD-HHMMSS`, for names of files and folders. */
export function timeStamp(at: Date = new Date()): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}`;
  return `${day}-${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
}

/** The path itself if nothing is there, else with `-2`, `-3` … behind it. */
export function freePath(path: string): string {
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? path : `${path}-${n}`;
    if (!existsSync(candidate)) return candidate;
  }
}
