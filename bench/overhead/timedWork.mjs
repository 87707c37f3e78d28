import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inFolder } from '../frame/place.mjs';
import { harnessCpuMs } from './harnessProcesses.mjs';
import { CALLS } from './service.mjs';

export { CALLS };

/**
 * Milliseconds of one session in a folder of its own: by the clock, and of the processor, of this process alone (`ownMs`) and with
 * the harness and its commands.
 */
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
    const ownMs = (user + system) / 1000;
    if (calls < CALLS) throw new Error(`only ${calls} of ${CALLS} tool calls`);
    return { wallMs, ownMs, cpuMs: ownMs + harnessMs };
  });
}
