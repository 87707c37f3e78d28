/**
 * Whether a switch in the environment is on: off when unset, empty, `0`, `false`, `no` or `off`.
 *
 * @example
 * if (isOn(process.env.FLOWER_NO_PROBE)) return;
 */
export function isOn(value: string | undefined): boolean {
  return !/^(|0|false|no|off)$/i.test(value?.trim() ?? '');
}
