/** Reads a line of TAP that is the result of a test, such as `not ok 3 - name # SKIP reason`. */
import { parseDuration, roundDuration } from '#shared/reports/times.ts';

export interface Line {
  readonly hasPassed: boolean;
  readonly name: string;
  readonly directive: 'skip' | 'todo' | undefined;
  readonly reason: string;
  readonly duration: number;
}

const TIME = /\s# time=([\d.]{1,20})(ms|s)?\s*$/;
const BATS_TIME = / in (\d{1,12})(?:ms|sec)$/;
const START = /^(not )?ok(?:\s+\d{1,12})?(?:\s+-(?=\s|$))?(?=\s|$)/;

export function parseResult(content: string): (Line & { readonly hasBrace: boolean }) | undefined {
  const start = START.exec(content);
  if (!start) return undefined;
  const hasBrace = content.endsWith(' {');
  let text = content.slice(start[0].length, hasBrace ? -2 : undefined);
  const time = TIME.exec(text);
  if (time) text = text.slice(0, time.index);
  const directive = findDirective(text);
  if (directive) text = text.slice(0, directive.at);
  const bats = BATS_TIME.exec(text.trimEnd());
  if (bats) text = text.slice(0, bats.index);
  const milliseconds = time ? parseDuration(`${time[1]}${time[2] ?? 'ms'}`) : roundDuration(Number(bats?.[1] ?? 0));
  return {
    hasPassed: start[1] === undefined,
    name: unescapeName(text.trim()),
    directive: directive?.kind,
    reason: directive?.reason ?? '',
    duration: milliseconds,
    hasBrace,
  };
}

const DIRECTIVE = /^#\s{0,20}(skip|todo)[a-z]{0,20}(?![\w-])[:\s]*/i;

/** `# SKIP reason` at the end of a line, unless the `#` is escaped. */
function findDirective(text: string) {
  for (let at = text.indexOf('#'); at >= 0; at = text.indexOf('#', at + 1)) {
    if (at > 0 && !/\s/.test(text[at - 1] ?? '')) continue;
    const match = DIRECTIVE.exec(text.slice(at, at + SCANNED_CHARACTERS));
    if (!match) continue;
    const kind = match[1]?.toLowerCase() === 'skip' ? ('skip' as const) : ('todo' as const);
    return {
      at,
      kind,
      reason: text
        .slice(at + match[0].length)
        .replace(/^-\s{0,20}/, '')
        .trim(),
    };
  }
  return undefined;
}

const SCANNED_CHARACTERS = 100;

export const unescapeName = (name: string): string => name.replaceAll(/\\([\\#])/g, '$1');
