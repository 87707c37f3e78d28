import { readdirSync, readFileSync } from 'node:fs';

/** Processor time in milliseconds that the harness, this process's other child, has used so far, its commands' included. */
export function harnessCpuMs(servicePid) {
  // Its own user and system time, and that of the children that it has waited for.
  const ticks = children(servicePid).flatMap(({ fields }) => fields.slice(11, 15).map(Number));
  return 10 * ticks.reduce((sum, n) => sum + n, 0);
}

/** Memory in megabytes that it has in use. */
export function harnessMb(servicePid) {
  const kilobytes = children(servicePid).map(({ pid }) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
  );
  return Math.round(kilobytes.reduce((sum, n) => sum + n, 0) / 1024);
}

/** Number and `stat` of this process's children, the scripted service apart. */
function children(servicePid) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(fields[1]) === process.pid && Number(pid) !== servicePid ? [{ pid, fields }] : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}
