import pc from 'picocolors';

export type Style = (text: string) => string;

/** The colours of the screen. Hue says who speaks. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan', Style>>;

/** Colours that colour, or with `false` ones that leave the text as it is. */
export function createPaint(color: boolean): Paint {
  const { bold, dim, red, green, yellow, blue, magenta, cyan } = pc.createColors(color);
  return { bold, dim, red, green, yellow, blue, magenta, cyan };
}

/**
 * Whether output to this stream is coloured: only on a terminal that is not dumb, unless `NO_COLOR` says no; `FORCE_COLOR` says yes
 * to all.
 *
 * @example
 * const color = wantsColor(process.stdout, process.env);
 */
export function wantsColor(
  output: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return true;
  return Boolean(output.isTTY) && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** A part of flower's own texts that is written ‹so› is drawn dim. The marks are kept as control characters, which foreign text lost. */
const DIM_ON = '\u0001';
const DIM_OFF = '\u0002';

/** Turns the marks ‹ and › of a text of flower's own into what `paintLines` understands. They take no room. */
export function markDim(text: string): string {
  return text.replace(/‹/g, DIM_ON).replace(/›/g, DIM_OFF);
}

/** Colours lines one by one, so that no colour reaches over a line break; what `markDim` marked is dim, the rest in `style`. */
export function paintLines(lines: readonly string[], style: Style, paint: Paint): string[] {
  let dimmed = false;
  return lines.map((line) =>
    line
      .split(/([\u0001\u0002])/)
      .map((part) => {
        if (part === DIM_ON || part === DIM_OFF) {
          dimmed = part === DIM_ON;
          return '';
        }
        if (part === '') return '';
        return dimmed ? paint.dim(part) : style(part);
      })
      .join(''),
  );
}
