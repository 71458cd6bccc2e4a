/** Makes texts of tests inert in a comment: they mention nobody, link to nothing and change no structure. */
import { beginningOf, visibleLine } from '#shared/engine/plain-text.ts';

/**
 * A code span. GitHub looks for mentions, issue numbers, addresses and emoji everywhere else. A table is split at its bars
 * before code is recognized. So the bar becomes a character that looks like it.
 */
export function inertCode(text: string, characters: number): string {
  const line = visibleLine(text).replaceAll('|', '\u2223');
  const shown = beginningOf(line, characters);
  const whole = shown.length < line.length ? `${shown}…` : shown || ' ';
  const longest = Math.max(0, ...[...whole.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  // Spaces keep backticks at the ends apart from the fence. Markdown removes them.
  return `${fence} ${whole} ${fence}`;
}

/** A link to a page of this service. Angle brackets end the address, so parentheses in it are harmless. */
export const linkTo = (text: string, url: string): string =>
  `[${text}](<${url.replaceAll('<', '%3C').replaceAll('>', '%3E').replaceAll('|', '%7C')}>)`;
