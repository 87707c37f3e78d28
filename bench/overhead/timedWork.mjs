import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inFolder } from '../frame/place.mjs';
import { CALLS } from './service.mjs';

export { CALLS };

/** Milliseconds of one session in a folder of its own: by the clock, and of the processor, the harness's and its commands' included. */
export function timedWork(session, service) {
  return inFolder(async (folder) => {
    for (let n = 0; n < 7; n += 1) writeFileSync(join(folder, 'work', `file-${n}.txt`), 'some words\n'.repeat(100));
    let calls = 0;
    let harnessMs = 0;
    const begun = performance.now();
    const before = process.cpuUsage();
    const onCall = () => {
      calls += 1;
    };
    const onEnd = () => {
      harnessMs = harnessCpuMs(service.pid);
    };
    await session(folder, onCall, onEnd);
    const { user, system } = process.cpuUsage(before);
    const wallMs = performance.now() - begun;
    if (calls < CALLS) throw new Error(`only ${calls} of ${CALLS} tool calls`);
    return { wallMs, cpuMs: (user + system) / 1000 + harnessMs };
  });
}

/** Processor time that the harness, this process's other child, has used so far. */
function harnessCpuMs(servicePid) {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(fields[1]) !== process.pid || Number(pid) === servicePid) continue;
      // Its own user and system time, and that of the children that it has waited for.
      ticks += fields.slice(11, 15).reduce((sum, n) => sum + Number(n), 0);
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * 10;
}
